// Atlases on several GPUs: the CPU's steps up to rounding, the same bits on any number of devices, and what becomes of a device
// that fails or is too small.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/anatomy/atlas.h"
#include "core/anatomy/fluid.h"
#include "core/anatomy/fluid_calibration.h"
#include "core/base/error.h"
#include "gpu/anatomy/engines.h"
#include "gpu/anatomy/fluid_engine.h"
#include "gpu/machine.h"
#include "gpu/runtime/algorithms/fourier.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif

namespace isolume::gpu {
namespace {

using namespace anatomy;

constexpr Counts atlas_box{18, 14, 12};
constexpr Spacing atlas_spacing{1.5, 1, 1.2};

FieldValues ball(double radius, double shift) {
  FieldValues values;
  for (int z = 0; z < atlas_box[2]; ++z) {
    for (int y = 0; y < atlas_box[1]; ++y) {
      for (int x = 0; x < atlas_box[0]; ++x) {
        const double r = std::hypot(1.5 * (x - 8.5) - shift, y - 6.5, 1.2 * (z - 5.5));
        values.push_back(static_cast<float>(1 / (1 + std::exp(r - radius))));
      }
    }
  }
  return values;
}
const std::vector<FieldValues>& images() {
  static const std::vector<FieldValues> all{ball(3, 0), ball(4, 1), ball(5, -1), ball(3.5, 0.5),
                                            ball(4.5, -0.5)};
  return all;
}
const std::vector<double> weights{1, 0.3, 2, 0.7, 1};

FluidParameters parameters_of(Metric metric = Metric::squares) {
  return {.smoothness_mm = 3,
          .metric = metric,
          .window = 1.5,
          .largest_step = 0.3,
          .levels = metric == Metric::squares ? 2 : 1,
          .iterations = 2};
}

class GpuAtlas : public testing::Test {
 protected:
  void SetUp() override { use("1x sm90 64MiB"); }
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
  Atlas atlas(const FluidParameters& parameters, const FluidCompute& by) const {
    return build_atlas(images(), weights, atlas_box, atlas_spacing, parameters,
                       levels_of(atlas_box, parameters), {}, {}, {}, by);
  }
  Atlas on_gpus(const FluidParameters& parameters = parameters_of()) const {
    return atlas(parameters, compute);
  }

  std::shared_ptr<dispatch::DevicePool> pool;
  FluidCompute compute;
};

double largest_difference_of_means(const Atlas& a, const Atlas& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.mean.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a.mean[i]) - static_cast<double>(b.mean[i])));
  return largest;
}
void expect_same_bits(const Atlas& a, const Atlas& b) {
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.variance, b.variance);
  for (std::size_t i = 0; i < images().size(); ++i)
    EXPECT_EQ(a.images->field(i).components, b.images->field(i).components);
}

/// Windows of correlations differ by 5e-4 of their peak, and with them the forces.
TEST_F(GpuAtlas, TakesTheStepsOfTheCpu) {
  for (const Metric metric : {Metric::squares, Metric::correlation}) {
    const double tolerance = metric == Metric::squares ? 1e-5 : 2e-3;
    const Atlas gpu = on_gpus(parameters_of(metric)), cpu = atlas(parameters_of(metric), {});
    EXPECT_LT(cpu.spread_after, 0.9 * cpu.spread_before) << "something has moved";
    EXPECT_LT(largest_difference_of_means(gpu, cpu), tolerance);
    EXPECT_NEAR(gpu.spread_after, cpu.spread_after, tolerance);
    EXPECT_TRUE(remarks_of(gpu.report).empty());
  }
}

#ifdef ISOLUME_GPU_EMULATED
TEST_F(GpuAtlas, HasTheSameBitsOnAnyNumberOfDevices) {
  const Atlas one = on_gpus();
  for (const char* machine : {"2x sm90 64MiB", "4x sm90 64MiB"}) {
    use(machine);
    const Atlas several = on_gpus();
    expect_same_bits(several, one);
    EXPECT_EQ(several.report.shares.size(), pool->devices().size() - 1) << "all of them take part";
    // Five images at each of two levels.
    EXPECT_EQ(several.report.tiles(), 10U);
  }
}

TEST_F(GpuAtlas, ImagesOfADeviceThatFailsGoToTheOthers) {
  const Atlas one = on_gpus();
  use("1x sm90 64MiB, 1x sm90 64MiB fails@40");
  const Atlas found = on_gpus();
  expect_same_bits(found, one);
  const Remarks remarks = remarks_of(found.report);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_NE(remarks[0].text.find("other GPUs computed in its place"), std::string::npos) << remarks[0].text;
  EXPECT_NE(pool->devices()[2]->set_aside_because(), "");
}

TEST_F(GpuAtlas, TheCpuContinuesWhereAllFail) {
  use("1x sm90 64MiB fails@40");
  EXPECT_THROW(on_gpus(), dispatch::DeviceLost) << "the engine was named";
  use("1x sm90 64MiB fails@40");
  // Levels of fewer voxels than "auto" gives to emulated devices: the device is named.
  const auto engines = std::make_shared<FluidEngines>(pool);
  engines->add(
      make_gpu_fluid_engine(pool, std::make_shared<FluidCalibration>(
                                      [](const dispatch::Device& device, const FluidParameters&, int side) {
                                        const bool is_cpu = device.kind() == dispatch::DeviceKind::cpu;
                                        return (is_cpu ? 1e-6 : 1e-9) * side * side * side;
                                      })));
  engines->add(make_cpu_fluid_engine());
  const Atlas found = atlas(parameters_of(), {.engines = engines});
  expect_same_bits(found, atlas(parameters_of(), {}));
  const Remarks remarks = remarks_of(found.report);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_NE(remarks[0].text.find("the CPU computed in its place"), std::string::npos) << remarks[0].text;
}

/// A device of 4 MiB, of which four fifths may be used, holds one of the five images.
TEST_F(GpuAtlas, DealsImagesByTimeAndMemory) {
  use("2x sm90 64MiB");
  const FluidParameters parameters = parameters_of();
  const AtlasShape shape{
      .counts = {32, 32, 32}, .spacing_mm = atlas_spacing, .parameters = parameters, .images = 5};
  const auto images_of = [](const LevelPlan& plan) {
    std::vector<std::size_t> images;
    for (const auto& each : plan.parts) images.push_back(each.images);
    return images;
  };
  EXPECT_EQ(images_of(plan_level(compute, shape)), (std::vector<std::size_t>{3, 2})) << "times are not known";
  const auto calibrated = [&](double on_first) {
    return make_gpu_fluid_engine(
        pool, std::make_shared<FluidCalibration>(
                  [this, on_first](const dispatch::Device& device, const FluidParameters&, int side) {
                    return (&device == pool->devices()[1] ? on_first : 1.0) * 1e-9 * side * side * side;
                  }));
  };
  const LevelPlan plan = calibrated(0.2)->plan(shape, {});
  EXPECT_EQ(images_of(plan), (std::vector<std::size_t>{4, 1}));
  EXPECT_EQ(plan.parts[0].number, 1);
  EXPECT_EQ(plan.parts[1].first, 4U);
  EXPECT_NEAR(plan.parts[0].seconds, 4 * 0.2e-9 * 32768, 1e-9);
  // Images of 5 numbers, 13 of the steps and 4 of the sums (the transforms' halves have one mode more).
  EXPECT_NEAR(static_cast<double>(plan.parts[0].bytes), (4 * 5 + 13 + 4) * 4.0 * 32768, 0.05 * 4e6);
  const std::string named(plan_level(compute, shape).engine);
  EXPECT_EQ(named, compute.options.engine);
  compute.options.devices = "2";
  EXPECT_EQ(images_of(plan_level(compute, shape)), (std::vector<std::size_t>{5}));
  compute.options.devices = "all";
  use("1x sm90 64MiB, 1x sm90 4MiB");
  EXPECT_EQ(images_of(plan_level(compute, shape)), (std::vector<std::size_t>{4, 1})) << "by memory";
  use("1x sm90 4MiB");
  EXPECT_THROW(plan_level(compute, shape), ResourceError);
  compute.options.engine = "auto";
  const LevelPlan on_cpu = plan_level(compute, shape);
  EXPECT_EQ(on_cpu.engine, "cpu");
  EXPECT_NE(on_cpu.reason.find("5 images"), std::string::npos) << on_cpu.reason;
  const auto seconds = json_of(plan_atlas(compute, 5, shape.counts, atlas_spacing, parameters));
  EXPECT_EQ(seconds["levels"].size(), 2U);
  EXPECT_GT(seconds["seconds"].get<double>(), 0) << "by dry iterations of the CPU";
}

TEST_F(GpuAtlas, ARegistrationTakesTheFastestOfSeveralDevices) {
  use("2x sm90 64MiB");
  const FluidParameters parameters{.smoothness_mm = 3, .levels = 1, .iterations = 1};
  for (const std::size_t fastest : {std::size_t{1}, std::size_t{2}}) {
    const auto engines = std::make_shared<FluidEngines>(pool);
    engines->add(make_gpu_fluid_engine(
        pool, std::make_shared<FluidCalibration>(
                  [&](const dispatch::Device& device, const FluidParameters&, int side) {
                    return (&device == pool->devices()[fastest] ? 1 : 2) * 1e-9 * side * side * side;
                  })));
    const Registration found =
        register_images(images()[0], images()[2], atlas_box, atlas_spacing, parameters, {{atlas_box, 1}}, {},
                        {}, {}, {}, {}, {.engines = engines, .options = compute.options});
    ASSERT_EQ(found.report.shares.size(), 1U);
    EXPECT_EQ(found.report.shares[0].which, pool->devices()[fastest]);
  }
}
#endif

TEST_F(GpuAtlas, AutoTakesWhatIsFasterByItsTimes) {
  const FluidParameters parameters = parameters_of();
  for (const double on_gpu : {0.5, 2.0}) {
    FluidEngines engines(pool);
    engines.add(make_gpu_fluid_engine(
        pool, std::make_shared<FluidCalibration>(
                  [on_gpu](const dispatch::Device& device, const FluidParameters&, int side) {
                    const bool is_cpu = device.kind() == dispatch::DeviceKind::cpu;
                    return (is_cpu ? 1 : on_gpu) * 1e-8 * side * side * side;
                  })));
    engines.add(make_cpu_fluid_engine());
    const FluidCompute by{.engines = std::make_shared<const FluidEngines>(std::move(engines))};
    const LevelPlan plan = plan_level(
        by, {.counts = atlas_box, .spacing_mm = atlas_spacing, .parameters = parameters, .images = 1});
    EXPECT_EQ(plan.engine == "cpu", on_gpu > 1) << plan.reason;
    EXPECT_EQ(plan.reason.find("takes the CPU") != std::string::npos, on_gpu > 1) << plan.reason;
  }
}

}  // namespace
}  // namespace isolume::gpu
