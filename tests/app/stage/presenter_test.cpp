#include "app/stage/presenter.h"

#include <cmath>

#include <gtest/gtest.h>

namespace isolume::stage {
namespace {

Camera first() {
  Camera camera;
  camera.distance = 5;
  camera.azimuth = 1;
  return camera;
}

TEST(Presenter, MovesTheCameraAndChangesTheScene) {
  Presenter presenter;
  Camera camera = first();
  EXPECT_FALSE(presenter.advance(10, camera, first()).scene);
  EXPECT_EQ(camera.azimuth, 1) << "it is off";
  presenter.set_on(true);
  int scenes = 0;
  double travelled = 0;
  for (int i = 0; i < 1000; ++i) {  // 100 s
    const float before = camera.azimuth;
    if (presenter.advance(0.1, camera, first()).scene) ++scenes;
    travelled += std::abs(std::remainder(camera.azimuth - before, 6.2831853F));
    EXPECT_GT(camera.distance, 0.5F * 5);
    EXPECT_LT(camera.distance, 2.0F * 5);
  }
  EXPECT_EQ(scenes, static_cast<int>(100 / Presenter::scene_seconds));
  EXPECT_GT(travelled, 3);
}

TEST(Presenter, HoldsStillForAPersonAndStartsAgainWhenNobodyIsThere) {
  Presenter presenter;
  presenter.set_on(true);
  Camera camera = first();
  presenter.advance(1, camera, first());
  camera.azimuth = 2;
  presenter.touched();
  int resets = 0;
  double until_reset = 0;
  for (double time = 0; time < 2 * Presenter::idle_seconds; time += 0.5) {
    const auto next = presenter.advance(0.5, camera, first());
    if (next.reset) {
      ++resets;
      until_reset = time;
    }
    if (resets == 0) {
      EXPECT_EQ(camera.azimuth, 2);
    }
  }
  EXPECT_EQ(resets, 1);
  EXPECT_NEAR(until_reset, Presenter::idle_seconds, 1);
  EXPECT_NE(camera.azimuth, 2);
}

}  // namespace
}  // namespace isolume::stage
