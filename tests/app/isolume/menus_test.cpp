// The menus, the palette and the panels of the program with all its labs.
#include <QComboBox>
#include <QGroupBox>
#include <QMenu>
#include <QMenuBar>
#include <QTest>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "app/isolume/labs.h"
#include "app/workbench/commands/palette_search.h"
#include "app/workbench/manual/manual_browser.h"
#include "app/workbench/manual/manual_window.h"
#include "app/workbench/parameters/parameter_panel.h"
#include "app/workbench/window/main_window.h"
#include "core/base/resources.h"
#include "gpu/machine.h"
#include "tests/app/patience.h"

namespace isolume::workbench {
namespace {

class MenusTest : public testing::Test {
 protected:
  MenusTest() : window(labs(), gpu::make_device_pool) {
    window.resize(1280, 800);
    window.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&window, patience_ms));
  }
  QList<QMenu*> menus() { return window.menuBar()->findChildren<QMenu*>(); }
  static qsizetype lines(const QMenu& menu) {
    return std::ranges::count_if(menu.actions(), [](const QAction* each) { return !each->isSeparator(); });
  }

  MainWindow window;
};

TEST_F(MenusTest, NoSubmenuHasOneLineAndNoneIsNamedLikeACommand) {
  for (const auto& lab : labs()) {
    ASSERT_TRUE(window.run("lab.show " + lab.description.name));
    int submenus_of_lab = 0;
    for (const QMenu* menu : menus()) {
      const QString title = menu->title().remove('&');
      if (menu->isEmpty()) continue;  // recent files, before there are any
      EXPECT_GE(lines(*menu), 2) << lab.description.name << ": " << title.toStdString();
      EXPECT_FALSE(title.contains('.') ||
                   (title.contains('-') && title != QString::fromStdString(lab.description.title)))
          << title.toStdString();
      const auto* above = qobject_cast<const QMenu*>(menu->parentWidget());
      submenus_of_lab +=
          above != nullptr && above->title().remove('&') == QString::fromStdString(lab.description.title);
    }
    EXPECT_LE(submenus_of_lab, 7) << lab.description.name;
  }
}

TEST_F(MenusTest, ThePaletteOffersWhatCanRunFirstAndNothingTwice) {
  const auto entries = palette_entries(window.commands());
  for (const char* typed : {"", "slice", "export", "open", "play", "colour", "probe"}) {
    std::set<std::pair<std::string, std::string>> seen;
    bool available = true;
    for (const PaletteEntry& entry : search_palette(entries, typed)) {
      EXPECT_TRUE(available || !entry.available) << typed << ": " << entry.line;
      available = entry.available;
      EXPECT_TRUE(seen.emplace(entry.title, entry.detail).second) << typed << ": " << entry.title;
    }
  }
}

TEST_F(MenusTest, ChoicesAreWideEnoughForTheirTexts) {
  ASSERT_TRUE(window.run("lab.show nbody"));
  QList<QComboBox*> boxes;
  for (const auto* panel : window.findChildren<ParameterPanel*>()) boxes += panel->findChildren<QComboBox*>();
  EXPECT_GT(boxes.size(), 3);
  for (const QComboBox* box : boxes) {
    for (int i = 0; i < box->count(); ++i) {
      EXPECT_GE(box->minimumWidth(), box->fontMetrics().horizontalAdvance(box->itemText(i)))
          << box->objectName().toStdString();
    }
    EXPECT_TRUE(box->toolTip().contains("\nName in commands: ")) << box->toolTip().toStdString();
  }
}

TEST_F(MenusTest, AGroupOfParametersIsInOnePlaceOfThePanel) {
  ASSERT_TRUE(window.run("lab.show nbody"));
  std::multiset<QString> titles;
  for (const auto* panel : window.findChildren<ParameterPanel*>()) {
    for (const auto* box : panel->findChildren<QGroupBox*>()) titles.insert(box->title());
  }
  EXPECT_EQ(titles.count("Picture"), 1U);
  for (const QString& title : titles) EXPECT_EQ(titles.count(title), 1U) << title.toStdString();
}

TEST_F(MenusTest, TooltipsKeepHelpAndRangeApart) {
  ASSERT_TRUE(window.run("lab.show nbody"));
  const auto* slider = window.findChild<QWidget*>("opening-angle.slider");
  ASSERT_NE(slider, nullptr);
  EXPECT_TRUE(slider->toolTip().contains("\nFrom 0.05 to 2\n")) << slider->toolTip().toStdString();
}

TEST_F(MenusTest, F1OpensThePageOfTheShownLab) {
  ASSERT_TRUE(window.run("lab.show nbody"));
  ASSERT_TRUE(window.run("help.manual"));
  const auto* page = window.findChild<ManualWindow*>()->findChild<ManualBrowser*>("manual.page");
  EXPECT_EQ(page->source().fileName(), "nbody.md");
}

}  // namespace
}  // namespace isolume::workbench
