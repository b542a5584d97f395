#include "app/slices/heat_layer.h"

#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/app/slices/phantom.h"
#include "tests/app/slices/widget_baseline.h"

namespace isolume::slices {
namespace {

/// Distances from (20, 25) on slice 15 of 40 x 50 pixels; nothing right of x = 35.
HeatMap distances() {
  FieldValues values(40 * 50);
  for (int y = 0; y < 50; ++y) {
    for (int x = 0; x < 40; ++x) {
      values[static_cast<std::size_t>(y * 40 + x)] =
          x > 35 ? std::nanf("") : std::hypot(static_cast<float>(x - 20), static_cast<float>(y - 25));
    }
  }
  return make_heat_map({2, 15}, 40, 50, std::move(values), "Distance", "steps");
}

class HeatLayerTest : public testing::Test {
 protected:
  void SetUp() override {
    view.resize(500, 500);
    view.set_document(head_phantom({40, 50, 30}, {4, 4, 6}));
    view.set_window({5000, 100, {}});  // all black
    view.set_slice({2, 15});
    view.set_interpolation(images::Interpolation::nearest);
    view.set_texts_shown(false);
    view.add_overlay([this](QPainter& painter, const SliceView& shown) { layer.paint(painter, shown); });
    layer.set_map(distances());
    layer.set_levels_shown(false);
    layer.set_opacity(1);
  }
  QColor at(double x, double y) {
    return view.grab().toImage().pixelColor((view.to_widget({x, y}) * view.devicePixelRatioF()).toPoint());
  }
  SliceView view;
  HeatLayer layer;
};

TEST_F(HeatLayerTest, RangeLeavesOutWhatIsMissing) {
  EXPECT_FLOAT_EQ(static_cast<float>(layer.map().range.low), 0);
  EXPECT_FLOAT_EQ(static_cast<float>(layer.map().range.high), std::hypot(20.0F, 25.0F));
}

TEST_F(HeatLayerTest, ColoursAreViridisOverTheRangeBlendedByTheOpacity) {
  EXPECT_EQ(at(20, 25), QColor("#440154"));
  EXPECT_EQ(at(0, 0), QColor("#fde725"));
  EXPECT_EQ(at(37, 10), QColor(Qt::black));
  layer.set_opacity(0.5);
  const QColor half = at(0, 0);
  EXPECT_NEAR(half.red(), 0xfd / 2.0, 1);
  EXPECT_NEAR(half.green(), 0xe7 / 2.0, 1);
  EXPECT_NEAR(half.blue(), 0x25 / 2.0, 1);
}

TEST_F(HeatLayerTest, OnlyItsOwnSliceShowsIt) {
  view.set_slice({2, 16});
  EXPECT_EQ(at(0, 0), QColor(Qt::black));
  view.set_slice({2, 15});
  EXPECT_NE(at(0, 0), QColor(Qt::black));
  layer.clear();
  EXPECT_EQ(at(0, 0), QColor(Qt::black));
}

TEST_F(HeatLayerTest, TheFrontHidesWhatIsFartherAway) {
  layer.set_shown_up_to(10);
  EXPECT_NE(at(20, 30), QColor(Qt::black));
  EXPECT_EQ(at(20, 40), QColor(Qt::black));
  layer.set_shown_up_to(20);
  EXPECT_NE(at(20, 40), QColor(Qt::black));
}

TEST_F(HeatLayerTest, ItFollowsZoomAndPan) {
  const QColor before = at(12, 30);
  view.zoom_by(3, view.to_widget({12, 30}));
  view.pan_by({30, 80});
  ASSERT_TRUE(view.rect().contains(view.to_widget({12, 30}).toPoint()));
  EXPECT_EQ(at(12, 30), before);
}

TEST_F(HeatLayerTest, StepsOfTheLegendAreRound) {
  EXPECT_DOUBLE_EQ(layer.level_step(), 2);  // of a range of 32
}

TEST_F(HeatLayerTest, LooksAsOnTheBaseline) {
  view.set_window({40, 400, {}});
  view.set_interpolation(images::Interpolation::linear);
  layer.set_opacity(0.6);
  layer.set_levels_shown(true);
  layer.set_shown_up_to(22);
  expect_like_baseline(view, "slice-distance-layer");
}

}  // namespace
}  // namespace isolume::slices
