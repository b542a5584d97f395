#include "app/slices/slice_view.h"

#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <filesystem>
#include <utility>

#include <Eigen/Geometry>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/images/window.h"
#include "tests/app/slices/phantom.h"
#include "tests/app/slices/wheel.h"
#include "tests/app/slices/widget_baseline.h"
#include "tests/core/images/turned_directions.h"
#include "tests/temporary_folder.h"

namespace isolume::slices {
namespace {

class SliceViewTest : public ::testing::Test {
 protected:
  void show(std::shared_ptr<const images::Document> document = head_phantom({80, 100, 30}, {2, 2, 6})) {
    view.resize(400, 300);
    view.set_document(std::move(document));
    view.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
  }
  /// Device pixels, without texts.
  QImage picture() {
    view.set_texts_shown(false);
    view.clearFocus();
    return view.grab().toImage().convertToFormat(QImage::Format_RGB32);
  }
  SliceView view;
};

const auto near = [](const QPointF& a, const QPointF& b) { return (a - b).manhattanLength() < 1e-9; };

TEST_F(SliceViewTest, PlacesAndPointsAreEachOthersInverse) {
  const Eigen::Matrix3d tilt(Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, -2, 3).normalized()));
  for (const auto& direction : images::turned_directions()) {
    show(head_phantom({20, 30, 10}, {1, 0.5, 2.5}, tilt * direction));
    for (int axis = 0; axis < 3; ++axis) {
      view.set_slice({axis, 3});
      view.zoom_by(1.7, {120, 40});
      view.pan_by({13, -21});
      const Eigen::Vector2d place(4.25, 7.5);
      EXPECT_LT((view.to_place(view.to_widget(place)) - place).norm(), 1e-9);
      const QPointF point(71.5, 203.25);
      EXPECT_TRUE(near(view.to_widget(view.to_place(point)), point));
    }
  }
}

/// The head phantom in a file that is mapped.
std::shared_ptr<const images::Document> mapped_phantom(const isolume::testing::TemporaryFolder& folder) {
  auto document = std::make_shared<images::Document>(*head_phantom({80, 100, 30}, {2, 2, 6}));
  images::Volume& volume = document->volume;
  const auto path = folder.write(
      "voxels.raw", std::string(reinterpret_cast<const char*>(volume.storage.get()), volume.bytes()));
  const int descriptor = ::open(path.c_str(), O_RDONLY);
  volume.file = std::make_shared<const images::MappedFile>(path, descriptor, 0, volume.bytes());
  ::close(descriptor);
  volume.storage = {volume.file, volume.file->bytes()};
  return document;
}

TEST_F(SliceViewTest, OfAMappedFileItPaintsCopiesAlone) {
  const isolume::testing::TemporaryFolder folder;
  const auto document = mapped_phantom(folder);
  QSignalSpy wanted(&view, &SliceView::slice_wanted);
  QSignalSpy taken(&view, &SliceView::slice_taken);
  show(document);
  ASSERT_EQ(wanted.size(), 1);
  const images::SliceId middle{2, 15}, other{0, 40};
  EXPECT_EQ(wanted.back().front().value<images::SliceId>(), middle);
  EXPECT_FALSE(view.ground());
  const QImage waiting = picture();
  EXPECT_EQ(qGray(waiting.pixel(waiting.rect().center())), 0);
  // Nothing has been read meanwhile: where there is no file any more, that would have been noticed.
  std::filesystem::resize_file(document->volume.file->path(), 0);
  view.set_slice(other);
  picture();
  EXPECT_EQ(wanted.size(), 2);
  EXPECT_FALSE(document->volume.file->damaged());

  const auto in_memory = head_phantom({80, 100, 30}, {2, 2, 6});
  view.take_slice(middle, images::copy_slice(in_memory->volume, middle));  // too late
  EXPECT_FALSE(view.ground());
  view.take_slice(other, images::copy_slice(in_memory->volume, other));
  EXPECT_EQ(taken.size(), 1);
  const QImage copied = picture();
  view.set_document(in_memory);
  view.set_slice(other);
  EXPECT_EQ(copied, picture());
}

TEST_F(SliceViewTest, OnePatientLooksTheSameHoweverTheVolumeIsTurned) {
  const auto grey_at = [&](const QImage& image, const Eigen::Vector3d& position_mm) {
    const QPointF point = view.to_widget(view.plane().place_at(position_mm)) * view.devicePixelRatioF();
    return qGray(image.pixel(point.toPoint()));
  };
  for (const auto& direction : images::turned_directions()) {
    show(head_phantom({44, 44, 44}, {5, 5, 5}, direction));
    const auto& geometry = view.document()->volume.geometry;
    const Eigen::Vector3d ball = head_middle_mm + ball_offset_mm;
    for (const auto plane :
         {images::PatientPlane::axial, images::PatientPlane::coronal, images::PatientPlane::sagittal}) {
      view.set_slice(images::slice_at(geometry, images::axis_of(geometry, plane), ball));
      const QPointF middle = view.to_widget(view.plane().place_at(head_middle_mm));
      const QPointF to_ball = view.to_widget(view.plane().place_at(ball)) - middle;
      // Left of the patient on the right of the screen, the front of a sagittal slice on the left.
      const double across = plane == images::PatientPlane::sagittal ? -40 : 30;
      const double down = plane == images::PatientPlane::axial ? -40 : -20;
      EXPECT_NEAR(to_ball.x(), across * view.scale(), 1e-6);
      EXPECT_NEAR(to_ball.y(), down * view.scale(), 1e-6);
      const QImage image = picture();
      EXPECT_EQ(grey_at(image, ball), 38);  // -100 HU in 40/400: 255 (0.5 - 140 / 400), rounded
      EXPECT_EQ(grey_at(image, head_middle_mm + Eigen::Vector3d(100, 100, 100)), 0);
    }
  }
}

TEST_F(SliceViewTest, PixelsThatAreNotSquareAreShownInTrueProportion) {
  show(head_phantom({80, 100, 20}, {2, 1, 7}));
  for (int axis = 0; axis < 3; ++axis) {
    view.set_slice({axis, 5});
    const QPointF origin = view.to_widget({0, 0});
    const QPointF along_x = view.to_widget({10, 0}) - origin, along_y = view.to_widget({0, 10}) - origin;
    const auto spacing = view.plane().spacing();
    EXPECT_NEAR(std::hypot(along_x.x(), along_x.y()), 10 * spacing.x() * view.scale(), 1e-9);
    EXPECT_NEAR(std::hypot(along_y.x(), along_y.y()), 10 * spacing.y() * view.scale(), 1e-9);
    // Fitted: all of it is there, and it touches two sides.
    const QPointF corner = view.to_widget({-0.5, -0.5}),
                  opposite = view.to_widget({view.plane().columns - 0.5, view.plane().rows - 0.5});
    const QRectF covered = QRectF(corner, opposite).normalized();
    EXPECT_TRUE(QRectF(view.rect()).adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(covered));
    EXPECT_TRUE(std::abs(covered.width() - view.width()) < 1e-6 ||
                std::abs(covered.height() - view.height()) < 1e-6);
  }
}

TEST_F(SliceViewTest, ThePictureFollowsTheWindowsFormula) {
  auto document = std::make_shared<images::Document>();
  images::Geometry geometry;
  geometry.dimensions = {9, 7, 1};
  geometry.set_spacing({1, 1.5, 1});
  document->volume = images::made_volume<std::uint16_t>(
      geometry, [](int i, int j, int) { return 1000 + 37 * i * i + 211 * j; });
  document->volume.slope = 0.5;
  document->volume.intercept = -300;
  show(document);
  view.set_window({800, 1700, {}});
  const auto grey = [](double value) { return std::clamp(255 * ((value - 800) / 1700 + 0.5), 0.0, 255.0); };
  for (const auto interpolation : {images::Interpolation::nearest, images::Interpolation::linear}) {
    view.set_interpolation(interpolation);
    const QImage image = picture();
    const double ratio = view.devicePixelRatioF();
    int compared = 0;
    for (int row = 0; row < image.height(); row += 7) {
      for (int column = 0; column < image.width(); column += 7) {
        const Eigen::Vector2d place = view.to_place(QPointF(column + 0.5, row + 0.5) / ratio);
        if (place.x() < 0 || place.y() < 0 || place.x() >= 8 || place.y() >= 6) continue;
        const auto value = [&](double x, double y) {
          return document->volume.value(static_cast<int>(x), static_cast<int>(y), 0);
        };
        const double x = std::floor(place.x()), y = std::floor(place.y()), u = place.x() - x,
                     v = place.y() - y;
        const double expected = interpolation == images::Interpolation::nearest
                                    ? value(std::round(place.x()), std::round(place.y()))
                                    : (1 - u) * (1 - v) * value(x, y) + u * (1 - v) * value(x + 1, y) +
                                          (1 - u) * v * value(x, y + 1) + u * v * value(x + 1, y + 1);
        EXPECT_NEAR(qGray(image.pixel(column, row)), grey(expected), 0.51) << place.transpose();
        ++compared;
      }
    }
    EXPECT_GT(compared, 500);
  }
}

TEST_F(SliceViewTest, TheWheelTurnsSlicesANotchEachHoweverItIsCut) {
  show();
  const int start = view.slice().index;
  turn_wheel(view, {100, 100}, 120);
  EXPECT_EQ(view.slice().index, start + 1);
  for (int i = 0; i < 5; ++i) turn_wheel(view, {100, 100}, -40);
  EXPECT_EQ(view.slice().index, start);
  turn_wheel(view, {100, 100}, -40);
  EXPECT_EQ(view.slice().index, start - 1);
  turn_wheel(view, {100, 100}, -120 * 1000);
  EXPECT_EQ(view.slice().index, 0);
}

TEST_F(SliceViewTest, TheWheelWithControlZoomsAboutThePointer) {
  show();
  const QPointF pointer(311, 77);
  const Eigen::Vector2d place = view.to_place(pointer);
  const double scale = view.scale();
  turn_wheel(view, pointer, 240, Qt::ControlModifier);
  EXPECT_NEAR(view.scale() / scale, 1.25 * 1.25, 1e-9);
  EXPECT_TRUE(near(view.to_widget(place), pointer));
  for (int i = 0; i < 100; ++i) turn_wheel(view, pointer, 1200, Qt::ControlModifier);
  EXPECT_NEAR(view.screen_px_per_pixel(), 256, 1e-6);
  EXPECT_TRUE(near(view.to_widget(place), pointer));
}

TEST_F(SliceViewTest, KeysTurnSlicesAndZoom) {
  show();
  const int start = view.slice().index;
  const auto press = [&](Qt::Key key) { QTest::keyClick(&view, key); };
  press(Qt::Key_Up);
  EXPECT_EQ(view.slice().index, start + 1);
  press(Qt::Key_Down);
  press(Qt::Key_Down);
  EXPECT_EQ(view.slice().index, start - 1);
  press(Qt::Key_PageUp);
  EXPECT_EQ(view.slice().index, start + 9);
  press(Qt::Key_Home);
  EXPECT_EQ(view.slice().index, 0);
  press(Qt::Key_End);
  EXPECT_EQ(view.slice().index, 29);
  press(Qt::Key_PageDown);
  EXPECT_EQ(view.slice().index, 19);
  const double fitted = view.scale();
  press(Qt::Key_Plus);
  EXPECT_NEAR(view.scale(), fitted * 1.25, 1e-9);
  press(Qt::Key_Minus);
  press(Qt::Key_Minus);
  EXPECT_NEAR(view.scale(), fitted / 1.25, 1e-9);
  press(Qt::Key_0);
  EXPECT_NEAR(view.scale(), fitted, 1e-9);
}

TEST_F(SliceViewTest, AFittedViewStaysFittedWhenItsSizeChangesAZoomedOneKeepsItsScale) {
  show();
  view.resize(200, 150);
  EXPECT_NEAR(view.scale(), 150 / 200.0, 1e-9);  // 100 rows of 2 mm
  view.zoom_by(3);
  const Eigen::Vector2d middle = view.to_place(QRectF(view.rect()).center());
  view.resize(400, 300);
  EXPECT_NEAR(view.scale(), 3 * 150 / 200.0, 1e-9);
  EXPECT_LT((view.to_place(QRectF(view.rect()).center()) - middle).norm(), 1e-9);
}

TEST_F(SliceViewTest, MiddleDragAndSpaceDragPanAndReportNothing) {
  show();
  QSignalSpy pressed(&view, &SliceView::pressed), moved(&view, &SliceView::moved);
  const Eigen::Vector2d place = view.to_place({200, 150});
  const auto drag = [&](Qt::MouseButton button) {
    QTest::mousePress(&view, button, {}, {200, 150});
    QTest::mouseMove(&view, {230, 160});
    QTest::mouseMove(&view, {240, 130});
    QTest::mouseRelease(&view, button, {}, {240, 130});
  };
  drag(Qt::MiddleButton);
  EXPECT_TRUE(near(view.to_widget(place), {240, 130}));
  QTest::keyPress(&view, Qt::Key_Space);
  drag(Qt::LeftButton);
  QTest::keyRelease(&view, Qt::Key_Space);
  EXPECT_TRUE(near(view.to_widget(place), {280, 110}));
  EXPECT_EQ(pressed.count(), 0);
  EXPECT_EQ(moved.count(), 0);
  drag(Qt::LeftButton);
  EXPECT_EQ(pressed.count(), 1);
  EXPECT_TRUE(near(view.to_widget(place), {280, 110}));
}

TEST_F(SliceViewTest, RightDragChangesTheWindow) {
  show();
  QSignalSpy changed(&view, &SliceView::window_changed);
  QTest::mousePress(&view, Qt::RightButton, {}, {100, 100});
  QTest::mouseMove(&view, {200, 160});
  QTest::mouseRelease(&view, Qt::RightButton, {}, {200, 160});
  EXPECT_EQ(changed.count(), 1);
  EXPECT_NEAR(view.window().width, 400 * std::exp(0.5), 1e-9);     // right: less contrast
  EXPECT_NEAR(view.window().centre, 40 + 400 * 60 / 300.0, 1e-9);  // down: darker
}

TEST_F(SliceViewTest, ARightClickAndTheMenuKeyAskForAMenu) {
  show();
  QSignalSpy asked(&view, &SliceView::menu_requested);
  QTest::mouseClick(&view, Qt::RightButton, {}, {120, 90});
  ASSERT_EQ(asked.count(), 1);
  EXPECT_EQ(asked[0][0].toPoint(), view.mapToGlobal(QPoint(120, 90)));
  EXPECT_EQ(view.window().width, 400);
  QTest::keyClick(&view, Qt::Key_Menu);
  EXPECT_EQ(asked.count(), 2);
}

TEST_F(SliceViewTest, TheLeftButtonIsReportedInPlacesOfTheSlice) {
  show();
  struct Event {
    std::string what;
    Eigen::Vector2d place;
    Qt::KeyboardModifiers modifiers;
  };
  std::vector<Event> events;
  const auto note = [&](const char* what) {
    return [&events, what](const Eigen::Vector2d& place, Qt::KeyboardModifiers modifiers) {
      events.push_back({what, place, modifiers});
    };
  };
  QObject::connect(&view, &SliceView::pressed, note("pressed"));
  QObject::connect(&view, &SliceView::moved, note("moved"));
  QObject::connect(&view, &SliceView::dragged, note("dragged"));
  QObject::connect(&view, &SliceView::released, note("released"));
  QObject::connect(&view, &SliceView::double_clicked, note("double_clicked"));
  const auto names = [&] {
    std::string all;
    for (const auto& each : events) all += each.what + ' ';
    return all;
  };
  QTest::mouseMove(&view, {50, 60});
  ASSERT_TRUE(QTest::qWaitFor([&] { return !events.empty(); }));
  EXPECT_EQ(events[0].what, "moved");
  events.clear();
  QTest::mousePress(&view, Qt::LeftButton, Qt::ShiftModifier, {50, 60});
  ASSERT_EQ(names(), "pressed ");
  EXPECT_LT((events[0].place - view.to_place({50, 60})).norm(), 1e-9);
  EXPECT_EQ(events[0].modifiers, Qt::ShiftModifier);
  QTest::mouseMove(&view, {70, 60});
  ASSERT_TRUE(QTest::qWaitFor([&] { return events.back().what == "dragged"; }));
  EXPECT_EQ(events[events.size() - 2].what, "moved");
  QTest::mouseRelease(&view, Qt::LeftButton, {}, {70, 60});
  EXPECT_EQ(events.back().what, "released");
  EXPECT_LT((events.back().place - view.to_place({70, 60})).norm(), 1e-9);
  events.clear();
  QTest::mouseClick(&view, Qt::LeftButton, {}, {90, 90});
  QTest::mouseDClick(&view, Qt::LeftButton, {}, {90, 90});
  QTest::mouseRelease(&view, Qt::LeftButton, {}, {90, 90});
  EXPECT_EQ(names(), "pressed released double_clicked released ");
}

TEST_F(SliceViewTest, AReleaseThatNeverCameDoesNotStopTheNextPress) {
  show();
  QSignalSpy pressed(&view, &SliceView::pressed);
  QTest::mousePress(&view, Qt::LeftButton, {}, {50, 60});
  QTest::mousePress(&view, Qt::LeftButton, {}, {80, 60});
  EXPECT_EQ(pressed.count(), 2);
}

TEST_F(SliceViewTest, LinkedViewsFollowWithoutEnd) {
  show();
  SliceView other;
  other.set_document(view.document());
  QObject::connect(&view, &SliceView::slice_changed, &other, &SliceView::set_slice);
  QObject::connect(&other, &SliceView::slice_changed, &view, &SliceView::set_slice);
  QObject::connect(&view, &SliceView::window_changed, &other, &SliceView::set_window);
  QObject::connect(&other, &SliceView::window_changed, &view, &SliceView::set_window);
  QSignalSpy turned(&view, &SliceView::slice_changed);
  QTest::keyClick(&view, Qt::Key_Up);
  EXPECT_EQ(other.slice(), view.slice());
  other.set_slice({2, 999});
  EXPECT_EQ(view.slice(), (images::SliceId{2, 29}));
  other.set_window(images::ct_windows().front());
  EXPECT_EQ(view.window().centre, -600);
  EXPECT_EQ(turned.count(), 2);
}

TEST_F(SliceViewTest, OverlaysAreDrawnInOrderOverTheImageAndFollowItsPlaces) {
  show();
  view.add_overlay([](QPainter& painter, const SliceView& shown) {
    painter.fillRect(QRectF(shown.to_widget({20, 20}), QSizeF(30, 30)), Qt::red);
  });
  view.add_overlay([](QPainter& painter, const SliceView& shown) {
    painter.fillRect(QRectF(shown.to_widget({20, 20}), QSizeF(10, 10)), Qt::green);
  });
  for (int zoomed = 0; zoomed < 2; ++zoomed) {
    const QPointF corner = view.to_widget({20, 20});
    const QImage image = picture();
    const double ratio = view.devicePixelRatioF();
    EXPECT_EQ(image.pixelColor(((corner + QPointF(5, 5)) * ratio).toPoint()), QColor(Qt::green));
    EXPECT_EQ(image.pixelColor(((corner + QPointF(20, 20)) * ratio).toPoint()), QColor(Qt::red));
    view.zoom_by(1.3, {150, 100});
  }
}

TEST_F(SliceViewTest, KeptOverlaysAreDrawnAnewForTheViewsSakeOrWhenAsked) {
  show();
  int kept = 0, live = 0;
  view.add_overlay(
      [&](QPainter& painter, const SliceView&) {
        ++kept;
        painter.fillRect(10, 10, 20, 20, Qt::red);
      },
      SliceView::Drawn::kept);
  view.add_overlay([&](QPainter& painter, const SliceView&) {
    ++live;
    painter.fillRect(10, 10, 5, 5, Qt::green);
  });
  const auto paint = [&] {
    const QImage image = picture();
    const double ratio = view.devicePixelRatioF();
    EXPECT_EQ(image.pixelColor((QPointF(12, 12) * ratio).toPoint()), QColor(Qt::green));
    EXPECT_EQ(image.pixelColor((QPointF(25, 25) * ratio).toPoint()), QColor(Qt::red));
    return std::pair(std::exchange(kept, 0), std::exchange(live, 0));
  };
  paint();
  EXPECT_EQ(paint(), std::pair(0, 1));
  view.refresh();
  EXPECT_EQ(paint(), std::pair(1, 1));
  view.pan_by({5, 5});
  EXPECT_EQ(paint(), std::pair(1, 1));
  view.set_slice({2, 3});
  EXPECT_EQ(paint(), std::pair(1, 1));
  view.set_window({0, 7, {}});
  EXPECT_EQ(paint(), std::pair(1, 1));
}

TEST_F(SliceViewTest, TheFocusIsSeen) {
  show();
  const QColor highlight = view.palette().color(QPalette::Highlight);
  EXPECT_NE(picture().pixelColor(1, 20), highlight);
  view.activateWindow();
  view.setFocus();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&view));
  EXPECT_EQ(view.grab().toImage().pixelColor(1, 20), highlight);
}

TEST_F(SliceViewTest, AnEmptyViewBearsEverything) {
  view.resize(200, 100);
  view.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
  turn_wheel(view, {10, 10}, 120);
  QTest::mouseClick(&view, Qt::LeftButton, {}, {20, 20});
  QTest::mouseMove(&view, {30, 20});
  QTest::keyClick(&view, Qt::Key_Up);
  view.set_slice({1, 3});
  EXPECT_EQ(picture().pixelColor(50, 50), QColor(Qt::black));
}

TEST_F(SliceViewTest, LooksAsOnTheBaselines) {
  show();
  view.resize(560, 400);
  view.set_crosshair(head_middle_mm + ball_offset_mm);
  view.set_slice(images::slice_at(view.document()->volume.geometry, 2, head_middle_mm + ball_offset_mm));
  QTest::mouseMove(&view, {300, 250});
  expect_like_baseline(view, "slice-axial");
  const Eigen::Matrix3d tilt(Eigen::AngleAxisd(0.6, Eigen::Vector3d(1, 0, 0)));
  view.set_document(head_phantom({80, 100, 30}, {2, 2, 6}, tilt));
  view.set_slice({0, 50});
  view.set_interpolation(images::Interpolation::nearest);
  QTest::mouseMove(&view, {310, 250});
  expect_like_baseline(view, "slice-oblique-sagittal");
}

}  // namespace
}  // namespace isolume::slices
