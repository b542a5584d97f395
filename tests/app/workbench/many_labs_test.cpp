// More labs than there are digits.
#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QTest>
#include <QTreeWidget>
#include <algorithm>

#include <gtest/gtest.h>

#include "app/workbench/commands/palette_search.h"
#include "app/workbench/window/main_window.h"
#include "tests/app/menu_letters.h"
#include "tests/app/patience.h"
#include "tests/app/workbench/fake_devices.h"
#include "tests/app/workbench/fake_lab.h"

namespace isolume::workbench {
namespace {

const std::vector<std::string> fields{"acoustics", "bonds", "currents", "dust", "eddies", "flames",
                                      "glaciers",  "heat",  "ions",     "jets", "knots",  "lenses"};

/// Without samples: as labs that need no file.
LabEntry entry_of(const std::string& name) {
  return {
      .description = {.name = name, .title = name, .summary = "About them.", .commands = fake_commands(name)},
      .make = [name](LabContext& context) { return std::make_unique<FakeLab>(context, name); }};
}

class ManyLabsTest : public testing::Test {
 protected:
  ManyLabsTest() {
    QSettings().clear();
    std::vector<LabEntry> entries;
    for (const std::string& name : fields) entries.push_back(entry_of(name));
    window = std::make_unique<MainWindow>(std::move(entries), make_fake_pool);
    window->resize(1000, 600);
    window->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get(), patience_ms));
    QApplication::setActiveWindow(window.get());  // there is no window manager to do it
  }
  QAction* show(const std::string& name) {
    return window->findChild<QAction*>(QString::fromStdString("lab.show " + name));
  }

  std::unique_ptr<MainWindow> window;
};

TEST_F(ManyLabsTest, TheFirstNineHaveAKeyAndAllAreInTheMenuInTheirOrder) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const QString key = i < 9 ? QString("Ctrl+%1").arg(i + 1) : QString();
    EXPECT_EQ(show(fields[i])->shortcut().toString(), key) << fields[i];
  }
  const auto menus = window->menuBar()->findChildren<QMenu*>();
  const auto menu =
      std::ranges::find_if(menus, [&](const QMenu* each) { return each->actions().contains(show("dust")); });
  ASSERT_NE(menu, menus.end());
  std::vector<std::string> titles;
  for (const QAction* action : (*menu)->actions()) titles.push_back(action->text().remove('&').toStdString());
  EXPECT_EQ(titles, fields);
  expect_letters_of_their_own(*window->menuBar());
  QTest::keyClick(window.get(), Qt::Key_9, Qt::ControlModifier);
  EXPECT_TRUE(show("ions")->isChecked());
}

TEST_F(ManyLabsTest, ThoseWithoutAKeyAreReachedByMenuPaletteAndCommand) {
  show("lenses")->trigger();
  EXPECT_TRUE(show("lenses")->isChecked());
  ASSERT_TRUE(window->run("lab.show knots"));
  EXPECT_TRUE(show("knots")->isChecked());
  const auto found = search_palette(palette_entries(window->commands()), "jets");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().line, "lab.show jets");
}

TEST_F(ManyLabsTest, ThePaletteFindsCommandsOfHiddenLabsAndShowsTheirLabFirst) {
  QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  auto* input = window->findChild<QLineEdit*>("command-palette.input");
  auto* list = window->findChild<QTreeWidget*>("command-palette.list");
  ASSERT_TRUE(QTest::qWaitFor([&] { return input->hasFocus(); }, patience_ms));
  QTest::keyClicks(input, "greet");
  ASSERT_EQ(list->topLevelItemCount(), static_cast<int>(fields.size()));
  EXPECT_EQ(list->currentItem()->text(2), "acoustics.greet NAME") << "the shown lab's own comes first";
  input->setText("heat.greet");
  EXPECT_EQ(list->currentItem()->text(1), "heat") << "its lab, which does not exist yet";
  QTest::keyClick(input, Qt::Key_Return);
  EXPECT_TRUE(show("heat")->isChecked());
  ASSERT_TRUE(QTest::qWaitFor([&] { return input->hasFocus(); }, patience_ms));
  EXPECT_EQ(input->text(), "heat.greet ");
  QTest::keyClicks(input, "you");
  QTest::keyClick(input, Qt::Key_Return);
  const auto* heat = dynamic_cast<const FakeLab*>(&window->lab());
  ASSERT_NE(heat, nullptr);
  EXPECT_EQ(heat->greeted, std::vector<std::string>{"you"});
}

TEST_F(ManyLabsTest, TheWelcomePageHasThemAllWithinItsWidth) {
  auto* page = window->findChild<QWidget*>("welcome-page");
  const auto* area = page->findChild<QScrollArea*>();
  EXPECT_EQ(area->horizontalScrollBar()->maximum(), 0);
  int below = 0;
  for (const std::string& name : fields) {
    auto* tile = page->findChild<QAbstractButton*>(QString::fromStdString("welcome.lab." + name));
    ASSERT_NE(tile, nullptr) << name;
    below = std::max(below, tile->mapTo(page, QPoint(0, tile->height())).y());
  }
  EXPECT_LT(below, page->height() * 3 / 2) << "three beside each other";
  page->findChild<QAbstractButton*>("welcome.lab.lenses")->click();
  EXPECT_TRUE(show("lenses")->isChecked());
}

}  // namespace
}  // namespace isolume::workbench
