// The engine over any mix of devices: the right numbers, the same bits, and what becomes of faults.
#include "gpu/orbitals/gpu_engine.h"

#include <fmt/format.h>

#include "core/dispatch/device_choice.h"
#include "gpu/runtime/devices/devices.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/allocator.h"
#include "tests/core/orbitals/engine_body.h"
#include "tests/gpu/orbitals/own_kernel_cache.h"
#include "tests/gpu/runtime/compiler/compiler_here.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif

namespace isolume::gpu {
namespace {

using orbitals::Engine;
using orbitals::EngineOptions;
using orbitals::test_body::AnyEngine;
using orbitals::test_body::box_grid;
using orbitals::test_body::EngineCase;
using orbitals::test_body::EngineOnGrid;
using orbitals::test_body::GridCase;
using orbitals::test_body::rotated_grid;

std::shared_ptr<dispatch::DevicePool> pool_of_this_machine() {
  std::vector<std::unique_ptr<dispatch::Device>> devices;
  devices.push_back(dispatch::make_cpu_device(2));
  for (const auto& each : describe_devices()) devices.push_back(std::make_unique<GpuDevice>(each));
  return std::make_shared<dispatch::DevicePool>(std::move(devices), why_no_devices());
}

/// The CPU and these emulated devices, or those that the machine has.
std::shared_ptr<dispatch::DevicePool> pool_of([[maybe_unused]] const std::string& emulated) {
#ifdef ISOLUME_GPU_EMULATED
  emulator::set_devices(emulated);
  some_device_hangs = false;
#endif
  return pool_of_this_machine();
}

/// "1,2,3": every GPU of a pool, or the first `count`.
std::string gpus(const dispatch::DevicePool& pool, std::size_t count = 99) {
  std::string text;
  for (std::size_t i = 1; i < pool.devices().size() && i <= count; ++i) {
    text += fmt::format("{}{}", i == 1 ? "" : ",", i);
  }
  return text;
}

EngineCase engine_case(const std::string& name, const std::string& emulated, const std::string& devices,
                       const std::string& kernel) {
  EngineCase made{name, nullptr, {}};
  made.options.devices = devices;
  made.options.kernel = kernel;
  made.make = [emulated, devices]() -> std::unique_ptr<Engine> {
    auto pool = pool_of(emulated);
    try {
      dispatch::parse_devices(devices, *pool);
    } catch (const Error&) {
      return nullptr;
    }
    if (pool->devices().size() == 1) return nullptr;
    return make_gpu_engine(std::move(pool));
  };
  return made;
}

const std::string four = "2x sm90 1GiB, 1x sm80 slow 512MiB, 1x sm75 speed=0.5 256MiB";

std::vector<EngineCase> all_engines() {
  return {engine_case("one", "1x sm90 1GiB", "all", "auto"),
          engine_case("two", "2x sm90 1GiB", "1,2", "cached"),
          engine_case("four", four, "1,2,3,4", "constant"),
          engine_case("with_the_cpu", "1x sm90 1GiB", "0,1", "range-limited")};
}

INSTANTIATE_TEST_SUITE_P(Gpu, AnyEngine, testing::ValuesIn(all_engines()), orbitals::test_body::engine_name);
INSTANTIATE_TEST_SUITE_P(
    Gpu, EngineOnGrid,
    testing::Combine(
        testing::ValuesIn(all_engines()),
        testing::Values(GridCase{"aligned", true, box_grid({17, 11, 19}, {0.5, 0.6, 0.45}, {-4, -3, -4})},
                        GridCase{"one_point", false, box_grid({1, 1, 1}, {1, 1, 1}, {0.3, 0.2, -0.4})},
                        GridCase{"rotated", true, rotated_grid()})),
    orbitals::test_body::engine_and_grid);

/// A field small enough to be computed many times, of 40 planes.
class GpuEngine : public testing::Test {
 protected:
  std::vector<FieldValues> compute(const Engine& engine, const EngineOptions& options,
                                   const jobs::Progress& progress = {}) {
    auto made = engine.amplitudes(wavefunction_.molecule, wavefunction_.basis, coefficients_, grid_, options,
                                  progress);
    report_ = std::move(made.report);
    return std::move(made.values);
  }
  EngineOptions on(const std::string& devices, const std::string& kernel = "cached") {
    EngineOptions options;
    options.devices = devices;
    options.kernel = kernel;
    return options;
  }
  void expect_right(const std::vector<FieldValues>& fields) {
    const Eigen::MatrixXd expected = orbitals::reference_amplitudes(
        wavefunction_.molecule, wavefunction_.basis, coefficients_, orbitals::grid_points(grid_));
    ASSERT_EQ(fields.size(), 2U);
    for (int k = 0; k < 2; ++k) {
      EXPECT_LT(orbitals::test_body::relative_error(fields[k], expected.col(k),
                                                    expected.col(k).cwiseAbs().maxCoeff()),
                2e-6);
    }
  }
  molecules::Wavefunction wavefunction_ = small();
  Eigen::MatrixXd coefficients_ = isolume::test::random_coefficients(wavefunction_.basis, 2, 5);
  grid::Grid grid_ = box_grid({9, 7, 40}, {0.5, 0.6, 0.15}, {-2, -2, -3});
  dispatch::Report report_;

 private:
  static molecules::Wavefunction small() {
    molecules::Wavefunction made;
    made.molecule = isolume::test::atoms_at({{0, 0, 0}, {1.2, 0.3, -0.8}});
    for (int atom = 0; atom < 2; ++atom) {
      made.basis.shells.push_back(isolume::test::shell(atom, 0, false, {2.5, 0.6}, {0.4, 0.7}));
      made.basis.shells.push_back(isolume::test::shell(atom, 1, false, {0.5}, {1.0}));
      made.basis.shells.push_back(isolume::test::shell(atom, 2, true, {0.8}, {1.0}));
    }
    return made;
  }
};

TEST_F(GpuEngine, ValuesAreTheSameBitsOnAnyNumberOfDevices) {
  auto pool = pool_of("2x sm90 1GiB, 2x slow 256MiB, 1x speed=0.5 128MiB, 3x sm75 64MiB");
  if (pool->devices().size() == 1) GTEST_SKIP() << pool->why_no_gpu();
  const auto engine = make_gpu_engine(pool);
  std::srand(3);
  const Eigen::Matrix3Xd points = 3 * Eigen::Matrix3Xd::Random(3, 400);
  const Eigen::Vector2d weights(2, -1);
  const auto& [molecule, basis, sets] = wavefunction_;
  for (const std::string kernel : {"constant", "cached", "tiled", "range-limited", "separable"}) {
    const bool computes_points = kernel != "separable";
    const auto at_points = [&](const EngineOptions& options) {
      return computes_points
                 ? engine->amplitudes_at(molecule, basis, coefficients_, points, options, {}).values
                 : Eigen::MatrixXf();
    };
    const auto one = on("1", kernel);
    const auto fields = compute(*engine, one);
    expect_right(fields);
    const auto density = engine->density(molecule, basis, coefficients_, weights, grid_, one, {}).values;
    const auto values = at_points(one);
    for (const std::size_t count : {2, 4, 8}) {
      const auto many = on(gpus(*pool, count), kernel);
      EXPECT_EQ(compute(*engine, many), fields) << kernel << ", " << count;
      EXPECT_EQ(engine->density(molecule, basis, coefficients_, weights, grid_, many, {}).values, density);
      EXPECT_EQ(at_points(many), values);
    }
  }
}

/// Amplitudes only and devices of one kind: each shape of field and each generation is compiled for, which
/// takes seconds.
TEST_F(GpuEngine, AGeneratedKernelGivesTheSameBitsOnAnyNumberOfDevices) {
  auto pool = pool_of("3x sm90 1GiB, 3x sm90 slow 256MiB, 2x sm90 speed=0.5 64MiB");
  if (pool->devices().size() == 1) GTEST_SKIP() << pool->why_no_gpu();
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const OwnKernelCache compiled;
  const auto engine = make_gpu_engine(pool);
  const auto fields = compute(*engine, on("1", "generated"));
  EXPECT_EQ(report_.how(), "generated kernel: it was asked for");
  expect_right(fields);
  for (const std::size_t count : {2, 4, 8}) {
    EXPECT_EQ(compute(*engine, on(gpus(*pool, count), "generated")), fields) << count;
    EXPECT_EQ(report_.how(), "generated kernel: it was asked for");
  }
}

/// Else the bricks of 8 planes at a slab's ends were computed twice.
TEST_F(GpuEngine, SlabsAreWholeBricksOfTheKernel) {
  auto pool = pool_of("2x sm90 1GiB");
  if (pool->devices().size() == 1) GTEST_SKIP() << pool->why_no_gpu();
  const auto engine = make_gpu_engine(pool);
  compute(*engine, on("1", "separable"));
  EXPECT_LE(report_.tiles(), 5U);
  EXPECT_GT(report_.tiles(), 1U);
}

TEST_F(GpuEngine, ResultsMayBeWrittenStraightToTheHost) {
  auto pool = pool_of("1x sm90 1GiB");
  if (pool->devices().size() == 1) GTEST_SKIP() << pool->why_no_gpu();
  auto settings = default_settings();
  settings.run.mapped_results = true;
  EXPECT_EQ(compute(*make_gpu_engine(pool, settings), on("1")), compute(*make_gpu_engine(pool), on("1")));
}

TEST_F(GpuEngine, TheReportSaysWhoAndHow) {
  auto pool = pool_of("2x sm90 1GiB");
  if (pool->devices().size() < 2) GTEST_SKIP() << pool->why_no_gpu();
  const auto engine = make_gpu_engine(pool);
  compute(*engine, on(gpus(*pool)));
  EXPECT_EQ(report_.shares.size(), pool->devices().size() - 1);
  EXPECT_GT(report_.tiles(), 1U);
  EXPECT_EQ(report_.timeline.size(), report_.tiles());
  EXPECT_EQ(report_.how(), "cached kernel: it was asked for");
  grid_ = rotated_grid();
  compute(*engine, on("1", "auto"));
  EXPECT_EQ(report_.how().find(" kernel: "), report_.how().find(' ')) << report_.how();
}

TEST_F(GpuEngine, WithDeviceZeroAloneTheCpuComputes) {
  auto pool = pool_of("1x sm90 1GiB");
  compute(*make_gpu_engine(pool), on("0", "auto"));
  ASSERT_EQ(report_.shares.size(), 1U);
  EXPECT_EQ(report_.shares[0].device, pool->devices()[0]->name());
}

/// The CPU computes densities of many orbitals in other blocks of planes than all else.
TEST_F(GpuEngine, TheCpuTakesItsPartOfADensityOfManyOrbitals) {
  const auto chain = test::carbon_chain();
  const Eigen::MatrixXd coefficients = test::random_coefficients(chain.basis, 40, 3) * 0.2;
  const Eigen::VectorXd weights = Eigen::VectorXd::Constant(40, 2);
  // So many blocks of planes that the CPU cannot have done them all before the GPU begins.
  const auto grid = box_grid({17, 9, 300}, {0.6, 0.4, 0.02}, {-5, -2, -2});
  auto pool = pool_of("1x sm90 1GiB");
  if (pool->devices().size() < 2) GTEST_SKIP() << pool->why_no_gpu();
  const auto engine = make_gpu_engine(pool);
  const auto options = on("0,1", "auto");
  const auto [density, report] =
      engine->density(chain.molecule, chain.basis, coefficients, weights, grid, options, {});
  for (const auto& share : report.shares) EXPECT_GT(share.tiles, 0U) << share.device;
  const Eigen::MatrixXd amplitudes =
      orbitals::reference_amplitudes(chain.molecule, chain.basis, coefficients, orbitals::grid_points(grid));
  const Eigen::VectorXd expected = amplitudes.cwiseAbs2() * weights;
  EXPECT_LT(orbitals::test_body::relative_error(density, expected, expected.maxCoeff()), 1e-5);
}

TEST_F(GpuEngine, DevicesThatAreNoneAreNamedWithThoseThereAre) {
  auto pool = pool_of("2x sm90 1GiB");
  const auto engine = make_gpu_engine(pool);
  for (const char* devices : {"99", "-1", "1,,0", "one", "", "0,1x", "18446744073709551616"}) {
    try {
      compute(*engine, on(devices));
      ADD_FAILURE() << devices;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("0 " + pool->devices()[0]->name()), std::string::npos)
          << error.what();
    }
  }
  EXPECT_EQ(dispatch::parse_devices(" 0, 0 ", *pool)->size(), 1U);
  EXPECT_EQ(dispatch::parse_devices("all", *pool), std::nullopt);
  pool->devices()[0]->set_aside("It rests.");
  EXPECT_THROW(dispatch::parse_devices("0", *pool), Error);
}

#ifdef ISOLUME_GPU_EMULATED

std::string reasons(const dispatch::Report& report) {
  std::string all;
  for (const auto& share : report.shares) all += share.error + "\n";
  return all;
}

/// Pinned memory at its making, and that there is no more of it at the end.
class PinnedMemory {
 public:
  void expect_as_before() const {
    EXPECT_EQ(emulator::pinned_memory_use().allocations, before_.allocations);
    EXPECT_EQ(emulator::pinned_memory_use().bytes, before_.bytes);
  }

 private:
  emulator::MemoryUse before_ = emulator::pinned_memory_use();
};

void expect_nothing_left_on(int device) {
  EXPECT_EQ(emulator::memory_use(device).allocations, 0U) << "device " << device;
}

TEST_F(GpuEngine, AKernelThatCannotBeCompiledIsReplacedAndTheReportSaysWhy) {
  auto pool = pool_of("2x sm90 1GiB");
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const OwnKernelCache empty;
  const Environment nowhere_to_compile("TMPDIR", "/proc");
  const auto engine = make_gpu_engine(pool);
  expect_right(compute(*engine, on("1,2", "generated")));
  EXPECT_EQ(report_.how().find("constant kernel: it takes the place of the generated one: "), 0U)
      << report_.how();
  EXPECT_NE(report_.how().find("/proc"), std::string::npos) << report_.how();
}

TEST_F(GpuEngine, AFailureAtAnyLaunchLeavesTheFieldRight) {
  bool failed = false;
  for (int n = 1; n <= 8; ++n) {
    {
      auto pool = pool_of(fmt::format("1x sm90 1GiB fails@{}, 1x sm90 1GiB", n));
      const auto engine = make_gpu_engine(pool);
      expect_right(compute(*engine, on("1,2")));
      failed |= !report_.shares[0].error.empty();
      EXPECT_EQ(report_.shares[1].error, "");
    }
    expect_nothing_left_on(1);  // on the broken one, nothing can be given back
  }
  EXPECT_TRUE(failed);
}

TEST_F(GpuEngine, AnAllocationThatFailsNowAndThenLeavesTheFieldRight) {
  for (int n = 1; n <= 6; ++n) {
    const PinnedMemory pinned;
    {
      auto pool = pool_of(fmt::format("1x sm90 1GiB oom@{}, 1x sm90 1GiB", n));
      const auto engine = make_gpu_engine(pool);
      expect_right(compute(*engine, on("1,2")));
      EXPECT_EQ(pool->devices()[1]->set_aside_because(), "");
    }
    for (const int device : {0, 1}) expect_nothing_left_on(device);
    pinned.expect_as_before();
  }
}

/// There is room by the numbers, but not for every block at the time: the device leaves its part to the
/// other.
TEST_F(GpuEngine, ADeviceThatRunsOutOfMemoryLeavesTheFieldRight) {
  coefficients_ = isolume::test::random_coefficients(wavefunction_.basis, 64, 5);
  grid_ = box_grid({40, 40, 6}, {0.2, 0.2, 0.5}, {-4, -4, -1.5});
  const PinnedMemory pinned;
  {
    auto pool = pool_of("1x sm90 1MiB, 1x sm90 1GiB");
    const auto engine = make_gpu_engine(pool);
    const auto fields = compute(*engine, on("1,2"));
    EXPECT_NE(report_.shares[0].error, "");
    EXPECT_EQ(compute(*engine, on("2")), fields);
    EXPECT_EQ(pool->devices()[1]->set_aside_because(), "");  // only for the job
    EXPECT_THROW(compute(*engine, on("1")), ResourceError);
  }
  for (const int device : {0, 1}) expect_nothing_left_on(device);
  pinned.expect_as_before();
}

TEST_F(GpuEngine, NamedDevicesThatAllFailAreAnError) {
  auto pool = pool_of("2x sm90 1GiB fails@1");
  const auto engine = make_gpu_engine(pool);
  EXPECT_THROW(compute(*engine, on("1,2")), Error);
  for (const int i : {1, 2}) EXPECT_NE(pool->devices()[i]->set_aside_because(), "");  // a check failed too
}

TEST_F(GpuEngine, AfterACancelNothingIsLeft) {
  for (const auto order : {emulator::StreamOrder::eager, emulator::StreamOrder::delayed}) {
    const PinnedMemory pinned;
    {
      emulator::set_devices("2x sm90 1GiB", emulator::with_streams(order));
      const auto engine = make_gpu_engine(pool_of_this_machine());
      std::stop_source stop;
      const jobs::Progress progress(stop.get_token(), [&](double, std::string_view) { stop.request_stop(); });
      EXPECT_THROW(compute(*engine, on("1,2"), progress), Cancelled);
      expect_right(compute(*engine, on("1,2")));
    }
    for (const int device : {0, 1}) expect_nothing_left_on(device);
    pinned.expect_as_before();
  }
}

TEST_F(GpuEngine, DelayedStreamsChangeNothing) {
  emulator::set_devices("2x sm90 1GiB");
  expect_right(compute(*make_gpu_engine(pool_of_this_machine()), on("1,2")));
  emulator::set_devices("2x sm90 1GiB", emulator::with_streams(emulator::StreamOrder::shuffled, 5));
  expect_right(compute(*make_gpu_engine(pool_of_this_machine()), on("1,2")));
}

TEST_F(GpuEngine, ADeviceWithoutRoomForAPlaneIsLeftOutWithTheNumbers) {
  coefficients_ = isolume::test::random_coefficients(wavefunction_.basis, 64, 5);
  grid_ = box_grid({60, 60, 2}, {0.2, 0.2, 0.5}, {-4, -4, -0.5});
  auto pool = pool_of("1x sm90 1MiB, 1x sm90 1GiB");
  const auto engine = make_gpu_engine(pool);
  compute(*engine, on("1,2"));
  ASSERT_EQ(report_.shares.size(), 2U);
  EXPECT_NE(reasons(report_).find("One plane of the field"), std::string::npos) << reasons(report_);
  EXPECT_EQ(report_.shares[1].device, pool->devices()[1]->name());
  EXPECT_THROW(compute(*engine, on("1")), ResourceError);
}

TEST_F(GpuEngine, ADeviceThatHangsIsSetAsideForGood) {
  auto settings = default_settings();
  settings.run.deadline = std::chrono::milliseconds(400);
  auto pool = pool_of("1x sm90 1GiB hangs@2, 1x sm90 1GiB");
  const auto engine = make_gpu_engine(pool, settings);
  expect_right(compute(*engine, on("1,2")));
  EXPECT_NE(report_.shares[0].error, "");
  EXPECT_NE(pool->devices()[1]->set_aside_because(), "");
  expect_right(compute(*engine, on("all")));
  for (const auto& share : report_.shares) {
    if (share.error.empty()) continue;
    EXPECT_EQ(share.tiles, 0U);
  }
  EXPECT_THROW(compute(*engine, on("1")), Error);
}

TEST_F(GpuEngine, WhenAllGpusHaveFailedTheCpuFinishes) {
  auto settings = default_settings();
  settings.run.deadline = std::chrono::milliseconds(400);
  auto pool = pool_of("1x sm90 1GiB fails@1, 1x sm90 1GiB fails@1, 1x sm90 1GiB hangs@1");
  const auto engine = make_gpu_engine(pool, settings);
  expect_right(compute(*engine, on("all")));
  ASSERT_EQ(report_.shares.size(), 4U);
  EXPECT_EQ(report_.shares[0].error, "");
  EXPECT_GT(report_.shares[0].tiles, 0U);
  for (int i = 1; i < 4; ++i) EXPECT_NE(report_.shares[i].error, "") << i;
  EXPECT_EQ(report_.how(), "the CPU alone: no GPU finished a tile");
}

#endif

}  // namespace
}  // namespace isolume::gpu
