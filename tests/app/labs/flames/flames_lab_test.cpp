// The lab in a window: pictures, triangles dragged with the mouse, undo, playback, files, session.
#include <QAction>
#include <QImage>
#include <QTest>
#include <QUndoStack>
#include <QWheelEvent>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "app/workbench/exports/screenshot.h"
#include "core/flames/flame_file.h"
#include "core/flames/game.h"
#include "core/flames/triangles.h"
#include "tests/app/lab_window_test.h"

namespace isolume::labs::flames {

workbench::LabEntry lab_entry();

namespace {

using namespace isolume::flames;

class FlamesLabTest : public LabWindowTest {
 protected:
  FlamesLabTest() : LabWindowTest({lab_entry()}) {}
  void SetUp() override {
    write_flames(std::array{gasket()}, path("gasket.flame"));
    ASSERT_EQ(run({"file.open " + path("gasket.flame"), "parameter.set quality 10"}), "");
    view = window->findChild<QWidget*>("flames.view");
    ASSERT_NE(view, nullptr);
    ASSERT_TRUE(finished());
  }
  bool finished() {
    return QTest::qWaitFor([&] { return status().find("finished") != std::string::npos; }, patience_ms);
  }
  double number(const char* key) { return std::get<double>(window->lab().parameters()->get(key)); }
  /// Where a point of the plane is shown, for the view that the parameters give.
  QPoint shown(double x, double y) {
    View shape;
    shape.x = number("centre-x");
    shape.y = number("centre-y");
    shape.scale = number("scale");
    const PlanePoint at = image(to_pixels(resized(shape, view->width(), view->height())), {x, y});
    return QPointF(at.x, at.y).toPoint();
  }
  void drag(QPoint from, QPoint to) {
    QTest::mousePress(view, Qt::LeftButton, {}, from);
    QTest::mouseMove(view, (from + to) / 2);
    QTest::mouseMove(view, to);
    QTest::mouseRelease(view, Qt::LeftButton, {}, to);
  }
  /// The picture without triangles.
  QImage exported(const char* name) {
    EXPECT_EQ(run({"file.export-image " + path(name) + " 320x200"}), "");
    return QImage(QString::fromStdString(path(name)));
  }
  /// Part of the pixels that are brighter than black.
  static double lit(const QImage& picture) {
    int count = 0;
    for (int y = 0; y < picture.height(); ++y) {
      for (int x = 0; x < picture.width(); ++x) count += qGray(picture.pixel(x, y)) > 8 ? 1 : 0;
    }
    return static_cast<double>(count) / (picture.width() * picture.height());
  }

  QWidget* view = nullptr;
};

TEST_F(FlamesLabTest, ShowsTheGasketWithItsTriangles) {
  EXPECT_EQ(window->windowTitle(), "Sierpinski gasket - Isolume");
  const QImage picture = exported("gasket.png");
  ASSERT_EQ(picture.size(), QSize(320, 200));
  // The largest hole of the gasket, and its corner at (0, 0), at 175 pixels a unit.
  EXPECT_EQ(qGray(picture.pixel(160 + 10, 100 + 10)), 0);
  EXPECT_GT(qGray(picture.pixel(160 - 85, 100 - 85)), 20);
  // 175^1.585 = 3,600 of 64,000 pixels, and those that its edges touch.
  EXPECT_GT(lit(picture), 0.056);
  EXPECT_LT(lit(picture), 0.15);
  // Triangles are in the window: white at the corner O of the first.
  const QImage screen = view->grab().toImage();
  EXPECT_GT(qGray(screen.pixel(shown(0, 0) * screen.devicePixelRatio())), 200);
}

TEST_F(FlamesLabTest, ADraggedCornerChangesTheMapAndIsOneStepOfUndo) {
  const QImage before = exported("before.png");
  const int steps = window->undo_stack().count();
  drag(shown(0.5, 0), shown(0.62, 0.1));  // the corner X of the first function
  EXPECT_NEAR(number("map-a"), 0.62, 0.01);
  EXPECT_NEAR(number("map-d"), 0.1, 0.01);
  EXPECT_EQ(number("map-c"), 0);
  EXPECT_EQ(window->undo_stack().count(), steps + 1);
  const QImage after = exported("after.png");
  EXPECT_NE(after, before);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(number("map-a"), 0.5);
  EXPECT_EQ(exported("undone.png"), before);
  ASSERT_EQ(run({"edit.redo"}), "");
  EXPECT_EQ(exported("redone.png"), after);
}

TEST_F(FlamesLabTest, AnotherTriangleIsChosenByAClickAndMovedFromInside) {
  drag(shown(0.65, 0.15), shown(0.75, 0.25));
  EXPECT_EQ(value("function"), "2");
  EXPECT_NEAR(number("map-c"), 0.6, 0.01);
  EXPECT_NEAR(number("map-f"), 0.1, 0.01);
  EXPECT_EQ(number("map-a"), 0.5);
}

TEST_F(FlamesLabTest, DraggingThePictureAndTheWheelChangeTheView) {
  const QPoint from(5, 5), by(40, 25);
  drag(from, from + by);
  const double scale = 700 * std::min(view->width() / 1280.0, view->height() / 800.0);
  EXPECT_NEAR(number("centre-x"), 0.5 - by.x() / scale, 1e-9);
  EXPECT_NEAR(number("centre-y"), 0.5 - by.y() / scale, 1e-9);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(number("centre-x"), 0.5);
  for (int i = 0; i < 2; ++i) {
    QWheelEvent wheel(QPointF(view->rect().center()), view->mapToGlobal(QPointF(view->rect().center())), {},
                      {0, 240}, {}, {}, Qt::NoScrollPhase, false);
    QApplication::sendEvent(view, &wheel);
  }
  EXPECT_NEAR(number("scale"), 1400, 1e-6);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_NEAR(number("scale"), 700, 1e-9) << "both steps of the wheel";
}

TEST_F(FlamesLabTest, WhatTheMouseDoesIsRecordedAsCommands) {
  ASSERT_EQ(run({"script.record"}), "");
  drag(shown(0.5, 0), shown(0.62, 0.1));
  const QImage dragged_picture = exported("dragged.png");
  ASSERT_EQ(run({"script.stop"}), "");
  const auto lines = window->recorder().lines();
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines.front().starts_with("flames.map.set 1 0.6")) << lines.front();
  ASSERT_EQ(run({"edit.undo", lines.front()}), "");
  EXPECT_EQ(exported("replayed.png"), dragged_picture);
}

TEST_F(FlamesLabTest, EveryParameterOfThePictureChangesIt) {
  const QImage before = exported("first.png");
  for (const char* change :
       {"weight 0.2", "colour 1", "colour-speed 0.1", "opacity 0", "map-a 0.7", "post-c 0.3", "palette ocean",
        "exposure 0.5", "gamma 1.5", "vibrancy 0", "background #203040", "centre-x 0.7", "scale 300",
        "rotation 30", "quality 0.5", "estimator 9"}) {
    ASSERT_EQ(run({std::string("parameter.set ") + change}), "") << change;
    EXPECT_NE(exported("changed.png"), before) << change;
    ASSERT_EQ(run({"edit.undo"}), "");
  }
  EXPECT_EQ(exported("last.png"), before);
  ASSERT_EQ(run({"parameter.set variation swirl", "parameter.set amount 0.5"}), "");
  EXPECT_NE(exported("swirl.png"), before);
  EXPECT_NE(run({"parameter.set function 9"}), "") << "there are three";
}

TEST_F(FlamesLabTest, FunctionsAreAddedAndDeleted) {
  ASSERT_EQ(run({"flames.function.add"}), "");
  EXPECT_EQ(value("function"), "4");
  ASSERT_EQ(run({"flames.function.delete", "flames.function.final", "parameter.set variation spherical",
                 "parameter.set amount 0.3"}),
            "");
  EXPECT_EQ(value("function"), "0");
  ASSERT_EQ(run({"flames.function.final", "flames.function.delete", "flames.function.delete"}), "");
  EXPECT_NE(run({"flames.function.delete"}), "") << "the last function stays";
  while (window->undo_stack().canUndo()) window->undo_stack().undo();
  ASSERT_EQ(run({"file.export " + path("undone.flame")}), "");
  Flame undone = read_flames(path("undone.flame")).flames.front();
  undone.quality = gasket().quality;
  EXPECT_EQ(undone, gasket());
}

TEST_F(FlamesLabTest, RandomFlamesAndMutationsFollowTheirSeedsAndAreUndone) {
  const QImage before = exported("gasket.png");
  ASSERT_EQ(run({"flames.flame.randomise 20", "parameter.set quality 10"}), "");
  const QImage twenty = exported("twenty.png");
  EXPECT_GT(lit(twenty), 0.2);
  ASSERT_EQ(run({"flames.flame.mutate 0.4 3"}), "");
  EXPECT_NE(exported("mutated.png"), twenty);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(exported("again.png"), twenty);
  ASSERT_EQ(run({"edit.undo", "edit.undo"}), "");
  EXPECT_EQ(exported("gasket-again.png"), before);
}

TEST_F(FlamesLabTest, PlayingTurnsTheFlameAndReturns) {
  const QImage start = exported("start.png");
  ASSERT_EQ(run({"flames.seek 0.25"}), "");
  EXPECT_NE(exported("quarter.png"), start);
  ASSERT_EQ(run({"flames.seek 1"}), "");
  EXPECT_EQ(exported("end.png"), start) << "a full turn";
  const QImage shown_before = view->grab().toImage();
  ASSERT_TRUE(window->run("flames.play"));
  EXPECT_TRUE(window->lab().moving());
  EXPECT_TRUE(QTest::qWaitFor([&] { return view->grab().toImage() != shown_before; }, patience_ms));
  ASSERT_TRUE(window->run("flames.stop"));
  EXPECT_FALSE(window->lab().moving());
}

TEST_F(FlamesLabTest, InterpolatesToASecondFlame) {
  EXPECT_NE(run({"flames.target.clear"}), "");
  Flame other = gasket();
  other.functions[0].affine.a = -0.5;
  write_flames(std::array{other}, path("other.flame"));
  ASSERT_EQ(run({"flames.target.open " + path("other.flame"), "flames.seek 0.5", "flames.flame.interpolate"}),
            "");
  EXPECT_EQ(number("map-a"), -0.5) << "half of the way there and back";
}

TEST_F(FlamesLabTest, NamesWhatAFileHasBesidesAndRefusesBadOnes) {
  std::ofstream(path("more.flame"))
      << "<flames><flame><xform linear=\"1\" mystery=\"1\" coefs=\".5 0 0 .5 0 0\"/></flame>"
      << "<flame><xform linear=\"1\" coefs=\".5 0 0 .5 0 0\"/></flame></flames>";
  ASSERT_EQ(run({"file.open " + path("more.flame")}), "");
  EXPECT_NE(warning().find("mystery"), std::string::npos) << warning();
  EXPECT_NE(warning().find("1 more"), std::string::npos) << warning();
  std::ofstream(path("bad.flame")) << "<flame>\n<xform linear=\"1\"/></flame>";
  const auto error = run({"file.open " + path("bad.flame")});
  EXPECT_NE(error.find("bad.flame:2"), std::string::npos) << error;
}

TEST_F(FlamesLabTest, ASessionBringsTheFlameBack) {
  ASSERT_EQ(run({"parameter.set function 2", "parameter.set variation julian", "parameter.set amount 0.4",
                 "parameter.set parameter-1 3", "parameter.set palette ocean",
                 "parameter.set triangles false", "flames.seek 0.3"}),
            "");
  const QImage before = exported("before.png");
  ASSERT_EQ(run({"file.export " + path("before.flame")}), "");
  ASSERT_EQ(run({"session.save " + path("flame.isolume")}), "");
  open_window();
  ASSERT_EQ(run({"file.open " + path("flame.isolume")}), "");
  EXPECT_EQ(value("function"), "2");
  EXPECT_EQ(number("amount"), 0.4);
  EXPECT_EQ(number("parameter-1"), 3);
  ASSERT_EQ(run({"file.export " + path("after.flame")}), "");
  EXPECT_EQ(flame_text(read_flames(path("after.flame")).flames),
            flame_text(read_flames(path("before.flame")).flames));
  EXPECT_EQ(exported("after.png"), before);
  EXPECT_EQ(value("triangles"), "false");
}

/// A picture that follows a hand: each move shows something soon, though more moves come at once.
TEST_F(FlamesLabTest, PicturesFollowWhileAHandDrags) {
  ASSERT_EQ(run({"parameter.set quality 150"}), "");
  QTest::mousePress(view, Qt::LeftButton, {}, shown(0.5, 0));
  int changes = 0;
  std::string last = status();
  for (int i = 1; i <= 60; ++i) {
    QTest::mouseMove(view, shown(0.5 + 0.003 * i, 0));
    QTest::qWait(15);
    const std::string now = status();
    changes += now != last ? 1 : 0;
    last = now;
  }
  QTest::mouseRelease(view, Qt::LeftButton, {}, shown(0.68, 0));
  EXPECT_GT(changes, 4) << "of 60 moves in a second or so";
  EXPECT_NEAR(number("map-a"), 0.68, 0.01);
  ASSERT_EQ(run({"parameter.set quality 1"}), "");
}

TEST_F(FlamesLabTest, ScreenshotForTheManual) {
  const auto wanted = qgetenv("ISOLUME_FLAMES_SCREENSHOT");
  if (wanted.isEmpty()) GTEST_SKIP() << "ISOLUME_FLAMES_SCREENSHOT is not set";
  window->resize(1000, 640);
  ASSERT_EQ(run({"file.open " +
                 (std::filesystem::path(ISOLUME_TREE) / "resources/samples/spheres.flame").string()}),
            "");
  ASSERT_TRUE(finished());
  QTest::qWait(500);
  workbench::write_screenshot(*window, wanted.toStdString());
}

}  // namespace
}  // namespace isolume::labs::flames
