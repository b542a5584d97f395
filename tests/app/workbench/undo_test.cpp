// What undo gives back, and which status lines stay.
#include <QLabel>
#include <QSlider>
#include <QUndoStack>
#include <QUndoView>

#include "app/workbench/parameters/number_box.h"
#include "tests/app/workbench/two_labs_test.h"

namespace isolume::workbench {
namespace {

class UndoTest : public TwoLabsTest {
 protected:
  void SetUp() override { ASSERT_EQ(run({"file.open " + file("a.word")}), ""); }
  QString status() const { return window->findChild<QLabel*>("status")->text(); }
  const FakeParameters& values() const { return fake_made->values; }
  int steps() { return window->undo_stack().count(); }
};

TEST_F(UndoTest, WhatTheLabChangesBecauseOfAValueIsTheSameStep) {
  ASSERT_EQ(run({"parameter.set opacity 0.25", "parameter.set title \"all mesh\""}), "");
  EXPECT_EQ(values().style, FakeStyle::mesh);
  EXPECT_EQ(steps(), 2);
  EXPECT_EQ(window->undo_stack().undoText(), "Title: nothing → all mesh");
  for (int times = 0; times < 2; ++times) {
    ASSERT_EQ(run({"edit.undo"}), "");
    EXPECT_EQ(values().title, "nothing");
    EXPECT_EQ(values().style, FakeStyle::smooth);
    ASSERT_EQ(run({"edit.redo"}), "");
    EXPECT_EQ(values().title, "all mesh");
    EXPECT_EQ(values().style, FakeStyle::mesh);
  }
  EXPECT_EQ(steps(), 2) << "nothing is pushed while another step is redone";
  ASSERT_EQ(run({"edit.undo", "edit.undo"}), "");
  EXPECT_EQ(values().opacity, 0.5);
}

TEST_F(UndoTest, WhereAValueIsRefusedTheOthersAreTakenBackToo) {
  EXPECT_NE(run({"parameter.set title \"mesh poison\""}), "");
  EXPECT_EQ(values().title, "nothing");
  EXPECT_EQ(values().style, FakeStyle::smooth);
  EXPECT_EQ(steps(), 0);
}

TEST_F(UndoTest, ADragThatChangesAnotherParameterIsOneStep) {
  auto* slider = window->findChild<QSlider*>("steps.slider");
  ASSERT_EQ(run({"parameter.set style mesh"}), "");
  const QPoint handle(slider->width() * 3 / 8, slider->height() / 2);
  QTest::mousePress(slider, Qt::LeftButton, {}, handle);
  ASSERT_TRUE(slider->isSliderDown());
  for (int at = 4; at <= 8; ++at) QTest::mouseMove(slider, QPoint(slider->width() * at / 8 - 2, handle.y()));
  QTest::mouseRelease(slider, Qt::LeftButton, {}, QPoint(slider->width() - 2, handle.y()));
  EXPECT_EQ(values().steps, 9);
  EXPECT_FALSE(values().atoms) << "as more than six steps have none";
  EXPECT_EQ(steps(), 2);
  EXPECT_EQ(window->undo_stack().undoText(), "Steps: 4 → 9") << "from before the drag to its end";
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(values().steps, 4);
  EXPECT_TRUE(values().atoms);
  ASSERT_EQ(run({"edit.redo"}), "");
  EXPECT_EQ(values().steps, 9);
  EXPECT_FALSE(values().atoms);
}

TEST_F(UndoTest, EveryStepOfAGestureHasAText) {
  window->history().begin_gesture();
  ASSERT_EQ(run({"parameter.set opacity 0.25", "parameter.set steps 5", "parameter.set steps 6"}), "");
  window->history().end_gesture();
  ASSERT_EQ(steps(), 2);
  EXPECT_EQ(window->undo_stack().text(0), "Opacity: 0.5 → 0.25");
  EXPECT_EQ(window->undo_stack().text(1), "Steps: 4 → 6");
}

TEST_F(UndoTest, AValueThatGoesWithAChoiceComesBackWithIt) {
  ASSERT_EQ(run({"parameter.set style mesh", "parameter.set isovalue 0.07", "parameter.set style smooth"}),
            "");
  fake_made->values.isovalue = 0.2;  // it follows what is shown
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(values().style, FakeStyle::mesh);
  EXPECT_EQ(values().isovalue, 0.07);
}

TEST_F(UndoTest, AFailedExportLeavesNoOlderSuccessStanding) {
  fake_made->on_export = [this](const auto& to) {
    if (to.extension() == ".bad") throw Error("The disk is full.");
    fake_made->context().show_status("Written: " + QString::fromStdString(to.string()));
  };
  ASSERT_EQ(run({"file.export " + path("one.cube")}), "");
  EXPECT_TRUE(status().startsWith("Written")) << status().toStdString();
  EXPECT_FALSE(window->run("file.export", {path("two.bad")}));
  EXPECT_EQ(status(), "");
  ASSERT_EQ(run({"file.export " + path("three.cube")}), "");
  EXPECT_TRUE(status().contains("three.cube")) << status().toStdString();
  EXPECT_NE(run({"file.export " + path("four.bad")}), "");
  EXPECT_EQ(status(), "");
  fake_made->context().show_status("all is well");
  EXPECT_FALSE(window->run("file.export", {path("five.bad")}));
  EXPECT_EQ(status(), "all is well") << "it tells of what is shown";
}

TEST_F(UndoTest, TheNextStepBringsBackTheStatusThatAWrittenFileReplaced) {
  fake_made->on_export = [this](const auto& to) {
    fake_made->context().show_status("Written: " + QString::fromStdString(to.string()));
  };
  ASSERT_EQ(run({"parameter.set steps 5"}), "");
  fake_made->context().show_status("five steps");
  ASSERT_EQ(run({"file.export " + path("one.cube"), "file.export " + path("two.cube")}), "");
  EXPECT_TRUE(status().startsWith("Written")) << status().toStdString();
  ASSERT_EQ(run({"parameter.set atoms false"}), "");
  EXPECT_EQ(status(), "five steps");
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(status(), "five steps") << "what it describes is still shown";
  ASSERT_EQ(run({"file.export " + path("three.cube"), "edit.undo"}), "");
  EXPECT_EQ(status(), "") << "what it told of is undone";
}

TEST_F(UndoTest, TheHistoryPanelClearsTheStatusOfAStepAsTheKeysDo) {
  for (const bool by_panel : {false, true}) {
    ASSERT_EQ(run({"parameter.set steps 5"}), "");
    fake_made->context().show_status("five steps");
    if (by_panel) {
      auto* panel = window->findChild<QUndoView*>();
      ASSERT_NE(panel, nullptr);
      ASSERT_EQ(run({"view.panel history"}), "");
      panel->setCurrentIndex(panel->model()->index(0, 0));
    } else {
      QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    }
    EXPECT_EQ(values().steps, 4);
    EXPECT_EQ(status(), "") << by_panel;
  }
}

}  // namespace
}  // namespace isolume::workbench
