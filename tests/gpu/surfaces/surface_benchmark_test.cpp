#include "gpu/surfaces/surface_benchmark.h"

#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/surfaces/marching_cubes.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif

namespace isolume::gpu {
namespace {

class SurfaceBenchmark : public testing::Test {
 protected:
  void SetUp() override {
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices("1x sm90 64MiB");
#endif
    for (const auto& each : describe_devices()) {
      if (device == nullptr && each.usable) device = std::make_unique<GpuDevice>(each);
    }
    if (device == nullptr) GTEST_SKIP() << why_no_devices();
  }

  std::unique_ptr<GpuDevice> device;
};

/// A p orbital on a grid whose rows are no multiple of a run.
grid::ScalarField two_lobes() {
  grid::ScalarField field;
  field.grid.dimensions = {13, 12, 11};
  field.grid.step = 0.5 * Eigen::Matrix3d::Identity();
  for (int k = 0; k < 11; ++k) {
    for (int j = 0; j < 12; ++j) {
      for (int i = 0; i < 13; ++i) {
        const double z = 0.5 * (k - 5);
        const double x = 0.5 * (i - 6);
        const double y = 0.5 * j - 2.75;
        field.values.push_back(static_cast<float>(z * std::exp(-std::sqrt(x * x + y * y + z * z))));
      }
    }
  }
  return field;
}

TEST_F(SurfaceBenchmark, CountsBothSurfacesAndTimesEachStep) {
  const auto field = two_lobes();
  const auto times = time_surfaces(*device, field, 0.2, {.least_seconds = 0, .least_repeats = 1});
  std::size_t vertices = 0;
  std::size_t triangles = 0;
  const auto on_device = std::make_shared<const SurfaceField>(*device, field);
  for (const double isovalue : {0.2, -0.2}) {
    const MarchingCubes surface(on_device, isovalue);
    vertices += surface.vertex_count();
    triangles += surface.triangle_count();
  }
  EXPECT_GT(triangles, 100U);
  EXPECT_EQ(times.points, field.values.size());
  EXPECT_EQ(times.vertices, vertices);
  EXPECT_EQ(times.triangles, triangles);
  for (const auto& step : {times.upload, times.find, times.write, times.download, times.whole}) {
    EXPECT_GT(step.least_ms, 0);
    EXPECT_EQ(step.repeats, 1);
  }
  EXPECT_EQ(times.moved_bytes, least_bytes(field.grid, 2, vertices, triangles));
}

TEST_F(SurfaceBenchmark, TheBytesAreThoseOfTheFormula) {
  grid::Grid grid;
  grid.dimensions = {33, 4, 5};  // two runs a row
  EXPECT_EQ(least_bytes(grid, 1, 0, 0), 4 * 33 * 20 + 40 * 2 * 20);
  EXPECT_EQ(least_bytes(grid, 2, 10, 7), 2 * (4 * 33 * 20 + 40 * 2 * 20) + 240 + 84);
}

TEST_F(SurfaceBenchmark, AnEmptySurfaceIsTimedToo) {
  const auto times = time_surfaces(*device, two_lobes(), 9, {.least_seconds = 0, .least_repeats = 0});
  EXPECT_EQ(times.triangles, 0U);
  EXPECT_GT(times.find.median_ms, 0);
}

}  // namespace
}  // namespace isolume::gpu
