// Fluid registration on GPUs: the CPU's steps up to rounding, the same bits in any order of blocks, and what becomes of
// faults and of what GPUs do not compute.
#include "gpu/anatomy/fluid_engine.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/anatomy/fluid.h"
#include "core/base/error.h"
#include "core/volumes/resize.h"
#include "core/volumes/warp.h"
#include "gpu/anatomy/engines.h"
#include "gpu/machine.h"
#include "gpu/runtime/algorithms/fourier.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif

namespace isolume::gpu {
namespace {

using namespace anatomy;

constexpr Counts box{33, 20, 16};  // 33 is padded to 35
constexpr Spacing spacing{1.5, 1, 1.2};

template <class Function>
FieldValues volume_of(const Counts& counts, const Function& function) {
  FieldValues values;
  for (int z = 0; z < counts[2]; ++z) {
    for (int y = 0; y < counts[1]; ++y) {
      for (int x = 0; x < counts[0]; ++x) values.push_back(static_cast<float>(function(x, y, z)));
    }
  }
  return values;
}
double texture(double x, double y, double z) {
  return std::sin(0.4 * x + 0.3 * y) + std::cos(0.5 * y - 0.3 * z) + std::sin(0.45 * z + 0.2 * x);
}
FieldValues moving_image(const Counts& counts = box) {
  return volume_of(counts, texture);
}
FieldValues fixed_image(const Counts& counts = box, double part = 1) {
  return volume_of(counts, [&](double x, double y, double z) {
    const double bump =
        std::sin(std::numbers::pi * x / (counts[0] - 1)) * std::sin(std::numbers::pi * y / (counts[1] - 1));
    return texture(x + part * 1.5 * bump, y - part * bump, z);
  });
}

double largest_difference(const VectorField& a, const VectorField& b) {
  double largest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < a.components[axis].size(); ++i)
      largest = std::max(largest, static_cast<double>(std::abs(a.data(axis)[i] - b.data(axis)[i])));
  }
  return largest;
}

class GpuFluid : public testing::Test {
 protected:
  void SetUp() override { use("1x sm90 512MiB"); }
  void use([[maybe_unused]] const char* machine) {
    compute.engines.reset();
    pool.reset();
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices(machine);
#endif
    pool = make_device_pool();
    if (pool->devices().size() == 1) GTEST_SKIP() << pool->why_no_gpu();
    try {
      fourier_library();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    compute.engines = std::make_shared<const FluidEngines>(make_fluid_engines(pool));
    compute.options.engine = compute.engines->engines().front()->name();
  }
  Registration on_gpu(const FluidParameters& parameters, const Counts& counts = box, const Masks& masks = {},
                      const OnIteration& on_iteration = {}) {
    return register_images(fixed_image(counts), moving_image(counts), counts, spacing, parameters,
                           levels_of(counts, parameters), {}, on_iteration, {}, {}, masks, compute);
  }
  static Registration on_cpu(const FluidParameters& parameters, const Counts& counts = box,
                             const Masks& masks = {}) {
    return register_images(fixed_image(counts), moving_image(counts), counts, spacing, parameters,
                           levels_of(counts, parameters), {}, {}, {}, {}, masks);
  }

  std::shared_ptr<dispatch::DevicePool> pool;
  FluidCompute compute;
};

/// Of the same steps, displacements differ by the rounding of 2^-24 of what they are made of, which accumulates.
void expect_same_registration(const Registration& gpu, const Registration& cpu) {
  ASSERT_EQ(gpu.levels.size(), cpu.levels.size());
  for (std::size_t i = 0; i < gpu.levels.size(); ++i) {
    EXPECT_EQ(gpu.levels[i].iterations, cpu.levels[i].iterations);
    EXPECT_NEAR(gpu.levels[i].mismatch_before, cpu.levels[i].mismatch_before, 1e-5);
    EXPECT_NEAR(gpu.levels[i].mismatch_after, cpu.levels[i].mismatch_after, 1e-5);
    EXPECT_NEAR(gpu.levels[i].least_jacobian, cpu.levels[i].least_jacobian, 1e-3);
  }
  EXPECT_LT(cpu.mismatch_after, 0.5 * cpu.mismatch_before) << "something has moved";
  EXPECT_LT(largest_difference(gpu.displacement, cpu.displacement), 1e-4) << "voxels";
}

TEST_F(GpuFluid, TakesTheStepsOfTheCpu) {
  const FluidParameters parameters{.smoothness_mm = 3, .largest_step = 0.3, .levels = 2, .iterations = 8};
  const Registration gpu = on_gpu(parameters);
  expect_same_registration(gpu, on_cpu(parameters));
  EXPECT_EQ(gpu.report.who, pool->devices()[1]->name());
  EXPECT_EQ(gpu.report.tiles(), gpu.levels.size()) << "a tile for each level";
  EXPECT_TRUE(remarks_of(gpu.report).empty());
}

TEST_F(GpuFluid, TakesThemWithCompressibilityMasksAndSlices) {
  const FluidParameters parameters{
      .smoothness_mm = 3, .compressibility = 0.8, .largest_step = 0.3, .levels = 1, .iterations = 6};
  expect_same_registration(on_gpu(parameters), on_cpu(parameters));
  const FieldValues mask = volume_of(box, [](int x, int y, int) { return x > 4 && y < 15 ? 1 : 0; });
  const Masks masks{.fixed = mask, .moving = {}};
  expect_same_registration(on_gpu(parameters, box, masks), on_cpu(parameters, box, masks));
  const Counts slice{30, 22, 1};
  const Registration flat = on_gpu(parameters, slice);
  expect_same_registration(flat, on_cpu(parameters, slice));
  EXPECT_EQ(volumes::largest_length(flat.displacement, {0, 0, 1}), 0) << "within the slice";
}

/// The windows' Gaussian differs from the CPU's by 5e-4 of its peak, and with it the mismatch and the force.
TEST_F(GpuFluid, FollowsCorrelationsAndGaussiansNearlyAsTheCpuDoes) {
  const Counts small{20, 18, 16};
  const FieldValues mask = volume_of(small, [](int x, int y, int) { return x > 4 && y < 15 ? 1 : 0; });
  for (const Masks& masks : {Masks{}, Masks{.fixed = mask, .moving = {}}}) {
    const FluidParameters parameters{.smoothness_mm = 3,
                                     .metric = Metric::correlation,
                                     .window = 1.5,
                                     .largest_step = 0.3,
                                     .levels = 1,
                                     .iterations = 3};
    const Registration gpu = on_gpu(parameters, small, masks), cpu = on_cpu(parameters, small, masks);
    EXPECT_NEAR(gpu.levels[0].mismatch_before, cpu.levels[0].mismatch_before, 1e-3);
    EXPECT_NEAR(gpu.levels[0].mismatch_after, cpu.levels[0].mismatch_after, 1e-3);
    EXPECT_GT(volumes::largest_length(cpu.displacement), 0.5) << "voxels: something has moved";
    EXPECT_LT(largest_difference(gpu.displacement, cpu.displacement), 5e-3) << "voxels";
  }
  const FluidParameters gaussian{.smoothness_mm = 2,
                                 .smoothing = Smoothing::gaussian,
                                 .largest_step = 0.3,
                                 .levels = 1,
                                 .iterations = 3};
  const Registration gpu = on_gpu(gaussian, small), cpu = on_cpu(gaussian, small);
  EXPECT_GT(volumes::largest_length(cpu.displacement), 0.5) << "voxels: something has moved";
  EXPECT_LT(largest_difference(gpu.displacement, cpu.displacement), 5e-3) << "voxels";
}

/// A first step that is longer than the way.
TEST_F(GpuFluid, TakesBackStepsAsTheCpuDoes) {
  const FluidParameters parameters{.smoothness_mm = 3, .largest_step = 1, .levels = 1, .iterations = 8};
  const auto registered = [&](const FluidCompute& by, const OnIteration& on_iteration) {
    return register_images(fixed_image(box, 0.2), moving_image(), box, spacing, parameters,
                           levels_of(box, parameters), {}, on_iteration, {}, {}, {}, by);
  };
  int taken_back = 0;
  const Registration gpu = registered(compute, [&](const Iteration& now) {
    if (now.longest_step_voxels == 0) ++taken_back;
  });
  EXPECT_GT(taken_back, 0);
  expect_same_registration(gpu, registered({}, {}));
}

TEST_F(GpuFluid, ShowsTheDisplacementOfAnIteration) {
  const FluidParameters parameters{.smoothness_mm = 3, .levels = 1, .iterations = 3};
  VectorField last;
  const Registration found = on_gpu(parameters, box, {}, [&](const Iteration& now) {
    if (now.iteration != 1)
      last = now.displacement;  // the host's copy of one that was not asked for is skipped
    EXPECT_NEAR(now.longest_step_voxels, 0.5, now.iteration == 0 ? 1e-6 : 0.5);
  });
  EXPECT_EQ(largest_difference(last, found.displacement), 0);
}

#ifdef ISOLUME_GPU_EMULATED
TEST_F(GpuFluid, HasTheSameBitsInAnyOrderOfBlocksAndStreams) {
  const FluidParameters parameters{.smoothness_mm = 3, .levels = 1, .iterations = 3};
  const Registration first = on_gpu(parameters);
  for (const auto order : {emulator::StreamOrder::eager, emulator::StreamOrder::shuffled}) {
    compute.engines.reset();
    pool.reset();
    emulator::Options options = emulator::with_streams(order, 7);
    options.blocks = emulator::BlockOrder::shuffled;
    options.block_seed = 11;
    emulator::set_devices("1x sm90 512MiB", options);
    pool = make_device_pool();
    compute.engines = std::make_shared<const FluidEngines>(make_fluid_engines(pool));
    EXPECT_EQ(largest_difference(on_gpu(parameters).displacement, first.displacement), 0);
  }
}

TEST_F(GpuFluid, TheCpuContinuesWhereADeviceFails) {
  const FluidParameters parameters{.smoothness_mm = 3, .levels = 1, .iterations = 6};
  const Registration cpu = on_cpu(parameters);
  use("1x sm90 512MiB fails@20");
  EXPECT_THROW(on_gpu(parameters), dispatch::DeviceLost) << "the engine was named";
  use("1x sm90 512MiB fails@20");
  compute.options.engine = "auto";
  int iterations = 0;
  const Registration found = on_gpu(parameters, box, {}, [&](const Iteration&) { ++iterations; });
  EXPECT_EQ(largest_difference(found.displacement, cpu.displacement), 0);
  EXPECT_GT(iterations, 6) << "some by the device";
  EXPECT_EQ(found.levels.size(), 1U);
  EXPECT_NE(found.report.reason, "");
  const Remarks remarks = remarks_of(found.report);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_NE(remarks[0].text.find("the CPU computed in its place"), std::string::npos) << remarks[0].text;
  EXPECT_NE(pool->devices()[1]->set_aside_because(), "");
}

TEST_F(GpuFluid, VolumesLargerThanTheDevicesMemoryAreTheCpus) {
  const FluidParameters parameters{.smoothness_mm = 3, .levels = 1, .iterations = 2};
  const Counts larger{64, 64, 48};
  use("1x sm90 12MiB");
  EXPECT_THROW(on_gpu(parameters, larger), ResourceError);
  compute.options.engine = "auto";
  const Registration found = on_gpu(parameters, larger);
  EXPECT_NE(found.report.reason.find("64 x 64 x 48 voxels"), std::string::npos) << found.report.reason;
  EXPECT_EQ(largest_difference(found.displacement, on_cpu(parameters, larger).displacement), 0);
}
#endif

TEST_F(GpuFluid, LeavesToTheCpuWhatItDoesNotCompute) {
  const FluidParameters information{
      .smoothness_mm = 3, .metric = Metric::mutual_information, .levels = 1, .iterations = 2};
  EXPECT_THROW(on_gpu(information), Error);
  compute.options.kernel = "fast";
  EXPECT_THROW(on_gpu({.smoothness_mm = 3, .levels = 1, .iterations = 2}), Error);
  compute.options = {};
  const Registration found = on_gpu(information);
  EXPECT_NE(found.report.reason.find("mutual information"), std::string::npos) << found.report.reason;
  EXPECT_EQ(largest_difference(found.displacement, on_cpu(information).displacement), 0);
  // So are surfaces and classes of tissue.
  const FluidParameters parameters{.smoothness_mm = 3, .levels = 1, .iterations = 2};
  const ClassPair classes{.fixed = {fixed_image(), moving_image()},
                          .moving = {moving_image(), fixed_image()}};
  const SurfaceTerm surfaces{
      .pairs = {{.name = "tetrahedron",
                 .fixed = {.points = {{2, 2, 2}, {9, 2, 2}, {2, 9, 2}, {2, 2, 9}},
                           .triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}},
                 .moving = {.points = {{3, 3, 3}, {9, 3, 3}, {3, 9, 3}, {3, 3, 9}},
                            .triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}}}}};
  const auto reason_with = [&](const SurfaceTerm& with_surfaces, const ClassPair& with_classes) {
    return register_images(fixed_image(), moving_image(), box, spacing, parameters,
                           levels_of(box, parameters), {}, {}, {}, {}, {}, compute, with_surfaces,
                           with_classes)
        .report.reason;
  };
  EXPECT_NE(reason_with(surfaces, {}).find("surfaces"), std::string::npos) << reason_with(surfaces, {});
  EXPECT_NE(reason_with({}, classes).find("classes"), std::string::npos) << reason_with({}, classes);
}

TEST_F(GpuFluid, CanBeCancelled) {
  std::stop_source stop;
  const FluidParameters parameters{.smoothness_mm = 3, .levels = 1, .iterations = 20};
  int iterations = 0;
  const auto cancel = [&](const Iteration&) {
    if (++iterations == 3) stop.request_stop();
  };
  EXPECT_THROW(
      register_images(fixed_image(), moving_image(), box, spacing, parameters, levels_of(box, parameters), {},
                      cancel, jobs::Progress(stop.get_token(), {}), {}, {}, compute),
      Cancelled);
  EXPECT_EQ(iterations, 3);
}

}  // namespace
}  // namespace isolume::gpu
