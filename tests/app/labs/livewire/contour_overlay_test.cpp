#include "app/labs/livewire/views/contour_overlay.h"

#include <QImage>
#include <QPainter>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "tests/app/slices/phantom.h"
#include "tests/app/slices/widget_baseline.h"

namespace isolume::labs::livewire {
namespace {

using contours::Contour;
using isolume::livewire::Tracer;
using isolume::livewire::TracerSettings;

const QColor blue("#0000ff"), red("#ff0000");

Contour ring(double x, double y, double radius, int slice, int label = 1) {
  contours::Polyline points;
  for (int i = 0; i < 360; ++i) {
    const double angle = i * std::numbers::pi / 180;
    points.emplace_back(x + radius * std::cos(angle), y + radius * std::sin(angle));
  }
  auto contour = contours::contour_from_outline(points, {2, slice}, true, label);
  contour.seeds = {points[0], points[90], points[180], points[270]};
  return contour;
}

class ContourOverlayTest : public testing::Test {
 protected:
  void SetUp() override {
    view.resize(500, 500);
    view.set_document(slices::head_phantom({100, 100, 30}, {2, 2, 6}));
    view.set_window({5000, 100, {}});  // all black
    view.set_texts_shown(false);
    view.set_slice({2, 15});
    set.put_label({.value = 1, .name = "Blue", .colour = blue.name().toStdString()});
    set.put_label({.value = 2, .name = "Red", .colour = red.name().toStdString()});
    view.add_overlay([this](QPainter& painter, const slices::SliceView& shown) {
      draw_contours(painter, shown, set, selected, style);
      if (draft) draw_draft(painter, shown, *draft, settings, blue, style);
    });
  }
  QImage picture() { return view.grab().toImage(); }
  QColor at(const QImage& image, const Eigen::Vector2d& place) {
    return image.pixelColor((view.to_widget(place) * view.devicePixelRatioF()).toPoint());
  }
  /// Whether this colour is within some pixels of the place.
  bool shows(const QImage& image, const Eigen::Vector2d& place, const QColor& colour, int reach = 2) {
    const QPoint middle = (view.to_widget(place) * view.devicePixelRatioF()).toPoint();
    for (int y = -reach; y <= reach; ++y) {
      for (int x = -reach; x <= reach; ++x) {
        if (image.pixelColor(middle + QPoint(x, y)) == colour) return true;
      }
    }
    return false;
  }

  slices::SliceView view;
  contours::ContourSet set;
  std::optional<std::uint64_t> selected;
  ContourStyle style;
  std::optional<Tracer::Draft> draft;
  TracerSettings settings;
};

TEST_F(ContourOverlayTest, OutlineAndFillAreInTheLabelsColour) {
  set.add(ring(50, 50, 20, 15));
  const QImage image = picture();
  EXPECT_TRUE(shows(image, {70, 50}, blue));
  EXPECT_TRUE(shows(image, {50, 30}, blue));
  EXPECT_NEAR(at(image, {50, 50}).blue(), 0.2 * 255, 1);
  EXPECT_EQ(at(image, {75, 50}), QColor(Qt::black));
}

/// Steps from pixel to pixel around a circle, as a wire goes.
Contour wire_ring(double radius, int slice) {
  contours::Polyline points;
  for (int i = 0; i <= 2000; ++i) {
    const double angle = i * std::numbers::pi / 1000;
    const Eigen::Vector2d pixel(std::round(50 + radius * std::cos(angle)),
                                std::round(50 + radius * std::sin(angle)));
    if (points.empty() || points.back() != pixel) points.push_back(pixel);
  }
  Contour contour;
  contour.slice = {2, slice};
  contour.seeds = {points.front()};
  contour.pieces = {{contours::PieceKind::wire, points}};
  return contour;
}

TEST_F(ContourOverlayTest, AWireIsDrawnWhereItIsMeasuredAndExported) {
  const auto contour = wire_ring(8, 15);
  set.add(contour);
  style = {.fill_opacity = 0, .line_px = 2};
  view.look_at({50, 50}, 12);
  const QImage image = picture();
  const double px = view.screen_px_per_pixel();
  ASSERT_GT(px, 15);
  const auto outline = contour.outline();
  double farthest_step = 0;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    EXPECT_TRUE(shows(image, (outline[i] + outline[(i + 1) % outline.size()]) / 2, blue, 1)) << i;
  }
  // The corners of the steps lie beside the line, which passes them.
  for (const auto& corner : contour.pieces[0].points) {
    double apart = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < outline.size(); ++i) {
      const Eigen::Vector2d side = outline[(i + 1) % outline.size()] - outline[i];
      const double t = std::clamp((corner - outline[i]).dot(side) / side.squaredNorm(), 0.0, 1.0);
      apart = std::min(apart, (corner - outline[i] - t * side).norm());
    }
    farthest_step = std::max(farthest_step, apart);
    if (apart * px > 5) {
      EXPECT_FALSE(shows(image, corner, blue, 1)) << corner.transpose();
    }
  }
  EXPECT_GT(farthest_step * px, 5);
}

TEST_F(ContourOverlayTest, OnlyWhatIsVisibleAndOnTheSliceIsDrawn) {
  set.add(ring(50, 50, 20, 16));
  auto hidden = ring(50, 50, 30, 15);
  hidden.visible = false;
  set.add(hidden);
  set.add(ring(50, 50, 40, 15, 2));
  set.put_label({.value = 2, .name = "Red", .colour = "#ff0000", .visible = false});
  QImage blank(picture().size(), picture().format());
  blank.fill(Qt::black);
  blank.setDevicePixelRatio(view.devicePixelRatioF());
  EXPECT_EQ(picture(), blank);
}

TEST_F(ContourOverlayTest, WhatIsCutOutIsHatchedAndSuggestionsAreDashed) {
  auto cut = ring(50, 50, 20, 15);
  cut.combination = contours::Combination::subtract;
  set.add(cut);
  auto guess = ring(50, 50, 40, 15, 2);
  guess.suggestion = true;
  set.add(guess);
  const QImage image = picture();
  int coloured = 0, empty = 0;
  for (double x = 40; x < 60; x += 0.25) (at(image, {x, 50}).blue() > 20 ? coloured : empty)++;
  EXPECT_GT(coloured, 5);
  EXPECT_GT(empty, 5);
  int dashes = 0, gaps = 0;
  for (int degree = 0; degree < 360; ++degree) {
    const double angle = degree * std::numbers::pi / 180;
    (shows(image, {50 + 40 * std::cos(angle), 50 + 40 * std::sin(angle)}, red, 1) ? dashes : gaps)++;
  }
  EXPECT_GT(dashes, 100);
  EXPECT_GT(gaps, 30);
  EXPECT_EQ(at(image, {15, 50}).red(), 0);  // not filled
}

/// As in a label map: what is cut out does not look as if it belonged to the label.
TEST_F(ContourOverlayTest, TheFillOfALabelIsItsArea) {
  set.add(ring(50, 50, 30, 15));
  set.add(ring(62, 50, 14, 15));  // within the first: not filled twice
  auto cut = ring(40, 50, 12, 15);
  cut.combination = contours::Combination::subtract;
  set.add(cut);
  set.add(ring(40, 50, 4, 15));
  const QImage image = picture();
  int hatched = 0, empty = 0;
  for (double y = 55; y < 61; y += 0.1) (at(image, {40, y}).blue() < 5 ? empty : hatched)++;
  EXPECT_GT(empty, 20);
  EXPECT_GT(hatched, 3);
  const int filled = at(image, {50, 70}).blue();
  EXPECT_NEAR(filled, 255 * style.fill_opacity, 3);
  EXPECT_EQ(at(image, {40, 51}).blue(), filled) << "the island";
  EXPECT_EQ(at(image, {62, 55}).blue(), filled) << "where two contours overlap";
}

TEST_F(ContourOverlayTest, SeedsAreHandlesOfTheSelectedContourUnlessItIsLocked) {
  auto contour = ring(50, 50, 20, 15);
  contour.id = set.add(contour);
  contour.name = set.find(contour.id)->name;
  EXPECT_FALSE(shows(picture(), {70, 50}, Qt::white));
  selected = contour.id;
  for (const auto& seed : contour.seeds) EXPECT_TRUE(shows(picture(), seed, Qt::white));
  contour.locked = true;
  set.replace(contour);
  for (const auto& seed : contour.seeds) EXPECT_FALSE(shows(picture(), seed, Qt::white));
}

TEST_F(ContourOverlayTest, OtherPlanesShowWhereTheyCutTheContours) {
  set.add(ring(50, 50, 20, 15));
  view.set_slice({1, 62});  // 12 rows off the middle: 16 columns to each side
  QImage image = picture();
  EXPECT_TRUE(shows(image, {50 - 16, 15}, blue));
  EXPECT_TRUE(shows(image, {50 + 16, 15}, blue));
  EXPECT_TRUE(shows(image, {50, 15}, blue));
  EXPECT_FALSE(shows(image, {50 + 20, 15}, blue));
  view.set_slice({0, 38});
  image = picture();
  EXPECT_TRUE(shows(image, {50 - 16, 15}, blue));
  EXPECT_FALSE(shows(image, {50, 12}, blue));
  view.set_slice({0, 75});
  EXPECT_FALSE(shows(picture(), {50, 15}, blue));
}

TEST_F(ContourOverlayTest, ManyContoursDoNotHideTheImageInOtherPlanes) {
  view.set_document(slices::head_phantom({100, 100, 100}, {2, 2, 1}));
  view.set_window({5000, 100, {}});
  const auto is_bluish = [&](const QImage& image, const Eigen::Vector2d& place) {
    int most = 0;  // of thin lines between two pixels, too
    for (double shift = -1; shift <= 1; shift += 0.1)
      most = std::max(most, at(image, place + Eigen::Vector2d(0, shift)).blue());
    return most > 80;
  };
  for (const int slice : {30, 70}) set.add(ring(50, 50, 20, slice));
  view.set_slice({1, 50});
  EXPECT_TRUE(is_bluish(picture(), {50, 70}));
  for (int slice = 31; slice < 70; ++slice) set.add(ring(50, 50, 20, slice));
  const QImage image = picture();
  EXPECT_FALSE(is_bluish(image, {50, 69}));
  for (const double x : {30.0, 70.0}) EXPECT_TRUE(is_bluish(image, {x, 69})) << "the outline";
}

TEST_F(ContourOverlayTest, ThinnedOutlinesCoverTheSameAreaAndAreShort) {
  std::mt19937 random(3);
  std::normal_distribution<double> step(0, 1);
  contours::Polyline walk{{50, 50}};
  for (int i = 0; i < 200000; ++i)
    walk.push_back(walk.back() + Eigen::Vector2d(step(random), step(random)) * 0.3);
  for (const double zoom : {0.2, 1.0, 4.0, 12.0}) {
    view.fit();
    view.zoom_by(zoom);
    QPolygonF full;
    for (const auto& point : walk) full << view.to_widget(point);
    const QPolygonF thinned = on_screen(view, walk);
    EXPECT_LT(thinned.size(), full.size());
    const auto filled = [&](const QPolygonF& polygon) {
      QImage image(view.size(), QImage::Format_Grayscale8);
      image.fill(0);
      QPainter painter(&image);
      painter.setPen(QPen(Qt::white, 5));
      painter.setBrush(Qt::gray);
      painter.drawPolygon(polygon, Qt::WindingFill);
      return image;
    };
    const QImage a = filled(full), b = filled(thinned);
    int differing = 0, drawn = 0;
    for (int y = 0; y < a.height(); ++y) {
      for (int x = 0; x < a.width(); ++x) {
        differing += a.pixel(x, y) != b.pixel(x, y);
        drawn += qGray(a.pixel(x, y)) > 0;
      }
    }
    // Steps below 0.7 pixels are left out, so rims move by as much.
    EXPECT_LT(differing, 0.06 * drawn + 50) << zoom;
  }
}

double distance_to(const QPolygonF& line, const QPointF& point) {
  double least = std::numeric_limits<double>::infinity();
  for (qsizetype i = 0; i + 1 < line.size(); ++i) {
    const QPointF along = line[i + 1] - line[i], to = point - line[i];
    const double length_squared = QPointF::dotProduct(along, along);
    const double part =
        length_squared > 0 ? std::clamp(QPointF::dotProduct(to, along) / length_squared, 0.0, 1.0) : 0;
    const QPointF off = to - along * part;
    least = std::min(least, std::hypot(off.x(), off.y()));
  }
  return least;
}

TEST_F(ContourOverlayTest, NoPointIsHalfAPixelOffTheThinnedLine) {
  contours::Polyline line;
  for (double t = 0; t < 1; t += 0.001) line.emplace_back(50 + 30 * std::sin(20 * t), 20 + 60 * t);
  for (double x = 50; x < 90; x += 0.05) line.emplace_back(x, 80);  // a spike, out and back
  for (double x = 90; x > 30; x -= 0.05) line.emplace_back(x, 80);
  std::mt19937 random(5);
  std::normal_distribution<double> step(0, 0.05);
  for (int i = 0; i < 1000; ++i) line.push_back(line.back() + Eigen::Vector2d(step(random), step(random)));
  const QPolygonF thinned = on_screen(view, line);
  EXPECT_LT(thinned.size(), static_cast<qsizetype>(line.size() / 4));
  double farthest = 0;
  for (const auto& point : line) farthest = std::max(farthest, distance_to(thinned, view.to_widget(point)));
  EXPECT_LT(farthest, 0.5);
  EXPECT_EQ(thinned.first(), view.to_widget(line.front()));
  EXPECT_EQ(thinned.last(), view.to_widget(line.back()));
}

TEST_F(ContourOverlayTest, ALongOutlineFarAwayIsAHandfulOfPoints) {
  view.zoom_by(50, view.to_widget({50, 50}));
  contours::Polyline around;
  for (int i = 0; i < 100000; ++i) {
    const double angle = i * 2 * std::numbers::pi / 100000;
    around.emplace_back(50 + 45 * std::cos(angle), 50 + 45 * std::sin(angle));
  }
  const QPolygonF thinned = on_screen(view, around);
  EXPECT_LT(thinned.size(), 20);
  EXPECT_TRUE(thinned.containsPoint({250, 250}, Qt::WindingFill));
}

TEST_F(ContourOverlayTest, TheDraftShowsItsWireItsSeedsAndThatAPressWouldClose) {
  draft.emplace();
  draft->slice = {2, 15};
  draft->seeds = {{20, 20}, {60, 20}};
  draft->pieces = {{.kind = contours::PieceKind::wire, .points = {{20, 20}, {60, 20}}}};
  draft->live = {{60, 20}, {60, 70}};
  draft->cursor = Eigen::Vector2d(60, 70);
  const QColor live("#f0e442");
  QImage image = picture();
  EXPECT_TRUE(shows(image, {40, 20}, blue));
  EXPECT_TRUE(shows(image, {60, 45}, live));
  EXPECT_TRUE(shows(image, {60, 70}, Qt::white));
  EXPECT_FALSE(shows(image, {20, 20}, live, 14));
  draft->snapped = true;
  draft->would_close = true;
  image = picture();
  EXPECT_TRUE(shows(image, {60, 70}, live));
  EXPECT_TRUE(shows(image, {20, 20}, live, 14));
  view.set_slice({2, 16});
  EXPECT_FALSE(shows(picture(), {60, 45}, live));
}

TEST_F(ContourOverlayTest, TheSnapRadiusIsSeenAroundThePointer) {
  view.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
  draft.emplace();
  draft->slice = {2, 15};
  const QPoint pointer = view.to_widget({50, 50}).toPoint();
  QTest::mouseMove(&view, pointer + QPoint(3, 0));
  QTest::mouseMove(&view, pointer);
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return view.pointer() && (view.to_widget(*view.pointer()) - pointer).manhattanLength() < 1; }));
  draft->cursor = view.to_place(pointer);
  settings.snap_radius_px = 6;  // at 5 screen pixels a pixel
  const Eigen::Vector2d rim = *draft->cursor + Eigen::Vector2d(0, 6);
  const auto brightest = [&] {
    const QImage image = picture();
    const QPoint middle = (view.to_widget(rim) * view.devicePixelRatioF()).toPoint();
    int found = 0;
    for (int y = -2; y <= 2; ++y) found = std::max(found, qGray(image.pixel(middle + QPoint(0, y))));
    return found;
  };
  EXPECT_GT(brightest(), 60);
  settings.snap = false;
  EXPECT_EQ(brightest(), 0);
}

TEST_F(ContourOverlayTest, LooksAsOnTheBaseline) {
  set = {};
  for (int i = 1; i < 4; ++i)
    set.put_label({.value = i, .name = "Label", .colour = contours::label_colour(i - 1)});
  selected = set.add(ring(50, 50, 25, 15, 1));
  auto cut = ring(50, 50, 10, 15, 1);
  cut.combination = contours::Combination::subtract;
  set.add(cut);
  auto guess = ring(72, 75, 12, 15, 2);
  guess.suggestion = true;
  set.add(guess);
  auto locked = ring(22, 22, 10, 15, 3);
  locked.locked = true;
  set.add(locked);
  set.add(contours::contour_from_outline({{10, 70}, {20, 80}, {30, 75}, {35, 90}}, {2, 15}, false, 2));
  draft.emplace();
  draft->slice = {2, 15};
  draft->seeds = {{70, 15}, {90, 20}};
  draft->pieces = {{.kind = contours::PieceKind::wire, .points = {{70, 15}, {80, 10}, {90, 20}}}};
  draft->live = {{90, 20}, {88, 40}, {73, 17}};
  draft->cursor = Eigen::Vector2d(73, 17);
  draft->snapped = draft->would_close = true;
  draft->cooling_fraction = 0.6;
  view.set_window({40, 400, {}});
  slices::expect_like_baseline(view, "livewire-contours");
}

}  // namespace
}  // namespace isolume::labs::livewire
