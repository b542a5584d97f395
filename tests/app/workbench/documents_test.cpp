// Several documents of one lab in one window: tabs, what each keeps, closing, sessions and scripts.
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QPointer>
#include <QSettings>
#include <QSignalSpy>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include <gtest/gtest.h>
#include <vtkCamera.h>
#include <vtkRenderer.h>

#include "app/scene/view/view_widget.h"
#include "app/workbench/documents/document_tabs.h"
#include "app/workbench/window/main_window.h"
#include "tests/app/workbench/two_labs_test.h"

namespace isolume::workbench {
namespace {

class DocumentsTest : public TwoLabsTest {
 protected:
  /// The shown document's.
  FakeLab& fake() { return dynamic_cast<FakeLab&>(window->lab()); }
  QTabBar& tabs() { return *window->findChild<QTabBar*>("document-tabs"); }
  std::vector<std::string> captions() {
    std::vector<std::string> all;
    for (int i = 0; i < tabs().count(); ++i) all.push_back(tabs().tabText(i).toStdString());
    return all;
  }
  void open_two() {
    ASSERT_EQ(run({"file.open " + file("a.word"), "file.open beside " + file("b.word")}), "");
    ASSERT_EQ(captions(), (std::vector<std::string>{"a.word", "b.word"}));
    ASSERT_EQ(window->document().title, "b.word");
  }
  /// Three documents of one lab and one of the other, each with values of its own; the second one is shown.
  void save_work() {
    ASSERT_NO_FATAL_FAILURE(open_two());
    ASSERT_EQ(run({"fake.next", "parameter.set isovalue 0.07", "file.open beside " + file("c.word"),
                   "parameter.set steps 9", "file.open " + file("d.phrase"), "other.next", "lab.show fake",
                   "document.show a.word", "parameter.set title first", "document.show 2"}),
              "");
    window->view().renderer()->GetActiveCamera()->SetPosition(1, 2, 30);
    ASSERT_EQ(run({"session.save " + path("work.isolume")}), "");
  }
  void expect_work() {
    ASSERT_EQ(captions(), (std::vector<std::string>{"a.word", "b.word", "c.word"}));
    ASSERT_EQ(window->document().title, "b.word");
    EXPECT_EQ(fake().values.isovalue, 0.07);
    EXPECT_EQ(fake().nexts, 1);
    EXPECT_EQ(window->view().renderer()->GetActiveCamera()->GetPosition()[2], 30);
    ASSERT_EQ(run({"document.show 1"}), "");
    EXPECT_EQ(fake().values.title, "first");
    EXPECT_EQ(fake().values.isovalue, 0.03);
    EXPECT_EQ(fake().nexts, 0);
    EXPECT_FALSE(window->undo_stack().canUndo()) << "a session begins with an empty history";
    ASSERT_EQ(run({"document.show c.word"}), "");
    EXPECT_EQ(fake().values.steps, 9);
    ASSERT_EQ(run({"lab.show other"}), "");
    EXPECT_EQ(fake().nexts, 1);
  }
};

TEST_F(DocumentsTest, EachHasItsParametersUndoCommandsAndPanels) {
  ASSERT_NO_FATAL_FAILURE(open_two());
  EXPECT_TRUE(tabs().isVisible());
  FakeLab& second = fake();
  auto* dock = window->findChild<QDockWidget*>("panel.fake.Things");
  const QPointer<QWidget> panel = dock->widget();
  ASSERT_EQ(run({"parameter.set isovalue 0.07", "fake.next", "document.show 1"}), "");
  FakeLab& first = fake();
  ASSERT_NE(&first, &second);
  EXPECT_NE(dock->widget(), panel);
  EXPECT_TRUE(dock->widget()->isVisible());
  EXPECT_FALSE(panel->isVisible());
  EXPECT_EQ(window->windowTitle(), "a.word - Isolume");
  EXPECT_EQ(first.values.isovalue, 0.03);
  EXPECT_EQ(first.nexts, 0);
  EXPECT_FALSE(window->undo_stack().canUndo()) << "what was done is the other one's to undo";
  ASSERT_EQ(run({"parameter.set steps 7", "fake.next", "fake.next", "edit.undo"}), "");
  EXPECT_EQ(first.values.steps, 4);
  EXPECT_EQ(second.values.isovalue, 0.07);
  EXPECT_EQ(first.nexts, 2);
  EXPECT_EQ(second.nexts, 1);
  ASSERT_EQ(run({"document.show b.word", "edit.undo"}), "");
  EXPECT_EQ(&fake(), &second);
  EXPECT_EQ(second.values.isovalue, 0.03);
  EXPECT_EQ(dock->widget(), panel);
}

TEST_F(DocumentsTest, ASecondFileTakesThePlaceOfTheFirstWithoutTheWord) {
  ASSERT_EQ(run({"file.open " + file("a.word"), "file.open " + file("b.word")}), "");
  EXPECT_FALSE(tabs().isVisible());
  EXPECT_EQ(window->labs().front()->documents.size(), 1U);
}

TEST_F(DocumentsTest, BesideNothingIsInItsPlace) {
  ASSERT_EQ(run({"file.open beside " + file("a.word")}), "");
  EXPECT_FALSE(tabs().isVisible());
  EXPECT_EQ(window->labs().front()->documents.size(), 1U);
}

TEST_F(DocumentsTest, KeysGoRoundAndClose) {
  ASSERT_NO_FATAL_FAILURE(open_two());
  ASSERT_EQ(run({"file.open beside " + file("c.word")}), "");
  const auto press = [&](Qt::Key key, Qt::KeyboardModifiers modifiers) {
    QTest::keyClick(window.get(), key, modifiers);
    return window->document().title.toStdString();
  };
  EXPECT_EQ(press(Qt::Key_Tab, Qt::ControlModifier), "a.word");
  EXPECT_EQ(press(Qt::Key_Tab, Qt::ControlModifier), "b.word");
  EXPECT_EQ(press(Qt::Key_Backtab, Qt::ControlModifier | Qt::ShiftModifier), "a.word");
  EXPECT_EQ(press(Qt::Key_Backtab, Qt::ControlModifier | Qt::ShiftModifier), "c.word");
  EXPECT_EQ(press(Qt::Key_W, Qt::ControlModifier), "b.word");
  EXPECT_EQ(captions(), (std::vector<std::string>{"a.word", "b.word"}));
  EXPECT_EQ(press(Qt::Key_W, Qt::ControlModifier), "a.word");
  EXPECT_FALSE(tabs().isVisible());
  press(Qt::Key_W, Qt::ControlModifier);
  EXPECT_FALSE(window->has_document());
  EXPECT_TRUE(window->findChild<QWidget*>("welcome-page")->isVisible());
  EXPECT_FALSE(window->findChild<QAction*>("document.close")->isEnabled());
  ASSERT_EQ(run({"file.open " + path("b.word"), "fake.next"}), "");
  EXPECT_EQ(fake().nexts, 1);
}

TEST(DocumentNames, OfEqualCaptionsHaveTheFoldersThatDistinguishThem) {
  EXPECT_EQ(distinct_names({{"run.hdf5", "/data/cold/a/run.hdf5"},
                            {"other.hdf5", "/data/cold/a/other.hdf5"},
                            {"run.hdf5", "/data/warm/a/run.hdf5"},
                            {"run.hdf5", "/data/warm/a/run.hdf5"},
                            {"Solar system", ""},
                            {"Solar system", ""}}),
            (std::vector<QString>{"run.hdf5 (cold/a)", "other.hdf5", "run.hdf5 (warm/a)",
                                  "run.hdf5 (warm/a) (2)", "Solar system", "Solar system (2)"}));
}

TEST(DocumentNames, AreShortenedToWhatDistinguishesThem) {
  EXPECT_EQ(shortened({"benzene.fchk.gz", "a_long_name_of_a_molecule.molden"}, 16),
            (std::vector<QString>{"benzene.fchk.gz", "a_long_…e.molden"}));
  EXPECT_EQ(shortened({"protein_at_ph_7.0_with_salt.pqr", "protein_at_ph_4.5_with_salt.pqr"}, 16),
            (std::vector<QString>{"…7.0_with_salt.…", "…4.5_with_salt.…"}));
  EXPECT_EQ(shortened({"a_galaxy_with_a_long_name (cold)", "a_galaxy_with_a_long_name (warm)"}, 12).back(),
            "a_gal…(warm)");
}

TEST_F(DocumentsTest, FiveTabsOfOneNameAndTwentyOfLongNamesCanBeToldApart) {
  window->resize(1280, 800);
  const std::vector<std::string> places{"one", "two", "three", "four", "five"};
  for (const std::string& place : places) {
    std::filesystem::create_directory(path(place));
    ASSERT_EQ(run({"file.open beside " + file(place + "/result.word")}), "");
  }
  const auto five = captions();
  ASSERT_EQ(five.size(), places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    EXPECT_TRUE(five[i].ends_with("(" + places[i] + ")")) << five[i];
  for (int i = 6; i <= 20; ++i)
    ASSERT_EQ(
        run({"file.open beside " + file("calculation_of_the_same_kind_" + std::to_string(i) + ".word")}), "");
  const auto all = captions();
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 20U);
  for (int i = 0; i < tabs().count(); ++i)
    EXPECT_GE(tabs().tabRect(i).width(), tabs().fontMetrics().horizontalAdvance(tabs().tabText(i)))
        << all[static_cast<std::size_t>(i)];
}

TEST_F(DocumentsTest, TabsAreChosenAndClosedByMouse) {
  ASSERT_NO_FATAL_FAILURE(open_two());
  QTest::mouseClick(&tabs(), Qt::LeftButton, {}, tabs().tabRect(0).center());
  EXPECT_EQ(window->document().title, "a.word");
  const QPointer<QWidget> view = &window->view();
  QTest::mouseClick(&tabs(), Qt::MiddleButton, {}, tabs().tabRect(0).center());
  EXPECT_EQ(window->document().title, "b.word");
  EXPECT_TRUE(QTest::qWaitFor([&] { return view.isNull(); }, patience_ms)) << "what is closed is gone";
  ASSERT_EQ(run({"file.open beside " + file("c.word")}), "");
  auto* button = tabs().tabButton(0, QTabBar::RightSide);
  ASSERT_NE(button, nullptr);
  QTest::mouseClick(button, Qt::LeftButton);
  EXPECT_EQ(window->document().title, "c.word");
  EXPECT_FALSE(tabs().isVisible());
}

TEST_F(DocumentsTest, ClosingCancelsItsWorkAndLeavesThatOfOthers) {
  ASSERT_NO_FATAL_FAILURE(open_two());
  // What works until the window is closed outlives this scope.
  struct Watched {
    std::atomic<int> ended = 0;
    std::atomic<bool> may_end = false;
  };
  const auto watched = std::make_shared<Watched>();
  const auto work = [watched](const jobs::Progress& progress) {
    while (!progress.cancelled() || !watched->may_end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++watched->ended;
  };
  fake().context().jobs.submit("Work", "fake.work", work);
  const QPointer<QWidget> view = &window->view();
  ASSERT_EQ(run({"document.show 1"}), "");
  fake().context().jobs.submit("Work", "fake.work", work);
  ASSERT_TRUE(window->run("document.close 2"));  // returns although the work cannot end yet
  EXPECT_FALSE(view.isNull()) << "as long as it works for it";
  watched->may_end = true;
  ASSERT_TRUE(QTest::qWaitFor([&] { return view.isNull(); }, patience_ms));
  EXPECT_EQ(watched->ended, 1);
  // Once memory is returned, too, which nobody waits for.
  EXPECT_TRUE(QTest::qWaitFor([&] { return window->jobs().active().size() == 1; }, patience_ms));
}

TEST_F(DocumentsTest, AFileThatCannotBeOpenedLeavesNoTab) {
  ASSERT_EQ(run({"file.open " + file("a.word")}), "");
  for (int i = 0; i < 3; ++i) EXPECT_NE(run({"file.open beside " + file("bad.word", "rubbish")}), "");
  EXPECT_TRUE(window->error_text().contains("bad.word:1"));
  EXPECT_EQ(window->document().title, "a.word");
  EXPECT_FALSE(tabs().isVisible());
  EXPECT_LE(window->labs().front()->documents.size(), 2U) << "what failed is used again";
  ASSERT_EQ(run({"file.open beside " + file("b.word")}), "");
  EXPECT_EQ(captions(), (std::vector<std::string>{"a.word", "b.word"}));
}

TEST_F(DocumentsTest, AFileDroppedWithControlOpensBeside) {
  ASSERT_EQ(run({"file.open " + file("a.word")}), "");
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(QString::fromStdString(file("b.word")))});
  QSignalSpy opened(window.get(), &MainWindow::document_opened);
  QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::ControlModifier);
  QApplication::sendEvent(window.get(), &enter);
  QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::ControlModifier);
  QApplication::sendEvent(window.get(), &drop);
  ASSERT_TRUE(opened.wait(patience_ms));
  EXPECT_EQ(captions(), (std::vector<std::string>{"a.word", "b.word"}));
}

TEST_F(DocumentsTest, TheListTellsAllLabs) {
  ASSERT_NO_FATAL_FAILURE(open_two());
  ASSERT_EQ(run({"file.open " + file("d.phrase"), "lab.show fake", "document.show 1"}), "");
  const auto list = window->commands().run("document.list");
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0], (nlohmann::json{{"lab", "fake"},
                                     {"number", 1},
                                     {"name", "a.word"},
                                     {"path", path("a.word")},
                                     {"front", true},
                                     {"shown", true}}));
  EXPECT_EQ(list[1]["shown"], false);
  EXPECT_EQ(list[2]["lab"], "other");
  EXPECT_EQ(list[2]["number"], 1);
  EXPECT_EQ(list[2]["front"], true);
}

TEST_F(DocumentsTest, UnknownDocumentsAreRefusedWithTheNamesOfTheOthers) {
  ASSERT_NO_FATAL_FAILURE(open_two());
  for (const char* wrong : {"3", "0", "c.word"}) {
    EXPECT_FALSE(window->run(std::string("document.show ") + wrong));
    EXPECT_TRUE(window->error_text().contains("the documents of the Fake lab are a.word, b.word")) << wrong;
  }
  ASSERT_EQ(run({"document.close a.word"}), "");
  EXPECT_FALSE(window->run("document.next"));
  EXPECT_TRUE(window->error_text().contains("No other document is open in this lab."));
}

TEST_F(DocumentsTest, OnlyTheShownOneIsToldThatItIs) {
  ASSERT_NO_FATAL_FAILURE(open_two());
  FakeLab& second = fake();
  ASSERT_EQ(run({"document.show 1"}), "");
  EXPECT_EQ(second.shown_changes, (std::vector<bool>{true, false}));
  EXPECT_EQ(fake().shown_changes, (std::vector<bool>{false, true}));
  ASSERT_EQ(run({"lab.show other"}), "");
  EXPECT_EQ(second.shown_changes.size(), 2U);
}

TEST_F(DocumentsTest, ASessionBringsAllBackAndOpensThemWhenTheyAreShown) {
  ASSERT_NO_FATAL_FAILURE(save_work());
  open_window();
  ASSERT_EQ(run({"session.open " + path("work.isolume")}), "");
  const auto& documents = window->labs().front()->documents;
  ASSERT_EQ(documents.size(), 3U);
  EXPECT_EQ(documents[0]->lab, nullptr) << "nothing is made or computed before it is shown";
  EXPECT_EQ(documents[2]->lab, nullptr);
  expect_work();
}

TEST_F(DocumentsTest, DocumentsThatWaitAreSavedAsTheyAre) {
  ASSERT_NO_FATAL_FAILURE(save_work());
  open_window();
  ASSERT_EQ(run({"session.open " + path("work.isolume"), "session.save " + path("again.isolume")}), "");
  open_window();
  ASSERT_EQ(run({"session.open " + path("again.isolume")}), "");
  expect_work();
}

TEST_F(DocumentsTest, ASessionTakesThePlaceOfAllDocumentsOfItsLabs) {
  ASSERT_NO_FATAL_FAILURE(save_work());
  ASSERT_EQ(run({"file.open beside " + file("e.word"), "parameter.set isovalue 0.5", "document.show 1",
                 "parameter.set title other", "session.open " + path("work.isolume")}),
            "");
  expect_work();
}

TEST_F(DocumentsTest, MissingDataOfASecondDocumentAreLocatedByItsNumber) {
  ASSERT_NO_FATAL_FAILURE(save_work());
  std::filesystem::rename(path("b.word"), path("elsewhere.word"));
  open_window();
  const std::string error = run({"session.open " + path("work.isolume")});
  EXPECT_NE(error.find("fake.2=PATH"), std::string::npos) << error;
  ASSERT_EQ(run({"session.open " + path("work.isolume") + " fake.2=" + path("elsewhere.word")}), "");
  EXPECT_EQ(captions(), (std::vector<std::string>{"a.word", "elsewhere.word", "c.word"}));
  EXPECT_EQ(fake().values.isovalue, 0.07);
}

TEST_F(DocumentsTest, AWaitingDocumentThatCannotBeOpenedSaysSoAndKeepsItsState) {
  ASSERT_NO_FATAL_FAILURE(save_work());
  file("a.word", "rubbish");
  open_window();
  ASSERT_EQ(run({"session.open " + path("work.isolume")}), "");
  EXPECT_NE(run({"document.show 1"}), "");
  EXPECT_TRUE(window->error_text().contains("a.word:1")) << window->error_text().toStdString();
  EXPECT_EQ(run({"session.save " + path("work.isolume")}), "");
  file("a.word");
  open_window();
  ASSERT_EQ(run({"session.open " + path("work.isolume")}), "");
  EXPECT_EQ(window->document().title, "a.word") << "it was shown when the session was saved";
  EXPECT_EQ(fake().values.title, "first");
}

TEST_F(DocumentsTest, ARecordedScriptOverTwoDocumentsEndsInTheSameState) {
  ASSERT_EQ(run({"script.record"}), "");
  ASSERT_NO_FATAL_FAILURE(open_two());
  window->run("parameter.set isovalue 0.07");
  QTest::mouseClick(&tabs(), Qt::LeftButton, {}, tabs().tabRect(0).center());
  window->run("parameter.set steps 7");
  window->run("fake.next");
  QTest::keyClick(window.get(), Qt::Key_Tab, Qt::ControlModifier);
  window->run("edit.undo");
  window->run("parameter.set opacity 0.25");
  ASSERT_EQ(run({"script.stop", "script.save " + path("both.isoscript")}), "");
  open_window();
  ASSERT_EQ(run({"script.run " + path("both.isoscript")}), "");
  EXPECT_EQ(captions(), (std::vector<std::string>{"a.word", "b.word"}));
  EXPECT_EQ(window->document().title, "b.word");
  EXPECT_EQ(fake().values.isovalue, 0.03);
  EXPECT_EQ(fake().values.opacity, 0.25);
  ASSERT_EQ(run({"document.previous"}), "");
  EXPECT_EQ(fake().values.steps, 7);
  EXPECT_EQ(fake().nexts, 1);
}

TEST_F(DocumentsTest, AStatusGoesWithWhatItToldOf) {
  ASSERT_NO_FATAL_FAILURE(open_two());
  const auto status = [&] { return window->findChild<QLabel*>("status")->text(); };
  ASSERT_EQ(run({"parameter.set isovalue 0.07"}), "");
  fake().context().show_status("isovalue 0.07");
  ASSERT_EQ(run({"parameter.set steps 9"}), "");
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(status(), "isovalue 0.07") << "what it tells of is still shown";
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(status(), "");
}

TEST_F(DocumentsTest, TwentyTabsCanBeRead) {
  ASSERT_EQ(run({"file.open " + file("number-00.word")}), "");
  for (int i = 1; i < 20; ++i)
    ASSERT_EQ(run({"file.open beside " + file("number-" + std::to_string(i) + ".word")}), "");
  ASSERT_EQ(tabs().count(), 20);
  const int needed = tabs().fontMetrics().horizontalAdvance("number-19.word");
  for (int i = 0; i < tabs().count(); ++i) EXPECT_GE(tabs().tabRect(i).width(), needed) << i;
}

}  // namespace
}  // namespace isolume::workbench
