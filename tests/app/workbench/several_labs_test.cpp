// Two labs in one window: switching, what each keeps, and where files open.
#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>
#include <QUndoCommand>
#include <QUndoStack>
#include <fstream>

#include <gtest/gtest.h>

#include "app/scene/view/view_widget.h"
#include "app/workbench/documents/recent_files.h"
#include "app/workbench/parameters/parameter_history.h"
#include "app/workbench/window/main_window.h"
#include "core/base/error.h"
#include "tests/app/menu_letters.h"
#include "tests/app/patience.h"
#include "tests/app/workbench/fake_devices.h"
#include "tests/app/workbench/fake_lab.h"

namespace isolume::workbench {
namespace {

class SeveralLabsTest : public testing::Test {
 protected:
  SeveralLabsTest() {
    QSettings().clear();
    open_window();
  }
  void open_window() {
    fake = other = nullptr;
    window = std::make_unique<MainWindow>(std::vector{fake_entry(fake), other_entry(other)}, make_fake_pool);
    window->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get(), patience_ms));
    QApplication::setActiveWindow(window.get());  // there is no window manager to do it
  }
  std::string file(const std::string& name, const std::string& content = "good") {
    const std::string path = folder.filePath(QString::fromStdString(name)).toStdString();
    std::ofstream(path) << content;
    return path;
  }
  void open(const std::string& path) {
    QSignalSpy opened(window.get(), &MainWindow::document_opened);
    ASSERT_TRUE(window->run("file.open", {path}));
    ASSERT_TRUE(opened.wait(patience_ms));
  }
  void open_both() {
    ASSERT_NO_FATAL_FAILURE(open(file("a.word")));
    ASSERT_NO_FATAL_FAILURE(open(file("b.phrase")));
    ASSERT_EQ(&window->lab(), other);
  }
  template <class Widget>
  Widget* find(const char* name) {
    auto* found = window->findChild<Widget*>(name);
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  bool panel_visible(const char* name) { return find<QDockWidget>(name)->isVisible(); }

  QTemporaryDir folder;
  FakeLab* fake = nullptr;
  FakeLab* other = nullptr;
  std::unique_ptr<MainWindow> window;
};

TEST_F(SeveralLabsTest, AFileIsOpenedInTheLabThatPeopleName) {
  EXPECT_FALSE(window->run("file.open-in", {"other"})) << "nothing is open";
  ASSERT_NO_FATAL_FAILURE(open(file("a.word")));
  QSignalSpy opened(window.get(), &MainWindow::document_opened);
  ASSERT_TRUE(window->run("file.open-in", {"other"}));
  ASSERT_TRUE(opened.wait(patience_ms));
  EXPECT_TRUE(other->is_open) << "what the other one shows";
  EXPECT_TRUE(window->windowTitle().startsWith("a.word")) << window->windowTitle().toStdString();
  ASSERT_TRUE(window->run("file.open-in", {"fake", file("b.word")}));
  ASSERT_TRUE(opened.wait(patience_ms));
  EXPECT_TRUE(window->windowTitle().startsWith("b.word")) << window->windowTitle().toStdString();
  EXPECT_FALSE(window->run("file.open-in", {"third", file("b.word")}));
}

TEST_F(SeveralLabsTest, TheWelcomePageShowsTheSamplesOfAllLabsAndOnlyTheFirstLabIsMade) {
  EXPECT_TRUE(find<QWidget>("sample.First sample")->isVisible());
  EXPECT_TRUE(find<QWidget>("sample.Second sample")->isVisible());
  EXPECT_NE(fake, nullptr);
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(window->commands().find("other.next"), nullptr);
}

TEST_F(SeveralLabsTest, KeysAndMenuSwitchAndALabIsMadeOnce) {
  QTest::keyClick(window.get(), Qt::Key_2, Qt::ControlModifier);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(&window->lab(), other);
  EXPECT_TRUE(find<QAction>("lab.show other")->isChecked());
  EXPECT_FALSE(find<QAction>("lab.show fake")->isChecked());
  const FakeLab* made = other;
  find<QAction>("lab.show fake")->trigger();
  EXPECT_EQ(&window->lab(), fake);
  ASSERT_TRUE(window->run("lab.show other"));
  EXPECT_EQ(&window->lab(), made);
  EXPECT_EQ(made->shown_changes, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(fake->shown_changes, (std::vector<bool>{false, true, false}));
  EXPECT_FALSE(window->run("lab.show nothing"));
  EXPECT_TRUE(window->error_text().contains("the labs are fake, other"));
}

TEST_F(SeveralLabsTest, ALabMadeLateHasDevicesAndTheme) {
  ASSERT_TRUE(QTest::qWaitFor([&] { return window->devices() != nullptr; }, patience_ms));
  ASSERT_TRUE(window->run("view.theme dark"));
  ASSERT_TRUE(window->run("lab.show other"));
  EXPECT_EQ(other->devices, window->devices());
  EXPECT_TRUE(other->is_dark);
  ASSERT_TRUE(window->run("view.theme light"));
  EXPECT_FALSE(fake->is_dark) << "hidden labs follow the theme, too";
  EXPECT_FALSE(other->is_dark);
}

TEST_F(SeveralLabsTest, EachLabHasItsDocumentTitleStatusAndWarning) {
  ASSERT_NO_FATAL_FAILURE(open_both());
  fake->context().show_status("from afar");
  fake->context().show_warning("beware of fakes");
  EXPECT_EQ(find<QLabel>("status")->text(), "all is well");
  EXPECT_FALSE(find<QWidget>("warning-banner")->isVisible());
  EXPECT_TRUE(window->windowTitle().contains("b.phrase"));
  ASSERT_TRUE(window->run("lab.show fake"));
  EXPECT_EQ(find<QLabel>("status")->text(), "from afar");
  EXPECT_TRUE(find<QWidget>("warning-banner")->isVisible());
  EXPECT_TRUE(window->windowTitle().contains("a.word"));
  EXPECT_TRUE(window->view().isVisible());
  ASSERT_TRUE(window->run("lab.show other"));
  EXPECT_FALSE(find<QWidget>("warning-banner")->isVisible());
  EXPECT_FALSE(window->view().isVisible()) << "its page leaves the view out";
}

TEST_F(SeveralLabsTest, TheMenuOfTheDocksOffersOnlyTheShownLabsPanels) {
  ASSERT_NO_FATAL_FAILURE(open_both());
  const std::unique_ptr<QMenu> menu(window->createPopupMenu());
  QStringList offered;
  for (const QAction* action : menu->actions()) {
    if (!action->isSeparator()) offered << action->text().remove('&');
  }
  EXPECT_EQ(offered, (QStringList{"Things", "Parameters", "Log", "Devices", "History", "Tools"}));
  menu->actions().front()->trigger();
  EXPECT_FALSE(panel_visible("panel.other.Things"));
}

TEST_F(SeveralLabsTest, EveryMenuHasLettersOfItsOwn) {
  ASSERT_NO_FATAL_FAILURE(open_both());
  for (const char* lab : {"fake", "other"}) {
    window->show_lab(lab);
    expect_letters_of_their_own(*window->menuBar());
  }
}

TEST_F(SeveralLabsTest, ADocumentOfOneLabLeavesTheOtherItsWishToComeForward) {
  ASSERT_NO_FATAL_FAILURE(open(file("first.phrase")));
  ASSERT_TRUE(window->run("lab.show fake"));
  QSignalSpy opened(window.get(), &MainWindow::document_opened);
  ASSERT_TRUE(window->run("file.open", {file("a.word")}));
  ASSERT_TRUE(window->run("file.open", {file("b.phrase")}));  // the last one that was asked for
  ASSERT_TRUE(QTest::qWaitFor([&] { return opened.size() == 2; }, patience_ms));
  EXPECT_EQ(&window->lab(), other);
}

/// An undo entry that is no change of a parameter, but has a merge id like one.
class AnotherKind : public QUndoCommand {
 public:
  int id() const override { return 1; }
};

TEST_F(SeveralLabsTest, UndoEntriesOfDifferentKindsAreNeverTakenForEachOther) {
  ASSERT_NO_FATAL_FAILURE(open(file("a.word")));
  QUndoStack& undo = fake->context().undo;
  ParameterHistory history(*fake, undo);
  history.begin_gesture();
  history.set("opacity", 0.25);
  history.set("opacity", 0.2);
  EXPECT_EQ(undo.count(), 1);
  undo.push(new AnotherKind);
  EXPECT_EQ(undo.count(), 2);
  undo.undo();
  undo.undo();
  EXPECT_DOUBLE_EQ(fake->values.opacity, 0.5);
}

TEST_F(SeveralLabsTest, OfSeveralChangesOneThatIsRefusedLeavesNone) {
  ASSERT_NO_FATAL_FAILURE(open(file("a.word")));
  QUndoStack& undo = fake->context().undo;
  ParameterHistory history(*fake, undo);
  EXPECT_THROW(history.set_texts("Both", {{"steps", "6"}, {"opacity", "0.25"}, {"title", "forbidden"}}),
               Error);
  EXPECT_EQ(fake->values.steps, 4);
  EXPECT_DOUBLE_EQ(fake->values.opacity, 0.5);
  EXPECT_EQ(undo.count(), 0);
  history.set_texts("Both", {{"steps", "6"}, {"opacity", "0.25"}});
  EXPECT_EQ(undo.count(), 1);
  undo.undo();
  EXPECT_EQ(fake->values.steps, 4);
  EXPECT_DOUBLE_EQ(fake->values.opacity, 0.5);
}

TEST_F(SeveralLabsTest, UndoBelongsToTheLab) {
  ASSERT_NO_FATAL_FAILURE(open_both());
  ASSERT_TRUE(window->run("parameter.set opacity 0.25"));
  ASSERT_TRUE(window->run("lab.show fake"));
  EXPECT_FALSE(window->undo_stack().canUndo());
  EXPECT_FALSE(find<QAction>("edit.undo")->isEnabled());
  ASSERT_TRUE(window->run("parameter.set steps 7"));
  EXPECT_EQ(find<QAction>("edit.undo")->text(), "&Undo Steps: 4 → 7");
  ASSERT_TRUE(window->run("lab.show other"));
  EXPECT_EQ(find<QAction>("edit.undo")->text(), "&Undo Opacity: 0.5 → 0.25");
  ASSERT_TRUE(window->run("edit.undo"));
  EXPECT_DOUBLE_EQ(other->values.opacity, 0.5);
  EXPECT_EQ(fake->values.steps, 7);
  ASSERT_TRUE(window->run("lab.show fake"));
  ASSERT_TRUE(window->run("edit.undo"));
  EXPECT_EQ(fake->values.steps, 4);
}

TEST_F(SeveralLabsTest, AnErrorBelongsToItsLabAndGoesWithTheNextSuccess) {
  ASSERT_NO_FATAL_FAILURE(open_both());
  EXPECT_FALSE(window->run("lab.show nothing"));
  EXPECT_TRUE(find<QWidget>("error-banner")->isVisible());
  ASSERT_TRUE(window->run("lab.show fake"));
  EXPECT_FALSE(find<QWidget>("error-banner")->isVisible()) << window->error_text().toStdString();
  EXPECT_FALSE(window->run("view.theme purple"));
  ASSERT_TRUE(window->run("fake.next"));
  EXPECT_EQ(window->error_text(), "");
}

TEST_F(SeveralLabsTest, AFailedJobsErrorIsItsLabsAndGoesWhenSuchAJobSucceeds) {
  ASSERT_NO_FATAL_FAILURE(open_both());  // the other one is shown
  const auto run_job = [&](jobs::JobRunner::Work work) {
    fake->context().jobs.submit("Work", "fake.work", std::move(work));
    return QTest::qWaitFor([&] { return window->jobs().active().empty(); }, patience_ms);
  };
  ASSERT_TRUE(run_job([](const jobs::Progress&) { throw Error("It went wrong."); }));
  const HostedDocument& failed = *window->labs().front()->front;
  ASSERT_TRUE(QTest::qWaitFor([&] { return !failed.error.isEmpty(); }, patience_ms));
  EXPECT_EQ(window->error_text(), "");
  find<QAction>("lab.show fake")->trigger();
  ASSERT_EQ(&window->lab(), fake);
  // A command has succeeded, but in the lab that was shown until then.
  EXPECT_EQ(window->error_text(), "It went wrong.");
  EXPECT_TRUE(run_job([](const jobs::Progress& progress) { progress.check(); }));
  EXPECT_TRUE(QTest::qWaitFor([&] { return window->error_text().isEmpty(); }, patience_ms));
}

TEST_F(SeveralLabsTest, CommandsOfAHiddenLabDoNotRunAndSayHow) {
  ASSERT_NO_FATAL_FAILURE(open_both());
  EXPECT_FALSE(window->run("fake.next"));
  EXPECT_EQ(fake->nexts, 0);
  EXPECT_TRUE(window->error_text().contains("It belongs to the Fake lab: run lab.show fake first."));
  QTest::keyClick(window.get(), Qt::Key_J, Qt::ControlModifier);  // a key of both labs
  EXPECT_EQ(other->nexts, 1);
  ASSERT_TRUE(window->run("lab.show fake"));
  QTest::keyClick(window.get(), Qt::Key_J, Qt::ControlModifier);
  EXPECT_EQ(fake->nexts, 1);
  EXPECT_EQ(other->nexts, 1);
}

TEST_F(SeveralLabsTest, AScriptMakesTheLabsItNamesShownOrNot) {
  ASSERT_EQ(other, nullptr);
  std::optional<std::string> end;
  window->run_script({{"", "other.greet you"}, {"", "fake.greet me"}},
                     [&end](const std::string& error) { end = error; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return end.has_value(); }, patience_ms));
  EXPECT_EQ(*end, "");
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->greeted, std::vector<std::string>{"you"});
  EXPECT_EQ(&window->lab(), fake) << "it stays in front";
}

TEST_F(SeveralLabsTest, FilesAndFoldersOpenInTheLabThatTakesThem) {
  ASSERT_NO_FATAL_FAILURE(open(file("a.word")));
  EXPECT_EQ(&window->lab(), fake);
  file("word");
  ASSERT_NO_FATAL_FAILURE(open(folder.path().toStdString()));
  EXPECT_EQ(&window->lab(), other);
  ASSERT_EQ(recent_files().size(), 2);
  EXPECT_EQ(recent_files()[0], folder.path());
  QSignalSpy opened(window.get(), &MainWindow::document_opened);
  ASSERT_TRUE(window->run("file.recent 2"));
  ASSERT_TRUE(opened.wait(patience_ms));
  EXPECT_EQ(&window->lab(), fake);
}

TEST_F(SeveralLabsTest, ADroppedFolderIsOpened) {
  file("word");
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(folder.path())});
  QSignalSpy opened(window.get(), &MainWindow::document_opened);
  QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(window.get(), &enter);
  QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(window.get(), &drop);
  ASSERT_TRUE(opened.wait(patience_ms));
  EXPECT_EQ(&window->lab(), other);
}

TEST_F(SeveralLabsTest, AFileThatFailsLeavesTheShownLabInFront) {
  ASSERT_NO_FATAL_FAILURE(open(file("a.word")));
  QSignalSpy failed(window.get(), &MainWindow::job_failed);
  ASSERT_TRUE(window->run("file.open", {file("bad.phrase", "rubbish")}));
  ASSERT_TRUE(failed.wait(patience_ms));
  EXPECT_EQ(&window->lab(), fake);
  EXPECT_TRUE(panel_visible("panel.fake.Things"));
  EXPECT_FALSE(panel_visible("panel.other.Things"));
  failed.clear();
  ASSERT_TRUE(window->run("file.open", {file("neither.txt", "rubbish")}));
  ASSERT_TRUE(failed.wait(patience_ms));
  EXPECT_TRUE(window->error_text().contains("neither.txt:1"));
}

TEST_F(SeveralLabsTest, WhoChoosesALabWhileAFileOpensStaysThere) {
  ASSERT_NO_FATAL_FAILURE(open(file("a.word")));
  QSignalSpy opened(window.get(), &MainWindow::document_opened);
  ASSERT_TRUE(window->run("file.open", {file("b.phrase")}));
  ASSERT_TRUE(window->run("lab.show fake"));
  ASSERT_TRUE(opened.wait(patience_ms));
  EXPECT_EQ(&window->lab(), fake);
  EXPECT_TRUE(window->windowTitle().contains("a.word"));
  ASSERT_TRUE(window->run("lab.show other"));
  EXPECT_TRUE(window->windowTitle().contains("b.phrase"));
  EXPECT_TRUE(panel_visible("panel.other.Things"));
}

TEST_F(SeveralLabsTest, ASampleOpensInItsLab) {
  QSignalSpy failed(window.get(), &MainWindow::job_failed);
  ASSERT_TRUE(window->run("file.open-sample", {"Second sample"}));
  ASSERT_TRUE(failed.wait(patience_ms)) << "README.md does not say good";
  EXPECT_NE(other, nullptr) << "the second lab read it";
}

TEST_F(SeveralLabsTest, PanelsAreLaidOutForEachLabAndRememberedToTheNextStart) {
  ASSERT_NO_FATAL_FAILURE(open_both());
  EXPECT_TRUE(panel_visible("panel.other.Things"));
  EXPECT_FALSE(panel_visible("panel.fake.Things"));
  ASSERT_TRUE(window->run("view.panel log"));
  ASSERT_TRUE(window->run("view.panel parameters"));
  ASSERT_TRUE(window->run("lab.show fake"));
  EXPECT_FALSE(panel_visible("panel.Log"));
  EXPECT_TRUE(panel_visible("panel.Parameters"));
  EXPECT_TRUE(panel_visible("panel.fake.Things"));
  EXPECT_FALSE(panel_visible("panel.other.Things"));
  ASSERT_TRUE(window->run("view.panel things")) << "the shown lab's, of two with this title";
  EXPECT_FALSE(panel_visible("panel.fake.Things"));
  window->close();
  window.reset();
  open_window();
  ASSERT_NO_FATAL_FAILURE(open_both());
  EXPECT_TRUE(panel_visible("panel.Log"));
  EXPECT_FALSE(panel_visible("panel.Parameters"));
  EXPECT_TRUE(panel_visible("panel.other.Things"));
  ASSERT_TRUE(window->run("lab.show fake"));
  EXPECT_FALSE(panel_visible("panel.Log"));
  EXPECT_TRUE(panel_visible("panel.Parameters"));
  EXPECT_FALSE(panel_visible("panel.fake.Things"));
}

TEST_F(SeveralLabsTest, HelpListsTheKeysOfLabs) {
  ASSERT_TRUE(window->run("help.shortcuts"));
  auto* table = find<QDialog>("shortcuts")->findChild<QTreeWidget*>();
  ASSERT_EQ(table->findItems("lab.show other", Qt::MatchExactly, 1).size(), 1);
  EXPECT_EQ(table->findItems("lab.show other", Qt::MatchExactly, 1)[0]->text(0), "Ctrl+2");
}

TEST_F(SeveralLabsTest, TheWindowClosesWhileBothLabsWork) {
  ASSERT_NO_FATAL_FAILURE(open_both());
  ASSERT_TRUE(window->run("file.open", {file("slow.word", "slow")}));
  ASSERT_TRUE(window->run("file.open", {file("slow.phrase", "slow")}));
  window->close();
  window.reset();
}

}  // namespace
}  // namespace isolume::workbench
