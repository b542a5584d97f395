// The permuted chaos game on GPUs: the CPU's game up to rounding, the same histogram from any number of devices, and
// what becomes of faults.
#include "gpu/flames/flame_engine.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/flames/evolve.h"
#include "core/flames/variations.h"
#include "gpu/runtime/devices/devices.h"
#include "gpu/runtime/devices/gpu_device.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif
#include "tests/core/flames/histograms.h"

namespace isolume::gpu {
namespace {

using namespace flames;

std::shared_ptr<dispatch::DevicePool> pool_of_this_machine() {
  std::vector<std::unique_ptr<dispatch::Device>> devices;
  devices.push_back(dispatch::make_cpu_device(1));
  for (const auto& each : describe_devices()) devices.push_back(std::make_unique<GpuDevice>(each));
  return std::make_shared<dispatch::DevicePool>(std::move(devices), why_no_devices());
}

class GpuFlames : public testing::Test {
 protected:
  void SetUp() override { use("1x sm90 512MiB"); }
  void use([[maybe_unused]] const char* machine) {
    pool.reset();
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices(machine);
#endif
    pool = pool_of_this_machine();
    if (pool->devices().size() == 1) GTEST_SKIP() << pool->why_no_gpu();
  }
  Tally on_gpu(const Flame& flame, CloudRange clouds, std::int64_t clouds_per_tile = 0) {
    Tally tally(flame.view.width, flame.view.height);
    report = make_flame_engine(pool, clouds_per_tile)->play(compile(flame, flame.view), clouds, tally);
    return tally;
  }
  static Tally on_cpu(const Flame& flame, CloudRange clouds) {
    return flames::test::played(*make_cpu_engine(), flame, flame.view, clouds);
  }

  std::shared_ptr<dispatch::DevicePool> pool;
  dispatch::Report report;
};

/// Part of the points that lie in other pixels.
double moved_part(const Tally& a, const Tally& b) {
  double moved = 0;
  for (std::size_t i = 0; i < a.bins.size(); ++i)
    moved += std::abs(static_cast<double>(a.bins[i].count) - static_cast<double>(b.bins[i].count)) / 2;
  return moved / static_cast<double>(a.points);
}

TEST_F(GpuFlames, ContractiveFlamesHaveTheSamePointsAsOnTheCpu) {
  Flame flame = gasket();
  flame.view = {.width = 128, .height = 128, .x = 0.5, .y = 0.5, .scale = 128};
  flame.functions[1].affine = {0.4, -0.3, 0.5, 0.3, 0.4, 0.1};
  flame.functions[1].terms = {term_of(Variation::linear, 0.8), term_of(Variation::sinusoidal, 0.2)};
  flame.functions[2].opacity = 0.5;
  flame.final_transform = Function{.colour_speed = 0.1, .affine = {0.9, 0, 0, 0, 0.9, 0}, .terms = {Term{}}};
  const auto gpu = on_gpu(flame, {0, 1}), cpu = on_cpu(flame, {0, 1});
  EXPECT_EQ(gpu.points, cpu.points);
  // Rounding moves points that lie within 1e-7 of the edge of a pixel.
  EXPECT_LT(moved_part(gpu, cpu), 1e-3);
  EXPECT_GT(moved_part(gpu, on_cpu(flame, {1, 1})), 0.02) << "another cloud";
  double red = 0, cpu_red = 0;
  for (const auto& bin : gpu.bins) red += static_cast<double>(bin.red);
  for (const auto& bin : cpu.bins) cpu_red += static_cast<double>(bin.red);
  EXPECT_NEAR(red / cpu_red, 1, 1e-3);
  EXPECT_EQ(report.kernel, "permuted");
}

TEST_F(GpuFlames, AllVariationsHaveTheDistributionOfTheCpu) {
  // Four variations to a flame.
  for (int first = 0; first < variation_count; first += 4) {
    Flame flame = gasket();
    flame.view = {.width = 160, .height = 100, .scale = 32};
    flame.functions[1].affine = {0.8, -0.3, 0.3, 0.4, 0.7, 0.2};
    flame.functions[1].terms.clear();
    for (int k = first; k < std::min(first + 4, variation_count); ++k) {
      flame.functions.push_back(flame.functions[1]);
      flame.functions.back().terms = {term_of(static_cast<Variation>(k), 0.7)};
    }
    flame.functions.erase(flame.functions.begin() + 1);
    const auto gpu = on_gpu(flame, {0, 1}), cpu = on_cpu(flame, {50, 4});
    EXPECT_LT(flames::test::chi_square(gpu, cpu, 10), 4) << info(static_cast<Variation>(first)).name;
  }
}

TEST_F(GpuFlames, DevicesAddTheirHistograms) {
  const Flame flame = random_flame(3, 96, 64);
  const auto one = on_gpu(flame, {5, 5}, 1);
  use("3x sm90 512MiB");
  EXPECT_EQ(on_gpu(flame, {5, 5}, 1), one);
  EXPECT_EQ(on_gpu(flame, {5, 5}, 2), one) << "tiles of other sizes";
  EXPECT_EQ(on_gpu(flame, {5, 5}), one);
}

#ifdef ISOLUME_GPU_EMULATED
TEST_F(GpuFlames, ADeviceThatFailsLosesNoPoints) {
  const Flame flame = random_flame(3, 96, 64);
  const auto expected = on_gpu(flame, {0, 6}, 1);
  use("1x sm90 512MiB, 1x sm90 512MiB fails@2");
  EXPECT_EQ(on_gpu(flame, {0, 6}, 1), expected);
  use("1x sm90 512MiB fails@2");
  Tally tally(96, 64);
  EXPECT_THROW(make_flame_engine(pool, 1)->play(compile(flame, flame.view), {0, 6}, tally), Error);
  EXPECT_EQ(tally, Tally(96, 64)) << "unchanged, so that another engine can take over";
}

TEST_F(GpuFlames, RefusesAPictureThatDoesNotFit) {
  use("1x sm90 16MiB");
  Flame flame = gasket();
  flame.view.width = flame.view.height = 1024;
  Tally tally(1024, 1024);
  EXPECT_THROW(make_flame_engine(pool)->play(compile(flame, flame.view), {0, 1}, tally), ResourceError);
}
#endif

TEST_F(GpuFlames, CancelledAndUnknownKernelsAreRefused) {
  const Flame flame = gasket();
  Tally tally(flame.view.width, flame.view.height);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(make_flame_engine(pool)->play(compile(flame, flame.view), {0, 4}, tally, {},
                                             jobs::Progress(stop.get_token(), {})),
               Cancelled);
  dispatch::ComputeOptions options;
  options.kernel = "divergent";
  EXPECT_THROW(make_flame_engine(pool)->play(compile(flame, flame.view), {0, 4}, tally, options), Error);
}

}  // namespace
}  // namespace isolume::gpu
