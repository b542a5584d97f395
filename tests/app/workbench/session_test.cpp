// Sessions of two labs in one window: saved, opened elsewhere, with data that moved or changed.
#include "core/sessions/session.h"

#include <QApplication>
#include <QCommandLinkButton>
#include <QFileDialog>
#include <QLineEdit>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>
#include <vtkCamera.h>
#include <vtkRenderer.h>

#include "app/scene/view/view_widget.h"
#include "app/workbench/documents/recent_files.h"
#include "app/workbench/window/main_window.h"
#include "app/workbench/window/session_keeper.h"
#include "tests/app/workbench/two_labs_test.h"

namespace isolume::workbench {
namespace {

class SessionTest : public TwoLabsTest {
 protected:
  /// Both labs with values that are not their defaults; saved as work.isolume.
  void save_work() {
    ASSERT_EQ(run({"file.open " + file("a.word"), "fake.next", "fake.next", "parameter.set isovalue 0.07",
                   "parameter.set title \"two\nlines\"", "file.open " + file("b.phrase"), "other.next",
                   "parameter.set style mesh"}),
              "");
    window->view().renderer()->GetActiveCamera()->SetPosition(1, 2, 30);
    ASSERT_EQ(run({"session.save " + path("work.isolume")}), "");
  }
  void expect_work() {
    ASSERT_NE(fake_made, nullptr);
    ASSERT_NE(other_made, nullptr);
    EXPECT_EQ(fake_made->values.isovalue, 0.07);
    EXPECT_EQ(fake_made->values.title, "two\nlines");
    EXPECT_EQ(fake_made->nexts, 2);
    EXPECT_EQ(other_made->values.style, FakeStyle::mesh);
    EXPECT_EQ(other_made->nexts, 1);
    EXPECT_EQ(&window->lab(), other_made);
    EXPECT_EQ(window->view().renderer()->GetActiveCamera()->GetPosition()[2], 30);
    EXPECT_FALSE(window->undo_stack().canUndo()) << "a session begins with an empty history";
  }
};

TEST_F(SessionTest, BringsBackBothLabsAsTheyWere) {
  ASSERT_NO_FATAL_FAILURE(save_work());
  open_window();
  ASSERT_EQ(run({"file.open " + path("work.isolume")}), "");
  expect_work();
  EXPECT_TRUE(recent_files().contains(QString::fromStdString(path("work.isolume"))));
}

TEST_F(SessionTest, TakesThePlaceOfWhatIsOpen) {
  ASSERT_NO_FATAL_FAILURE(save_work());
  ASSERT_EQ(run({"parameter.set style smooth", "other.next", "session.open " + path("work.isolume")}), "");
  expect_work();
}

TEST_F(SessionTest, IsNotThereToSaveWhileNothingIsOpen) {
  EXPECT_NE(run({"session.save " + path("none.isolume")}).find("Open a file first."), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("none.isolume")));
}

TEST_F(SessionTest, FollowsDataThatWereMovedWithIt) {
  ASSERT_NO_FATAL_FAILURE(save_work());
  std::filesystem::create_directory(path("moved"));
  for (const char* name : {"a.word", "b.phrase", "work.isolume"}) {
    std::filesystem::rename(path(name), path("moved") + "/" + name);
  }
  open_window();
  ASSERT_EQ(run({"session.open " + path("moved") + "/work.isolume"}), "");
  expect_work();
}

TEST_F(SessionTest, AsksWhereMissingDataAreAndTakesTheAnswer) {
  ASSERT_NO_FATAL_FAILURE(save_work());
  std::filesystem::rename(path("a.word"), path("elsewhere.word"));
  open_window();
  const std::string error = run({"session.open " + path("work.isolume")});
  EXPECT_NE(error.find(path("a.word") + ", which was not found"), std::string::npos) << error;
  EXPECT_FALSE(fake_made->is_open);
  auto* dialog = window->findChild<QFileDialog*>("file-dialog");
  ASSERT_NE(dialog, nullptr);
  EXPECT_EQ(dialog->windowTitle(), "Where is a.word?");
  Q_EMIT dialog->fileSelected(QString::fromStdString(path("elsewhere.word")));
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return other_made != nullptr && other_made->nexts == 1 && fake_made->nexts == 2; }, patience_ms));
  EXPECT_EQ(run({}), "");
  expect_work();
}

TEST_F(SessionTest, SaysWhenDataHaveChanged) {
  ASSERT_NO_FATAL_FAILURE(save_work());
  file("a.word", "good day");
  open_window();
  ASSERT_EQ(run({"session.open " + path("work.isolume")}), "");
  expect_work();
  const QString warning = window->labs().front()->front->warning;
  EXPECT_TRUE(warning.contains("a.word has changed since")) << warning.toStdString();
}

TEST_F(SessionTest, LeavesOutWhatTheLabDoesNotKnowAndSaysSo) {
  file("a.word");
  file("odd.isolume",
       R"({"isolume-session":1,"shown":"fake","layout":"","labs":[{"lab":"fake","camera":"",)"
       R"("state":{"nexts":"many"},"parameters":{"isovalue":"0.07","steps":"77","mood":"good"},)"
       R"("data":{"path":")" +
           path("a.word") + R"(","beside":"","bytes":4,"xxh3":""}}]})");
  ASSERT_EQ(run({"session.open " + path("odd.isolume")}), "");
  EXPECT_EQ(fake_made->values.isovalue, 0.07);
  EXPECT_EQ(fake_made->values.steps, 4);
  const QString warning = window->labs().front()->front->warning;
  EXPECT_TRUE(warning.contains("steps")) << warning.toStdString();
  EXPECT_TRUE(warning.contains("mood")) << warning.toStdString();
  EXPECT_TRUE(warning.contains("could not be read")) << warning.toStdString();
}

TEST_F(SessionTest, OpensWithoutTheOneValueThatTheLabRefuses) {
  for (const char* refused : {"forbidden", "poison"}) {
    file("a.word");
    file("odd.isolume",
         R"({"isolume-session":1,"shown":"fake","layout":"","labs":[{"lab":"fake","camera":"",)"
         R"("state":{"nexts":3},"parameters":{"title":")" +
             std::string(refused) + R"(","isovalue":"0.07","steps":"7"},"data":{"path":")" + path("a.word") +
             R"(","beside":"","bytes":4,"xxh3":""}}]})");
    ASSERT_EQ(run({"session.open " + path("odd.isolume")}), "");
    EXPECT_EQ(fake_made->values.isovalue, 0.07);
    EXPECT_EQ(fake_made->values.steps, 7);
    EXPECT_EQ(fake_made->values.title, "nothing");
    EXPECT_EQ(fake_made->nexts, 3) << "the lab's state comes back, too";
    const QString warning = window->labs().front()->front->warning;
    EXPECT_TRUE(warning.contains(QString("title could not be set to %1").arg(refused)))
        << warning.toStdString();
    EXPECT_EQ(warning.count("could not be set"), 1) << warning.toStdString();
    EXPECT_EQ(run({"parameter.set opacity 0.25"}), "");
  }
}

TEST_F(SessionTest, AnErrorInTheFileLeavesWhatIsOpen) {
  ASSERT_EQ(run({"file.open " + file("a.word"), "fake.next"}), "");
  const std::string error = run({"session.open " + file("bad.isolume", "{\"isolume-session\": 7}")});
  EXPECT_NE(error.find("later version"), std::string::npos) << error;
  EXPECT_TRUE(fake_made->is_open);
  EXPECT_EQ(fake_made->nexts, 1);
}

// Saving again.

class SavedAgainTest : public SessionTest {
 protected:
  /// The name that a dialog proposes.
  std::string proposed() {
    auto* dialog = window->findChild<QFileDialog*>("file-dialog");
    if (dialog == nullptr) return "no dialog";
    dialog->setObjectName("");
    const std::string name = dialog->findChild<QLineEdit*>()->text().toStdString();
    dialog->reject();
    return name;
  }
  std::string isovalue_in(const std::string& name) {
    const sessions::Session session = sessions::read_session(path(name));
    for (const auto& [key, value] : session.documents.front().parameters)
      if (key == "isovalue") return value;
    return {};
  }
};

TEST_F(SavedAgainTest, SavesToTheFileThatItWasSavedToOrOpenedFrom) {
  ASSERT_EQ(run({"file.open " + file("a.word"), "session.save"}), "");
  EXPECT_EQ(proposed(), "a.isolume") << "there is no file yet";
  ASSERT_EQ(run({"session.save " + path("work.isolume"), "parameter.set isovalue 0.07", "session.save"}), "");
  EXPECT_EQ(proposed(), "no dialog");
  EXPECT_EQ(isovalue_in("work.isolume"), "0.07");
  open_window();
  ASSERT_EQ(run({"session.open " + path("work.isolume"), "parameter.set isovalue 0.08", "session.save"}), "");
  EXPECT_EQ(isovalue_in("work.isolume"), "0.08");
}

TEST_F(SavedAgainTest, SaveAsAlwaysAsksAndChangesTheFile) {
  ASSERT_EQ(run({"file.open " + file("a.word"), "session.save " + path("work.isolume"), "session.save-as"}),
            "");
  EXPECT_EQ(proposed(), "work.isolume");
  ASSERT_EQ(run({"session.save-as " + path("other.isolume"), "parameter.set isovalue 0.07", "session.save"}),
            "");
  EXPECT_EQ(isovalue_in("work.isolume"), "0.03");
  EXPECT_EQ(isovalue_in("other.isolume"), "0.07");
}

TEST_F(SavedAgainTest, WithoutDocumentsTheFileIsForgotten) {
  ASSERT_EQ(run({"file.open " + file("a.word"), "session.save " + path("work.isolume"), "document.close",
                 "file.open " + file("b.word"), "session.save"}),
            "");
  EXPECT_EQ(proposed(), "b.isolume");
}

// Closing the window.

class ClosedWindowTest : public SessionTest {
 protected:
  ClosedWindowTest() {
    window.reset();
    std::filesystem::remove_all(sessions());
    open_window();
  }
  ~ClosedWindowTest() override {
    window.reset();
    std::filesystem::remove_all(sessions());
  }
  void close_window() {
    ASSERT_TRUE(window->close());
    open_window();
  }
  /// The text of the welcome page's offer; empty: there is none.
  QString offer() {
    const auto* tile = window->findChild<QCommandLinkButton*>("welcome.restore");
    return QTest::qWaitFor([&] { return tile->isVisible(); }, 1000) ? tile->description() : QString();
  }
};

TEST_F(ClosedWindowTest, WhatNoFileHoldsIsOfferedAtTheNextStart) {
  ASSERT_EQ(run({"file.open " + file("a.word"), "fake.next", "parameter.set isovalue 0.07"}), "");
  ASSERT_NO_FATAL_FAILURE(close_window());
  const QString text = offer();
  EXPECT_TRUE(text.startsWith("What was open when Isolume was closed: a.word")) << text.toStdString();
  ASSERT_EQ(run({"session.restore"}), "");
  EXPECT_EQ(fake_made->values.isovalue, 0.07);
  EXPECT_EQ(fake_made->nexts, 1);
}

TEST_F(ClosedWindowTest, TheNextOneThatIsKeptReplacesIt) {
  for (const char* name : {"a.word", "b.word"}) {
    ASSERT_EQ(run({"file.open " + file(name), "parameter.set isovalue 0.07"}), "");
    ASSERT_NO_FATAL_FAILURE(close_window());
  }
  EXPECT_TRUE(offer().contains("b.word"));
  const std::filesystem::directory_iterator kept(sessions());
  EXPECT_EQ(std::count_if(begin(kept), end(kept),
                          [](const auto& each) { return each.path().extension() == ".isolume"; }),
            1);
}

TEST_F(ClosedWindowTest, WhatAFileHoldsIsNotKept) {
  ASSERT_EQ(run({"file.open " + file("a.word"), "parameter.set isovalue 0.07",
                 "session.save " + path("work.isolume")}),
            "");
  ASSERT_NO_FATAL_FAILURE(close_window());
  EXPECT_EQ(offer(), "");
}

/// Once an opened document has come to rest, nothing is offered unless it changes.
TEST_F(ClosedWindowTest, WhatWasOnlyOpenedIsNotKept) {
  const auto rest = [this] {
    EXPECT_TRUE(QTest::qWaitFor([] { return !std::filesystem::is_empty(sessions()); }, patience_ms));
    EXPECT_TRUE(QTest::qWaitFor([this] { return window->sessions().unchanged(); }, patience_ms));
  };
  std::filesystem::create_directories(sessions());
  ASSERT_EQ(run({"file.open " + file("a.word")}), "");
  rest();
  ASSERT_NO_FATAL_FAILURE(close_window());
  EXPECT_EQ(offer(), "") << "a file";
  ASSERT_EQ(run({"file.open " + file("a.word"), "fake.next", "session.save " + path("work.isolume")}), "");
  ASSERT_NO_FATAL_FAILURE(close_window());
  ASSERT_EQ(run({"session.open " + path("work.isolume")}), "");
  rest();
  ASSERT_NO_FATAL_FAILURE(close_window());
  EXPECT_EQ(offer(), "") << "a session";
  ASSERT_EQ(run({"session.open " + path("work.isolume")}), "");
  rest();
  ASSERT_EQ(run({"fake.next"}), "");
  ASSERT_NO_FATAL_FAILURE(close_window());
  EXPECT_NE(offer(), "") << "a state without parameters and steps of undo";
  ASSERT_EQ(run({"session.restore"}), "");
  ASSERT_NO_FATAL_FAILURE(close_window());
  EXPECT_NE(offer(), "") << "what was restored is still in no file";
}

TEST_F(ClosedWindowTest, ACameraThatNoFileHoldsIsKept) {
  ASSERT_EQ(run({"file.open " + file("a.word"), "session.save " + path("work.isolume")}), "");
  window->view().renderer()->GetActiveCamera()->SetPosition(1, 2, 30);
  ASSERT_NO_FATAL_FAILURE(close_window());
  ASSERT_NE(offer(), "");
  ASSERT_EQ(run({"session.restore"}), "");
  EXPECT_EQ(window->view().renderer()->GetActiveCamera()->GetPosition()[2], 30);
}

}  // namespace
}  // namespace isolume::workbench
