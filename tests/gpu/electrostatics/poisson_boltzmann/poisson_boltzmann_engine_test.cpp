// The Poisson-Boltzmann equation on GPUs: what is left of it in plain words and double precision, the CPU's solution, Born's
// energy, and what becomes of faults.
#include "gpu/electrostatics/poisson_boltzmann/poisson_boltzmann_engine.h"

#include <cmath>
#include <memory>
#include <stop_token>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"
#include "gpu/electrostatics/gpu_pair_engine.h"
#include "gpu/runtime/devices/devices.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "tests/core/electrostatics/random_equation.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif

namespace isolume::gpu {
namespace {

using dispatch::ComputeOptions;
using electrostatics::GridEquation;
using electrostatics::Method;
using electrostatics::PoissonBoltzmann;
using electrostatics::PotentialOptions;
using testing::HasSubstr;

class GpuEquation : public testing::Test {
 protected:
  void SetUp() override { use("1x sm90 1GiB"); }
  void use([[maybe_unused]] const std::string& emulated) {
    forget();
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices(emulated);
#endif
    make_engines();
  }
  void forget() {
    engines_.reset();
    pool_.reset();
  }
  void make_engines(std::chrono::duration<double> deadline = default_engine_settings().run.deadline) {
    std::vector<std::unique_ptr<dispatch::Device>> devices;
    devices.push_back(dispatch::make_cpu_device(1));
    for (const auto& each : describe_devices()) devices.push_back(std::make_unique<GpuDevice>(each));
    pool_ = std::make_shared<dispatch::DevicePool>(std::move(devices), why_no_devices());
    if (pool_->devices().size() == 1) GTEST_SKIP() << pool_->why_no_gpu();
    auto settings = default_engine_settings();
    settings.run.deadline = deadline;
    auto engines = std::make_shared<electrostatics::EngineRegistry>(pool_);
    engines->add(make_gpu_pair_engine(pool_, settings));
    engines->add(electrostatics::make_cpu_engine());
    engines_ = engines;
  }
  const electrostatics::EquationEngine& engine() const {
    return *engines_->find(gpu_engine_name()).equations();
  }
  static ComputeOptions on(const std::string& devices, const std::string& kernel = "auto") {
    ComputeOptions options;
    options.devices = devices;
    options.kernel = kernel;
    return options;
  }

  /// Of an ion of this radius in angstrom in water, and of one in vacuum.
  PotentialOptions born_options(const std::string& which = std::string(gpu_engine_name())) const {
    PotentialOptions options;
    options.method = Method::pb_linear;
    options.solute_dielectric = 1;
    options.salt_molar = 0;
    options.focusing = 4;
    options.engine = which;
    options.engines = engines_;
    options.threads = 1;
    return options;
  }
  static structures::Charges ion(double radius = 2) {
    structures::Charges charges;
    charges.x = charges.y = charges.z = {0};
    charges.charge = {1};
    charges.radius = {radius};
    return charges;
  }
  static grid::Grid cube(double side, int points) {
    return grid::centred(Eigen::Vector3d::Zero(), {points, points, points}, side / (points - 1),
                         grid::LengthUnit::angstrom);
  }

  std::shared_ptr<dispatch::DevicePool> pool_;
  std::shared_ptr<const electrostatics::EngineRegistry> engines_;
};

double most_between(const GridEquation& a, const GridEquation& b) {
  double most = 0;
  for (std::size_t at = 0; at < a.u.size(); ++at) most = std::max(most, std::abs(a.u[at] - b.u[at]));
  return most;
}

/// Of sizes that halve often, once and not at all; and with rows of even length.
constexpr std::array<std::tuple<int, int, int>, 4> sizes{{{17, 25, 33}, {9, 13, 9}, {7, 7, 7}, {6, 8, 5}}};

TEST_F(GpuEquation, OfAnySizeIsSolvedBeyondSinglePrecision) {
  for (const auto& [nx, ny, nz] : sizes) {
    for (const bool nonlinear : {false, true}) {
      const auto halvings = electrostatics::of(nx, ny, nz);
      GridEquation by_gpu(halvings), by_cpu(halvings);
      fill_at_random(by_gpu, 3);
      fill_at_random(by_cpu, 3);
      const electrostatics::SolveOptions how{.tolerance = 1e-11, .nonlinear = nonlinear};
      const auto solved = engine().solve(by_gpu, how, on("1"), {});
      by_cpu.solve(how, {});
      EXPECT_LE(solved.values.residual, 1e-11);
      EXPECT_LT(plain_residual(by_gpu, nonlinear), 1.1e-11) << nx << ", non-linear: " << nonlinear;
      EXPECT_LT(most_between(by_gpu, by_cpu), 1e-8) << nx << ", non-linear: " << nonlinear;
      EXPECT_EQ(solved.report.kernel, "mixed");
      EXPECT_EQ(solved.report.tiles(), 1u);
    }
  }
}

/// Of the same equation: what a residual of double precision is for.
TEST_F(GpuEquation, InSinglePrecisionStopsFarFromTheSolution) {
  const electrostatics::SolveOptions how{.tolerance = 1e-9};
  const auto halvings = electrostatics::of(9, 13, 9);
  GridEquation mixed(halvings), single(halvings);
  fill_at_random(mixed, 3);
  fill_at_random(single, 3);
  engine().solve(mixed, how, on("1", "mixed"), {});
  EXPECT_LT(plain_residual(mixed, false), 1.1e-9);
  try {
    engine().solve(single, how, on("1", "single"), {});
    ADD_FAILURE() << "no numbers of single precision solve it that well";
  } catch (const electrostatics::NotConverged& error) {
    EXPECT_THAT(error.what(), HasSubstr("did not converge"));
  }
  const auto rough = engine().solve(single, {.tolerance = 1e-4}, on("1", "single"), {});
  EXPECT_EQ(rough.report.kernel, "single");
  EXPECT_LT(plain_residual(single, false), 1e-3) << "it is the right equation";
  EXPECT_GT(plain_residual(single, false), 1e-8);
}

/// Whole steps of Newton's method would begin far beyond where sinh is clamped.
TEST_F(GpuEquation, OfHugeChargesInSaltIsSolved) {
  for (const double factor : {1e3, -1e6}) {
    const auto halvings = electrostatics::of(9, 9, 9);
    GridEquation by_gpu(halvings), by_cpu(halvings);
    for (auto* equation : {&by_gpu, &by_cpu}) {
      fill_at_random(*equation, 3);
      for (auto& each : equation->charges) each.value *= factor;
    }
    const auto solved = engine().solve(by_gpu, {.nonlinear = true}, on("1"), {}).values;
    EXPECT_LT(plain_residual(by_gpu, true), 1.1e-6) << factor;
    EXPECT_GT(solved.newton_steps, 3);
    EXPECT_LE(solved.newton_steps, by_cpu.solve({.nonlinear = true}, {}).newton_steps + 3);
  }
}

TEST_F(GpuEquation, OfNothingIsZero) {
  GridEquation equation(electrostatics::of(9, 9, 9));
  fill_at_random(equation, 3);
  equation.charges.clear();
  std::fill(equation.u.begin(), equation.u.end(), 0.0);
  for (const bool nonlinear : {false, true}) {
    engine().solve(equation, {.nonlinear = nonlinear}, on("1"), {});
    for (const double value : equation.u) ASSERT_EQ(value, 0);
  }
}

/// Born, Z. Phys. 1, 45 (1920).
TEST_F(GpuEquation, OfAnIonIsBornsAndTheCpus) {
  constexpr double coulomb = 1389.35457644, radius = 2;  // kJ/mol angstrom
  const double exact = coulomb / 2 * (1 / 78.54 - 1) / radius;
  const auto found =
      PoissonBoltzmann(ion(radius), cube(9, 25)).solve(born_options(), {.estimate_error = false});
  EXPECT_NEAR(found.energy->kj_per_mol, exact, 0.01 * std::abs(exact));
  EXPECT_THAT(found.report.who, HasSubstr("Poisson-Boltzmann"));
  EXPECT_FALSE(found.report.who.starts_with("CPU")) << found.report.who;
  EXPECT_EQ(found.report.kernel, "mixed");
  EXPECT_EQ(found.report.tiles(), 4u) << "solution and reference, on the coarse grid and the fine one";
  const auto by_cpu =
      PoissonBoltzmann(ion(radius), cube(9, 25)).solve(born_options("cpu"), {.estimate_error = false});
  EXPECT_NEAR(found.energy->kj_per_mol, by_cpu.energy->kj_per_mol, 1e-4 * std::abs(exact));
  EXPECT_TRUE(by_cpu.report.who.starts_with("CPU")) << by_cpu.report.who;
  ASSERT_NE(pool_->last_report(), nullptr);
  EXPECT_THAT(pool_->last_report()->job, HasSubstr("Poisson-Boltzmann"));
}

TEST_F(GpuEquation, BeginsWithTheLastSolution) {
  for (const Method method : {Method::pb_linear, Method::pb_nonlinear}) {
    auto options = born_options();
    options.method = method;
    options.salt_molar = 0.1;
    options.focusing = 1;
    const auto grid = cube(12, 17);
    PoissonBoltzmann kept(ion(), grid);
    kept.solve(options, {.estimate_error = false, .keep = true});
    options.salt_molar = 0.11;
    const auto warm = kept.solve(options, {.estimate_error = false, .keep = true});
    const auto cold = PoissonBoltzmann(ion(), grid).solve(options, {.estimate_error = false});
    EXPECT_LT(warm.solve.cycles, cold.solve.cycles);
    EXPECT_NEAR(warm.energy->kj_per_mol, cold.energy->kj_per_mol, 1e-2);
    EXPECT_EQ(warm.report.tiles(), 1u) << "the reference is known";
  }
}

TEST_F(GpuEquation, IsRefusedWhereItMakesNoSense) {
  GridEquation equation(electrostatics::of(9, 9, 9));
  fill_at_random(equation, 3);
  const auto refused = [&](const ComputeOptions& options) -> std::string {
    try {
      engine().solve(equation, {}, options, {});
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(refused(on("0")), HasSubstr("names no GPU"));
  EXPECT_THAT(refused(on("77")), HasSubstr("77"));
  EXPECT_THAT(refused(on("1", "shared")), HasSubstr("\"mixed\""));
}

TEST_F(GpuEquation, LeavesSmallGridsToTheCpu) {
  const auto found =
      PoissonBoltzmann(ion(), cube(12, 17)).solve(born_options("auto"), {.estimate_error = false});
  EXPECT_TRUE(found.report.who.starts_with("CPU")) << found.report.who;
  EXPECT_THAT(found.report.reason, HasSubstr("would not shorten"));
}

TEST_F(GpuEquation, CanBeCancelled) {
  GridEquation equation(electrostatics::of(17, 17, 17));
  fill_at_random(equation, 3);
  for (const bool nonlinear : {false, true}) {
    std::stop_source stop;
    const jobs::Progress in_the_middle(stop.get_token(),
                                       [&](double, std::string_view) { stop.request_stop(); });
    EXPECT_THROW(engine().solve(equation, {.nonlinear = nonlinear}, on("1"), in_the_middle), Cancelled);
    EXPECT_THROW(engine().solve(equation, {.nonlinear = nonlinear}, on("1"), in_the_middle), Cancelled)
        << "before it begins";
  }
#ifdef ISOLUME_GPU_EMULATED
  forget();
  EXPECT_EQ(emulator::memory_use(0).allocations, 0u);
#endif
}

#ifdef ISOLUME_GPU_EMULATED

/// Each on a new equation, so that nothing is left of the one before.
GridEquation::Potentials solved_on(const electrostatics::EquationEngine& engine,
                                   const ComputeOptions& options, dispatch::Report* report = nullptr) {
  GridEquation equation(electrostatics::of(17, 17, 25));
  fill_at_random(equation, 3);
  auto solved = engine.solve(equation, {.nonlinear = true}, options, {});
  if (report != nullptr) *report = std::move(solved.report);
  return equation.u;
}

TEST_F(GpuEquation, IsTheSameBitsOnAnyDeviceAndInAnyOrder) {
  const auto expected = solved_on(engine(), on("1"));
  for (const int count : {2, 4}) {
    use(fmt::format("{}x sm90 1GiB", count));
    EXPECT_EQ(expected, solved_on(engine(), on("all"))) << count;
    EXPECT_EQ(expected, solved_on(engine(), on(std::to_string(count)))) << "the last of " << count;
  }
  for (const unsigned seed : {3u, 8u}) {
    auto shuffled = emulator::with_streams(emulator::StreamOrder::shuffled, seed);
    shuffled.block_seed = seed;
    forget();
    emulator::set_devices("1x sm90 1GiB", shuffled);
    make_engines();
    EXPECT_EQ(expected, solved_on(engine(), on("1"))) << seed;
  }
}

TEST_F(GpuEquation, IsSolvedByTheNextDeviceWhereOneFails) {
  const auto expected = solved_on(engine(), on("1"));
  const int launches = emulator::launch_count(0);
  for (const int launch : {1, launches / 2, launches}) {
    use(fmt::format("1x sm90 1GiB fails@{}, 1x sm90 1GiB", launch));
    dispatch::Report report;
    EXPECT_EQ(expected, solved_on(engine(), on("all"), &report)) << launch;
    ASSERT_EQ(report.shares.size(), 2u);
    EXPECT_NE(report.shares[0].error, "");
    EXPECT_EQ(report.shares[0].tiles, 0u);
    EXPECT_EQ(report.shares[1].tiles, 1u);
    EXPECT_THAT(report.reason, HasSubstr("did not solve it"));
    EXPECT_NE(pool_->devices()[1]->set_aside_because(), "") << "it fails for good";
  }
}

TEST_F(GpuEquation, IsTheCpusWhenEveryGpuFails) {
  for (const bool nonlinear : {false, true}) {
    use("1x sm90 1GiB fails@100");
    GridEquation equation(electrostatics::of(17, 17, 17));
    fill_at_random(equation, 3);
    const auto solved = engine().solve(equation, {.nonlinear = nonlinear}, on("0,1"), {});
    EXPECT_LT(plain_residual(equation, nonlinear), 1.1e-6);
    EXPECT_EQ(solved.report.shares.back().which, pool_->devices()[0]);
    EXPECT_THAT(solved.report.reason, HasSubstr("did not solve it"));
  }
  use("1x sm90 1GiB fails@100");
  const auto found =
      PoissonBoltzmann(ion(), cube(12, 33)).solve(born_options("auto"), {.estimate_error = false});
  EXPECT_TRUE(found.report.who.starts_with("CPU")) << found.report.who;
  EXPECT_NE(found.report.reason, "");
  use("1x sm90 1GiB fails@100");
  EXPECT_THROW(PoissonBoltzmann(ion(), cube(12, 33)).solve(born_options(), {.estimate_error = false}), Error)
      << "an engine that was named does it, or nobody";
}

TEST_F(GpuEquation, IsSolvedByTheNextDeviceWhereOneHangs) {
  const auto expected = solved_on(engine(), on("1"));
  forget();
  emulator::set_devices("1x sm90 1GiB hangs@50, 1x sm90 1GiB");
  make_engines(std::chrono::seconds(10));
  dispatch::Report report;
  EXPECT_EQ(expected, solved_on(engine(), on("all"), &report));
  EXPECT_THAT(report.reason, HasSubstr("in time"));
}

TEST_F(GpuEquation, SaysWhatIsMissingWhereMemoryIsTooSmall) {
  use("1x sm90 2MiB, 1x sm90 1GiB");
  GridEquation equation(electrostatics::of(49, 49, 49));
  fill_at_random(equation, 3);
  try {
    engine().solve(equation, {}, on("1"), {});
    ADD_FAILURE() << "49^3 points take 5 MB";
  } catch (const ResourceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("MiB"));
    EXPECT_THAT(error.what(), HasSubstr("117649 points"));
  }
  EXPECT_EQ(pool_->devices()[1]->set_aside_because(), "") << "it is small, not broken";
}

#endif

}  // namespace
}  // namespace isolume::gpu
