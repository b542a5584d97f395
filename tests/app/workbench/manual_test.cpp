// The manual's window: its search, and pages that fit.
#include <QImage>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include <gtest/gtest.h>

#include "app/workbench/manual/manual_browser.h"
#include "app/workbench/manual/manual_window.h"
#include "core/base/resources.h"

namespace isolume::workbench {
namespace {

class ManualTest : public testing::Test {
 protected:
  ManualTest() {
    write("index.md", "# Contents\n\n- [Second](second.md)\n- [First](first.md)\n");
    write("first.md", "# First page\n\nNothing of note.\n\n## Isovalue\n\nWhere the *lobes* are cut.\n");
    write("second.md",
          "# Second page\n\nThe isovalue again, with `lobes`.\n\n![A picture](wide.png)\n\n"
          "| Option | What it does |\n| --- | --- |\n| `--a-very-long-option-without-any-place-to-break-"
          "and-even-longer-than-that-so-that-no-window-is-wide-enough-for-it-in-one-line` | text |\n");
    QImage wide(3000, 600, QImage::Format_RGB32);
    wide.fill(Qt::darkGreen);
    wide.save(folder.filePath("wide.png"));
  }
  void write(const char* name, const char* text) {
    std::ofstream(folder.filePath(name).toStdString()) << text;
  }
  std::filesystem::path path() const { return folder.path().toStdString(); }

  QTemporaryDir folder;
};

TEST_F(ManualTest, SectionsAreFoundByTheirWordsThoseInHeadingsFirst) {
  const auto sections = manual_sections(path());
  const auto found = search_manual(sections, {"ISOVALUE"});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].section->heading, "Isovalue");
  EXPECT_EQ(found[0].section->page_title, "First page");
  EXPECT_EQ(found[1].section->heading, "Second page");
  EXPECT_EQ(found[1].line, "The isovalue again, with lobes.");
  EXPECT_EQ(search_manual(sections, {"lobes", "cut"}).size(), 1U);
  EXPECT_TRUE(search_manual(sections, {"lobes", "absent"}).empty());
}

TEST_F(ManualTest, EnterGoesFromOneHitToTheNextAndMarksIt) {
  ManualWindow window(path());
  window.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
  auto* page = window.findChild<ManualBrowser*>("manual.page");
  auto* words = window.findChild<QLineEdit*>("manual.search");
  EXPECT_EQ(page->source().fileName(), "index.md");
  QTest::keyClicks(words, "lobes");
  auto* hits = window.findChild<QListWidget*>("manual.hits");
  EXPECT_TRUE(hits->isVisible());
  ASSERT_EQ(hits->count(), 2);
  EXPECT_EQ(page->source().fileName(), "index.md") << "typing alone turns no page";
  QTest::keyClick(words, Qt::Key_Return);
  EXPECT_EQ(page->source().fileName(), "second.md");
  ASSERT_EQ(page->extraSelections().size(), 1);
  EXPECT_EQ(page->extraSelections()[0].cursor.selectedText(), "lobes");
  QTest::keyClick(words, Qt::Key_Return);
  EXPECT_EQ(page->source().fileName(), "first.md");
  EXPECT_TRUE(window.isVisible()) << "Enter must not close it";
  words->setText("absent");
  EXPECT_EQ(hits->item(0)->text(), "Nothing found.");
  words->clear();
  EXPECT_FALSE(hits->isVisible());
}

TEST_F(ManualTest, PicturesAndTablesFitWhateverTheWidth) {
  ManualBrowser page;
  page.resize(700, 500);
  page.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&page));
  page.setSource(QUrl::fromLocalFile(folder.filePath("second.md")));
  for (const int width : {700, 420, 900}) {
    page.resize(width, 500);
    QTest::qWait(20);
    EXPECT_EQ(page.horizontalScrollBar()->maximum(), 0) << "at " << width;
    EXPECT_LE(page.document()->size().width(), page.viewport()->width()) << "at " << width;
    const QVariant loaded = page.document()->resource(QTextDocument::ImageResource, QUrl("wide.png"));
    const double picture = loaded.value<QImage>().deviceIndependentSize().width();
    EXPECT_GT(picture, width * 0.8);
    EXPECT_LE(picture, page.viewport()->width());
  }
}

TEST_F(ManualTest, BackGoesToThePageAsItWas) {
  ManualBrowser page;
  page.resize(700, 120);
  page.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&page));
  page.setSource(QUrl::fromLocalFile(folder.filePath("second.md")));
  page.verticalScrollBar()->setValue(60);
  const QString text = page.document()->toPlainText();
  page.setSource(QUrl::fromLocalFile(folder.filePath("first.md")));
  EXPECT_EQ(page.verticalScrollBar()->value(), 0);
  EXPECT_TRUE(page.document()->toPlainText().startsWith("First page"));
  page.backward();
  EXPECT_EQ(page.document()->toPlainText(), text);
  EXPECT_EQ(page.verticalScrollBar()->value(), 60);
  EXPECT_LE(page.document()->size().width(), page.viewport()->width()) << "the table fits here too";
  EXPECT_EQ(page.findChildren<QTextDocument*>().size(), 1) << "pages that were left are gone";
}

TEST_F(ManualTest, EveryPageOfTheRealManualFits) {
  ManualBrowser page;
  page.resize(640, 500);
  page.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&page));
  for (const auto& entry : std::filesystem::directory_iterator(resource("manual/index.md").parent_path())) {
    if (entry.path().extension() != ".md") continue;
    page.setSource(QUrl::fromLocalFile(QString::fromStdString(entry.path().string())));
    EXPECT_LE(page.document()->size().width(), page.viewport()->width() + 1) << entry.path();
  }
}

}  // namespace
}  // namespace isolume::workbench
