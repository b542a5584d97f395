// Distances and angles, the brush, and the inverted window.
#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QImage>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <QPushButton>
#include <QSlider>
#include <QTableWidget>
#include <QToolButton>
#include <algorithm>
#include <numbers>

#include "app/workbench/window/banner.h"
#include "core/base/resources.h"
#include "core/base/text_file.h"
#include "core/contours/label_map.h"
#include "core/contours/measures.h"
#include "tests/app/labs/livewire/lab_fixture.h"

namespace isolume::labs::livewire {
namespace {

Eigen::Vector3d position(const images::Geometry& geometry, const contours::Ruler& ruler, std::size_t point) {
  return images::slice_plane(geometry, ruler.slice).position(ruler.points[point]);
}

/// The dot where the next seed would snap is at the pointer, not where that was before the measurement.
TEST_F(LabTest, AMeasurementLeavesNoDotBehind) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  const Eigen::Vector2d place = ball.at(3, 60);
  const auto has_dot = [&](const Eigen::Vector2d& at) {
    settle();
    const QImage picture = view().grab().toImage();
    const QPoint middle = view().to_widget(at).toPoint();
    int yellow = 0;
    for (int y = -10; y <= 10; ++y) {
      for (int x = -10; x <= 10; ++x) {
        const QColor colour = picture.pixelColor(middle + QPoint(x, y));
        yellow += colour.red() > 200 && colour.green() > 190 && colour.blue() < 120;
      }
    }
    return yellow > 3;
  };
  mouse_move(place);
  EXPECT_TRUE(has_dot(place));
  key(Qt::Key_D);
  click(ball.at(3, 180));
  click(ball.at(3, 0));
  EXPECT_FALSE(has_dot(place));
  EXPECT_TRUE(has_dot(ball.at(3, 0)));
}

TEST_F(LabTest, ADistanceIsMeasuredByClicksDraggedAndUndone) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  const Eigen::Vector2d left = ball.at(3, 180), right = ball.at(3, 0);
  key(Qt::Key_D);
  click(left);
  click(right);
  const std::string told = status();
  const auto rulers = contours().rulers();
  ASSERT_EQ(rulers.size(), 1u);
  const double across =
      (position(ball.geometry, rulers[0], 0) - position(ball.geometry, rulers[0], 1)).norm();
  EXPECT_NEAR(across, 2 * ball.radius_mm, 0.5) << "to a pixel of the screen";
  EXPECT_EQ(told, fmt::format("Distance: {:.4g} mm", across));
  EXPECT_TRUE(contours().contours().empty()) << "clicks are the ruler's";
  const int entries = window->undo_stack().count();
  const QPoint from = view().to_widget(rulers[0].points[1]).toPoint();
  QTest::mousePress(&view(), Qt::LeftButton, {}, from);
  for (int step = 1; step <= 5; ++step) QTest::mouseMove(&view(), from + QPoint(6 * step, 0));
  QTest::mouseRelease(&view(), Qt::LeftButton, {}, from + QPoint(30, 0));
  settle();
  EXPECT_GT(contours().rulers()[0].points[1].x(), rulers[0].points[1].x() + 2);
  EXPECT_EQ(contours().rulers()[0].points[0], rulers[0].points[0]);
  EXPECT_EQ(window->undo_stack().count(), entries + 1) << "a drag is one undo entry";
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(contours().rulers()[0].points[1], rulers[0].points[1]);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_TRUE(contours().rulers().empty());
  ASSERT_EQ(run({"edit.redo", "livewire.measure.delete 1"}), "");
  EXPECT_TRUE(contours().rulers().empty());
}

TEST_F(LabTest, AnAngleIsMeasuredByACommandAndListed) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  ASSERT_EQ(run({"livewire.measure.angle 40 20 20 20 40 40", "livewire.measure.distance 10 20 16 28"}), "");
  const auto rulers = contours().rulers();
  ASSERT_EQ(rulers.size(), 2u);
  EXPECT_NEAR(contours::measure(rulers[0], ball.geometry), 45, 1e-9);
  EXPECT_NEAR(contours::measure(rulers[1], ball.geometry), 5, 1e-9) << "pixels of half a millimetre";
  EXPECT_NE(run({"livewire.measure.angle 40 20 20 20"}), "") << "a point is missing";
  EXPECT_NE(run({"livewire.measure.delete 7"}), "");
  const auto* table = window->findChild<QTableWidget*>("measures");
  ASSERT_NE(table, nullptr);
  const auto row = [&](const QString& name) {
    for (int i = 0; i < table->rowCount(); ++i)
      if (table->item(i, 0)->text() == name) return i;
    return -1;
  };
  ASSERT_TRUE(QTest::qWaitFor([&] { return row("2. Distance") >= 0; }, patience_ms));
  EXPECT_EQ(table->item(row("2. Distance"), 2)->text(), "5");
  EXPECT_GE(row(QString("1. Angle: 45\u00b0")), 0);
}

TEST_F(LabTest, MeasuresAreExportedWithDistancesAndABannerBelongsToItsExport) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  ASSERT_EQ(run({"livewire.measure.distance 10 20 16 28", "file.export " + file("alone.measures.csv")}), "")
      << "without contours, too";
  EXPECT_NE(run({"file.export " + file("alone.csv")}), "");
  EXPECT_NE(read_text_file(file("alone.measures.csv")).find("Distance 1,,axial,4,"), std::string::npos);
  trace_ball();
  const auto* banner = window->findChild<workbench::Banner*>("warning-banner");
  ASSERT_EQ(run({"file.export " + file("points.csv")}), "");
  EXPECT_TRUE(
      banner->text().contains("1 distance or angle left out of the file: .json and .measures.csv hold"))
      << banner->text().toStdString();
  ASSERT_EQ(run({"file.export " + file("all.json")}), "");
  EXPECT_EQ(banner->text().toStdString(), "");
  ASSERT_EQ(run({"file.export " + file("points.csv"), "file.export " + file("ball.measures.csv")}), "");
  EXPECT_EQ(banner->text().toStdString(), "");
  ASSERT_EQ(run({"file.export " + file("points.csv")}), "");
  contours();  // saves them
  EXPECT_EQ(banner->text().toStdString(), "");
}

TEST_F(LabTest, EscapeEndsMeasuringAndLeavesContoursAlone) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  key(Qt::Key_A);
  click(ball.at(3, 90));
  key(Qt::Key_Escape);
  trace_ball();
  EXPECT_EQ(contours().contours().size(), 1u);
  EXPECT_TRUE(contours().rulers().empty());
}

TEST_F(LabTest, TheBrushPaintsAndErasesWhileItsKeyIsHeld) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  ASSERT_EQ(run({"parameter.set brush-radius 4"}), "");
  const Eigen::Vector2d centre(ball.centre.x(), ball.centre.y());
  const auto area_mm2 = [&] {
    const auto mask = contours::mask_of_label(contours(), 1, ball.geometry);
    return 0.25 * static_cast<double>(std::ranges::count(mask.values, std::uint8_t{1}));
  };
  const auto stroke = [&](Qt::Key held, const Eigen::Vector2d& from, const Eigen::Vector2d& to) {
    mouse_move(from);
    QTest::keyPress(&view(), held);
    QTest::mousePress(&view(), Qt::LeftButton, {}, view().to_widget(from).toPoint());
    for (int step = 1; step <= 8; ++step)
      QTest::mouseMove(&view(), view().to_widget(from + step / 8.0 * (to - from)).toPoint());
    QTest::mouseRelease(&view(), Qt::LeftButton, {}, view().to_widget(to).toPoint());
    QTest::keyRelease(&view(), held);
    settle();
  };
  stroke(Qt::Key_B, centre - Eigen::Vector2d(20, 0), centre + Eigen::Vector2d(20, 0));
  const double capsule = 20 * 8 + std::numbers::pi * 16;  // 40 pixels of half a millimetre
  EXPECT_NEAR(area_mm2(), capsule, 0.03 * capsule);
  stroke(Qt::Key_E, centre, centre);
  EXPECT_NEAR(area_mm2(), capsule - std::numbers::pi * 16, 0.04 * capsule);
  EXPECT_EQ(contours().contours().size(), 2u);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_NEAR(area_mm2(), capsule, 0.03 * capsule);
  ASSERT_EQ(run({"edit.undo", "livewire.label.paint 4 40 60 80 60"}), "");
  EXPECT_NEAR(area_mm2(), capsule, 0.03 * capsule);
  ASSERT_EQ(run({"livewire.label.lock"}), "");
  EXPECT_NE(run({"livewire.label.paint 4 40 60"}), "");
}

TEST_F(LabTest, TheBrushStaysOnUntilEscapeReturnsToTracing) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  ASSERT_EQ(run({"parameter.set brush-radius 4"}), "");
  const auto button = [&](const std::string& command) {
    return window->findChild<QToolButton*>(QString::fromStdString("tool-row." + command));
  };
  const auto press = [&](const std::string& command) {
    QTest::mouseClick(button(command), Qt::LeftButton);
    settle();
  };
  const auto* menu_entry = window->findChild<QAction*>("livewire.label.paint");
  EXPECT_TRUE(button("livewire.tool.trace")->isChecked());
  EXPECT_FALSE(menu_entry->isChecked());
  press("livewire.label.paint");
  EXPECT_TRUE(button("livewire.label.paint")->isChecked());
  EXPECT_FALSE(button("livewire.tool.trace")->isChecked());
  EXPECT_TRUE(menu_entry->isChecked());
  EXPECT_NE(status().find("Esc returns to tracing"), std::string::npos) << status();
  click({40, 60});
  click({90, 60});
  EXPECT_EQ(contours().contours().size(), 2U) << "two dabs without a key";
  EXPECT_EQ(contours().contours()[1]->combination, contours::Combination::add);
  QTest::keyPress(&view(), Qt::Key_E);
  EXPECT_TRUE(button("livewire.label.erase")->isChecked()) << "while the key is held";
  click({90, 60});
  QTest::keyRelease(&view(), Qt::Key_E);
  EXPECT_EQ(contours().contours()[2]->combination, contours::Combination::subtract);
  EXPECT_TRUE(button("livewire.label.paint")->isChecked());
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(contours().contours().size(), 2U);
  EXPECT_TRUE(button("livewire.label.paint")->isChecked()) << "the tool is no part of the work";
  key(Qt::Key_Escape);
  EXPECT_TRUE(button("livewire.tool.trace")->isChecked());
  EXPECT_FALSE(menu_entry->isChecked());
  for (const double degrees : {10.0, 100.0, 190.0}) click(ball.at(3, degrees));
  EXPECT_EQ(contours().contours().size(), 2U) << "seeds";
  press("livewire.label.erase");
  EXPECT_FALSE(button("livewire.label.erase")->isChecked()) << "a contour is being traced";
  EXPECT_NE(status().find("being traced"), std::string::npos) << status();
  key(Qt::Key_Return);
  EXPECT_EQ(contours().contours().size(), 3U);
  // The menu chooses and leaves it, too.
  window->findChild<QAction*>("livewire.label.erase")->trigger();
  EXPECT_TRUE(button("livewire.label.erase")->isChecked());
  window->findChild<QAction*>("livewire.label.erase")->trigger();
  EXPECT_TRUE(button("livewire.tool.trace")->isChecked());
}

TEST_F(LabTest, TheThresholdIsPreviewedAndAppliedOrCancelled) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  ASSERT_EQ(run({"parameter.set crosshair false", "livewire.window.set 500 2000"}), "");
  const auto colour_at = [&](double x, double y) {
    return view().grab().toImage().pixelColor(view().to_widget({x, y}).toPoint() *
                                              view().devicePixelRatioF());
  };
  const auto is_marked = [&](double x, double y) {
    const QColor colour = colour_at(x, y);
    return std::max({colour.red(), colour.green(), colour.blue()}) -
               std::min({colour.red(), colour.green(), colour.blue()}) >
           25;
  };
  const auto open = [&] {
    QTest::mouseClick(window->findChild<QToolButton*>("tool-row.livewire.label.threshold"), Qt::LeftButton);
    settle();
    return window->findChild<QDialog*>("threshold-dialog");
  };
  const auto set = [&](QDialog& dialog, const char* which, const char* value) {
    auto* box = dialog.findChild<QDoubleSpinBox*>(which);
    box->setFocus();
    box->selectAll();
    QTest::keyClicks(box, value);
    QTest::keyClick(box, Qt::Key_Tab);
    settle();
  };
  EXPECT_FALSE(is_marked(64, 60));
  QDialog* dialog = open();
  ASSERT_NE(dialog, nullptr);
  EXPECT_FALSE(dialog->isModal());
  set(*dialog, "low", "500");
  EXPECT_TRUE(is_marked(64, 60));
  EXPECT_FALSE(is_marked(10, 10));
  // The preview follows the slice; on the first one the ball is smaller.
  const double edge = ball.centre.x() + ball.radius_px(3) - 4;
  EXPECT_TRUE(is_marked(edge, 60));
  ASSERT_EQ(run({"livewire.slice.show axial 1"}), "");
  EXPECT_TRUE(is_marked(64, 60));
  EXPECT_FALSE(is_marked(ball.centre.x() + ball.radius_px(0) + 4, 60));
  ASSERT_EQ(run({"livewire.slice.show axial 4"}), "");
  QTest::keyClick(dialog, Qt::Key_Escape);
  settle();
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  EXPECT_FALSE(is_marked(64, 60));
  EXPECT_TRUE(contours().contours().empty());

  dialog = open();
  const auto apply = [&] {
    QTest::mouseClick(dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Apply),
                      Qt::LeftButton);
    settle();
  };
  set(*dialog, "low", "500.01");
  set(*dialog, "high", "500.02");
  apply();
  ASSERT_EQ(window->findChild<QDialog*>("threshold-dialog"), dialog) << "no pixel has these values";
  EXPECT_TRUE(dialog->isVisible());
  EXPECT_TRUE(contours().contours().empty());
  auto* high = dialog->findChild<QDoubleSpinBox*>("high");
  high->setValue(high->maximum());
  set(*dialog, "low", "500");
  auto* slices = dialog->findChild<QComboBox*>("slices");
  slices->setFocus();
  QTest::keyClick(slices, Qt::Key_Down);
  EXPECT_EQ(slices->currentData().toString(), "all");
  apply();
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  EXPECT_EQ(window->findChild<QDialog*>("threshold-dialog"), nullptr);
  for (const int slice : {0, 3, 6}) {
    const auto area =
        contours::rasterise(contours(), {2, slice}, ball.geometry.dimensions[0], ball.geometry.dimensions[1]);
    const auto found = std::ranges::count_if(area.values, [](auto value) { return value != 0; });
    EXPECT_NEAR(found, std::numbers::pi * std::pow(ball.radius_px(slice), 2), 0.02 * found) << slice;
  }
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_TRUE(contours().contours().empty()) << "one step of undo";

  // One end pushes the other.
  dialog = open();
  set(*dialog, "high", "300");
  set(*dialog, "low", "700");
  EXPECT_EQ(dialog->findChild<QDoubleSpinBox*>("high")->value(), 700);
}

/// After its radius was set by hand, say.
TEST_F(LabTest, TheBrushPaintsUnderThePointerWhileAnotherWidgetHasTheFocus) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  QSlider slider(window.get());
  slider.show();
  const Eigen::Vector2d centre(ball.centre.x(), ball.centre.y());
  const auto stroke = [&](QWidget& focus) {
    focus.setFocus();
    // Not by the real pointer, which may still be leaving the view of an earlier test.
    const QPointF at = view().to_widget(centre);
    QMouseEvent over(QEvent::MouseMove, at, view().mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
    QApplication::sendEvent(&view(), &over);
    ASSERT_TRUE(view().pointer());
    ASSERT_EQ(QApplication::focusWidget(), &focus);
    QTest::keyPress(&focus, Qt::Key_B);
    QTest::mousePress(&view(), Qt::LeftButton, {}, view().to_widget(centre).toPoint());
    QTest::mouseRelease(&view(), Qt::LeftButton, {}, view().to_widget(centre).toPoint());
    QTest::keyRelease(QApplication::focusWidget(), Qt::Key_B);
    settle();
  };
  ASSERT_NO_FATAL_FAILURE(stroke(slider));
  EXPECT_EQ(contours().contours().size(), 1u) << "painted, and no seed was put";
  // The key is not held any more.
  click(ball.at(3, 180));
  EXPECT_EQ(contours().contours().size(), 1u);
  key(Qt::Key_Escape);
  // Where a text is edited the letter is part of it.
  QLineEdit text(window.get());
  text.show();
  ASSERT_NO_FATAL_FAILURE(stroke(text));
  EXPECT_EQ(text.text(), "b");
  EXPECT_EQ(contours().contours().size(), 1u);
}

TEST_F(LabTest, KeysOfAPanelAreItsOwnWhileThePointerIsOffTheImage) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  QSlider slider(window.get());
  slider.show();
  mouse_move({64, 60});
  QTest::mouseMove(&slider);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !view().pointer(); }, patience_ms));
  slider.setFocus();
  QTest::keyPress(&slider, Qt::Key_B);
  mouse_move({64, 60});
  QTest::mouseClick(&view(), Qt::LeftButton, {}, view().to_widget({64, 60}).toPoint());
  QTest::keyRelease(&view(), Qt::Key_B);
  EXPECT_TRUE(contours().contours().empty());
}

TEST_F(LabTest, AThresholdAndAFilledRegionFindTheBall) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  const auto dice_of_label = [&] {
    const auto area =
        contours::rasterise(contours(), {2, 3}, ball.geometry.dimensions[0], ball.geometry.dimensions[1]);
    double both = 0, sum = 0;
    for (int y = 0; y < area.height; ++y) {
      for (int x = 0; x < area.width; ++x) {
        const bool a = area.values[static_cast<std::size_t>(y * area.width + x)] != 0,
                   b = ball.inside(x, y, 3);
        both += a && b;
        sum += a + b;
      }
    }
    return 2 * both / sum;
  };
  // The noise of 100 HU reaches 500 HU from neither side in more than a pixel or so.
  ASSERT_EQ(run({"livewire.label.threshold 500 5000"}), "");
  EXPECT_GT(dice_of_label(), 0.999);
  ASSERT_EQ(run({"edit.undo", "livewire.label.fill 64 60 550"}), "");
  EXPECT_GT(dice_of_label(), 0.98);
  ASSERT_EQ(run({"edit.undo", "livewire.label.threshold 500 5000 all"}), "");
  EXPECT_GT(contours::mask_of_label(contours(), 1, ball.geometry).size[2], 5);
  EXPECT_NE(run({"livewire.label.threshold 9 5"}), "");
  EXPECT_NE(run({"livewire.label.fill 500 5 10"}), "");
}

TEST_F(LabTest, TheToolFillAddsTheRegionOfEachClickUntilEscapeReturnsToTracing) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  ASSERT_EQ(run({"livewire.window.set 500 1600", "parameter.set crosshair false"}), "");
  const auto button = [&](const std::string& command) {
    return window->findChild<QToolButton*>(QString::fromStdString("tool-row." + command));
  };
  const auto pixels_of_label = [&] {
    const auto mask = contours::mask_of_label(contours(), 1, {2, 3}, ball.geometry.dimensions[0],
                                              ball.geometry.dimensions[1]);
    return std::ranges::count(mask.values, std::uint8_t{1});
  };
  const double disc = std::numbers::pi * std::pow(ball.radius_px(3), 2);
  const QPoint pointer = view().to_widget({64, 60}).toPoint();
  const auto picture_at_pointer = [&] {
    // Not by the real pointer, which may still be leaving the view.
    QMouseEvent over(QEvent::MouseMove, pointer, view().mapToGlobal(pointer), Qt::NoButton, Qt::NoButton, {});
    QApplication::sendEvent(&view(), &over);
    return view().grab().toImage().copy(
        QRect(pointer * view().devicePixelRatioF() + QPoint(5, -30), QSize(20, 26)));
  };
  const QImage traced = picture_at_pointer();
  QTest::mouseClick(button("livewire.label.fill"), Qt::LeftButton);
  settle();
  EXPECT_TRUE(button("livewire.label.fill")->isChecked());
  EXPECT_FALSE(button("livewire.tool.trace")->isChecked());
  EXPECT_NE(status().find("Esc returns to tracing"), std::string::npos) << status();
  EXPECT_NE(picture_at_pointer(), traced) << "the pointer's shape";
  ASSERT_EQ(run({"parameter.set fill-tolerance 550"}), "");
  click({64, 60});
  EXPECT_NE(status().find("pixels added to Label 1."), std::string::npos) << status();
  EXPECT_EQ(status().find("edge"), std::string::npos) << status();
  EXPECT_NEAR(pixels_of_label(), disc, 0.02 * disc);
  const auto filled = pixels_of_label();
  click({64, 60});
  EXPECT_NE(status().find("already belong to Label 1"), std::string::npos) << status();
  click({5, 5});
  EXPECT_NE(status().find("reaches the image's edge"), std::string::npos) << status();
  EXPECT_GT(pixels_of_label(), 120 * 128);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(pixels_of_label(), filled) << "one step of undo a click";
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_TRUE(contours().contours().empty()) << "none for the click that added nothing";
  ASSERT_EQ(run({"edit.redo"}), "");
  EXPECT_EQ(pixels_of_label(), filled);
  EXPECT_TRUE(button("livewire.label.fill")->isChecked()) << "the tool is no part of the work";
  click({-3, 5});
  EXPECT_NE(status().find("lies outside the slice"), std::string::npos) << status();
  ASSERT_EQ(run({"livewire.label.lock"}), "");
  click({5, 5});
  EXPECT_NE(status().find("Label 1 is locked"), std::string::npos) << status();
  ASSERT_EQ(run({"livewire.label.lock", "livewire.contours.delete-all"}), "");

  key(Qt::Key_Escape);
  EXPECT_TRUE(button("livewire.tool.trace")->isChecked());
  mouse_move({64, 60});
  QTest::keyPress(&view(), Qt::Key_G);
  EXPECT_TRUE(button("livewire.label.fill")->isChecked()) << "while the key is held";
  QTest::mouseDClick(&view(), Qt::LeftButton, {}, view().to_widget({64, 60}).toPoint());
  QTest::mouseClick(&view(), Qt::LeftButton, {}, view().to_widget({64, 60}).toPoint());
  QTest::keyRelease(&view(), Qt::Key_G);
  settle();
  EXPECT_NEAR(pixels_of_label(), disc, 0.02 * disc);
  EXPECT_TRUE(button("livewire.tool.trace")->isChecked());
  ASSERT_EQ(run({"edit.undo", "livewire.label.fill 64 60"}), "");
  EXPECT_EQ(pixels_of_label(), filled) << "with the parameter's tolerance";
  EXPECT_NE(run({"livewire.label.fill 64"}), "");

  // The second of two quick clicks does not supersede the first.
  ASSERT_EQ(run({"edit.undo", "livewire.label.fill"}), "");
  for (const Eigen::Vector2d& place : {Eigen::Vector2d(64, 60), Eigen::Vector2d(5, 5)})
    QTest::mouseClick(&view(), Qt::LeftButton, {}, view().to_widget(place).toPoint());
  QTest::mouseClick(button("livewire.tool.trace"), Qt::LeftButton);
  settle();
  EXPECT_GT(pixels_of_label(), 120 * 128);
}

/// Their holes are subtracted, which must not take away what the label has there.
TEST_F(LabTest, AFilledRegionKeepsWhatTheLabelHasInItsHoles) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  const auto pixels_in_ball = [&] {
    const auto labels =
        contours::rasterise(contours(), {2, 3}, ball.geometry.dimensions[0], ball.geometry.dimensions[1]);
    int count = 0;
    for (int y = 55; y <= 65; ++y) {
      for (int x = 59; x <= 69; ++x) count += labels.values[static_cast<std::size_t>(y * 128 + x)] != 0;
    }
    return count;
  };
  ASSERT_EQ(run({"livewire.label.paint 1.5 64 60"}), "");
  const int painted = pixels_in_ball();
  EXPECT_NEAR(painted, std::numbers::pi * 9, 6);
  for (const char* around : {"livewire.label.fill 5 5 550", "livewire.label.threshold -1000 450"}) {
    ASSERT_EQ(run({around}), "");
    EXPECT_EQ(contours().contours().front()->combination, contours::Combination::add);
    EXPECT_GT(contours().contours().size(), 2U) << "there is a hole";
    EXPECT_EQ(pixels_in_ball(), painted) << around;
    ASSERT_EQ(run({"edit.undo"}), "");
  }
}

TEST_F(LabTest, TheContextMenuHasWindowsForTissuesOnlyWhereValuesAreHounsfieldUnits) {
  const auto menu = [&] {
    QTest::mouseClick(&view(), Qt::RightButton, {}, QPoint(20, 60));
    settle();
    return window->findChild<QMenu*>("contour-menu");
  };
  const auto windows_of = [](const QMenu& with) {
    QStringList windows;
    for (const QAction* each : with.actions()) {
      if (each->text().startsWith("Window: ")) windows << each->text().section(": ", 1);
    }
    return windows.join(", ").toStdString();
  };
  ASSERT_NO_FATAL_FAILURE(open_ball());
  auto* shown = menu();
  ASSERT_NE(shown, nullptr);
  EXPECT_EQ(windows_of(*shown), "the image's own, automatic");
  shown->close();
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  ASSERT_EQ(run({"file.open " + commands::quote(resource("samples/livewire/ct-abdomen").string()),
                 "livewire.window.set 0 100"}),
            "");
  shown = menu();
  ASSERT_NE(shown, nullptr);
  EXPECT_EQ(windows_of(*shown), "the image's own, automatic, soft tissue, lung, bone, brain")
      << "the file names the first two";
  shown->actions().back()->trigger();
  settle();
  EXPECT_EQ(view().window().centre, 40);
  EXPECT_EQ(view().window().width, 80);
  shown->close();
}

TEST_F(LabTest, InvertingExchangesBlackAndWhiteAndIsUndone) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  const auto grey_in_ball = [&] {
    const QPoint at = view().to_widget({ball.centre.x(), ball.centre.y()}).toPoint();
    return view().grab().toImage().pixelColor(at * view().devicePixelRatioF()).lightness();
  };
  ASSERT_EQ(run({"livewire.window.set 500 1000", "parameter.set crosshair false"}), "");
  EXPECT_GT(grey_in_ball(), 200);
  ASSERT_EQ(run({"livewire.window.invert"}), "");
  EXPECT_LT(grey_in_ball(), 55);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_GT(grey_in_ball(), 200);
}

}  // namespace
}  // namespace isolume::labs::livewire
