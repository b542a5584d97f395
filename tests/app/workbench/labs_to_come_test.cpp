// A window that was opened before all labs were built.
#include "app/workbench/window/labs_to_come.h"

#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QStandardPaths>
#include <QStatusBar>
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "tests/app/workbench/two_labs_test.h"

namespace isolume::workbench {
namespace {

namespace fs = std::filesystem;

class LabsToComeTest : public TwoLabsTest {
 protected:
  LabsToComeTest() {
    fs::remove_all(sessions());
    new LabsToCome(*window, program(), [this](const QStringList& arguments) {
      started = arguments;
      return can_start;
    });
  }
  ~LabsToComeTest() override {
    window.reset();
    fs::remove_all(sessions());
  }
  QString program() const { return QString::fromStdString(path("program")); }
  /// As a linker does: the file can be run when it is complete.
  void build_program() const {
    file("program", "half of it");
    QTest::qWait(1500);
    EXPECT_FALSE(button().isVisible()) << "it is not complete";
    fs::permissions(path("program"), fs::perms::owner_all);
  }
  QPushButton& button() const { return *window->findChild<QPushButton*>("restart-with-all-labs"); }
  QLabel& coming() const { return *window->findChild<QLabel*>("labs-to-come"); }
  void restart() {
    build_program();
    ASSERT_TRUE(QTest::qWaitFor([&] { return button().isVisible(); }, patience_ms));
    EXPECT_FALSE(coming().isVisible());
    QTest::mouseClick(&button(), Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return started.has_value(); }, patience_ms));
  }

  bool can_start = true;
  std::optional<QStringList> started;
};

TEST_F(LabsToComeTest, SaysThatTheyAreBeingBuilt) {
  EXPECT_TRUE(coming().isVisible());
  EXPECT_FALSE(button().isVisible());
}

TEST_F(LabsToComeTest, TheNextProgramGoesOnWithWhatIsOpen) {
  ASSERT_EQ(run({"file.open " + file("a.word"), "fake.next", "parameter.set isovalue 0.07"}), "");
  ASSERT_NO_FATAL_FAILURE(restart());
  EXPECT_EQ(*started, (QStringList{"--command", "session.restore"}));
  EXPECT_TRUE(QTest::qWaitFor([&] { return !window->isVisible(); }, patience_ms));

  open_window();
  ASSERT_EQ(run({"session.restore"}), "");
  ASSERT_NE(fake_made, nullptr);
  EXPECT_EQ(fake_made->values.isovalue, 0.07);
  EXPECT_EQ(fake_made->nexts, 1);
}

TEST_F(LabsToComeTest, WithNothingOpenTheNextProgramStartsAfresh) {
  ASSERT_NO_FATAL_FAILURE(restart());
  EXPECT_EQ(*started, QStringList());
  EXPECT_TRUE(QTest::qWaitFor([&] { return !window->isVisible(); }, patience_ms));
}

TEST_F(LabsToComeTest, StaysOpenWhereTheNextProgramDoesNotStart) {
  can_start = false;
  ASSERT_EQ(run({"file.open " + file("a.word")}), "");
  ASSERT_NO_FATAL_FAILURE(restart());
  EXPECT_TRUE(QTest::qWaitFor([&] { return button().isEnabled(); }, patience_ms));
  EXPECT_TRUE(window->isVisible());
  EXPECT_NE(window->error_text().indexOf(program()), -1);
}

}  // namespace
}  // namespace isolume::workbench
