// Gravity on GPUs: the reference's forces from every solver, the same bits on any number of devices, and what becomes
// of faults.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nbody/forces/sampled_error.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "core/nbody/scenes/scenes.h"
#include "gpu/nbody/gpu_solver.h"
#include "tests/core/nbody/distributions.h"
#include "tests/core/nbody/force_errors.h"
#include "tests/core/nbody/spline_kernel.h"
#include "tests/gpu/nbody/gpu_pool.h"

namespace isolume::gpu {
namespace {

using nbody::Bodies;
using nbody::ForceOptions;
using nbody::Forces;
using nbody::SolverKind;
using nbody::testing::plummer;

/// "1,2,3": the first `count` GPUs.
std::string gpus(std::size_t count) {
  std::string text = "1";
  for (std::size_t i = 2; i <= count; ++i) text += fmt::format(",{}", i);
  return text;
}

ForceOptions with(SolverKind solver, double softening = 0, const std::string& devices = "all") {
  ForceOptions options;
  options.solver = solver;
  options.softening = softening;
  options.opening_angle = 0.5;
  options.threads = 1;
  options.devices = devices;
  return options;
}

class GpuForces : public testing::TestWithParam<SolverKind> {
 protected:
  void SetUp() override { use("1x sm90 1GiB"); }
  template <class... Options>
  void use(const std::string& emulated, const Options&... order) {
    engine_.reset();
    pool_.reset();
    pool_ = pool_of(emulated, order...);
    if (pool_->devices().size() == 1) GTEST_SKIP() << pool_->why_no_gpu();
    engine_ = make_gpu_nbody_engine(pool_);
  }
  Forces forces(const Bodies& bodies, const ForceOptions& options,
                const jobs::Progress& progress = {}) const {
    return engine_->solver(options.solver)->forces(bodies, options, progress);
  }
  ForceOptions options(double softening = 0, const std::string& devices = "all") const {
    return with(GetParam(), softening, devices);
  }

  ForceOptions by_spline(double softening, const std::string& devices = "all") const {
    ForceOptions by = options(softening, devices);
    by.softening_kind = nbody::SofteningKind::spline;
    return by;
  }

  std::shared_ptr<dispatch::DevicePool> pool_;
  std::unique_ptr<nbody::Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Solvers, GpuForces, testing::Values(SolverKind::direct, SolverKind::barnes_hut),
                         [](const auto& made) {
                           return made.param == SolverKind::direct ? "direct" : "barnes_hut";
                         });

TEST_P(GpuForces, OfTwoBodiesIsNewtonsAndPlummers) {
  Bodies bodies;
  nbody::testing::add(bodies, 3, 1, 2, 3);
  nbody::testing::add(bodies, 5, 1, 2, 5);
  const Forces hard = forces(bodies, options());
  EXPECT_NEAR(hard.az[0], 5.0 / 4, 1e-6);
  EXPECT_NEAR(hard.az[1], -3.0 / 4, 1e-6);
  EXPECT_EQ(hard.ax[0], 0);
  EXPECT_NEAR(hard.potential[0], -5.0 / 2, 1e-6);
  const Forces soft = forces(bodies, options(1.5));
  EXPECT_NEAR(soft.az[0], 5 * 2 / std::pow(4 + 2.25, 1.5), 1e-6);
  EXPECT_NEAR(soft.potential[0], -5 / std::sqrt(4 + 2.25), 1e-6);
}

TEST_P(GpuForces, AreTheReferences) {
  const bool direct = GetParam() == SolverKind::direct;
  for (const auto& [name, bodies] : nbody::testing::distributions()) {
    SCOPED_TRACE(name);
    const double extent = bodies.size() > 1 ? std::abs(bodies.x[0] - bodies.x[1]) : 1;
    for (const double softening : {0.0, 0.1 * extent}) {
      const Forces found = forces(bodies, options(softening)),
                   expected = nbody::make_reference_solver()->forces(bodies, options(softening));
      ASSERT_EQ(found.ax.size(), bodies.size());
      if (bodies.size() == 0) continue;
      EXPECT_LT(nbody::testing::errors(bodies, found, expected, softening).back(), direct ? 1e-5 : 5e-3);
      EXPECT_LT(nbody::testing::largest_potential_error(bodies, found, expected), direct ? 1e-5 : 2e-3);
    }
  }
}

TEST_P(GpuForces, BySplineOfTwoBodiesAreThoseOfTheKernel) {
  constexpr double softening = 0.7;
  for (const double u : {0.001, 0.2, 0.499, 0.501, 0.8, 0.999, 1.001, 3.0}) {
    SCOPED_TRACE(u);
    const double r = u * 2.8 * softening;
    Bodies bodies;
    nbody::testing::add(bodies, 3, 1, 2, 3);
    nbody::testing::add(bodies, 5, 1, 2, 3 + r);
    const auto [attraction, potential] = nbody::testing::spline_by_hand(r, softening);
    const Forces found = forces(bodies, by_spline(softening));
    EXPECT_NEAR(found.az[0], 5 * attraction, 1e-6 * 5 * attraction);
    EXPECT_NEAR(found.az[1], -3 * attraction, 1e-6 * 3 * attraction);
    EXPECT_EQ(found.ax[0], 0);
    EXPECT_NEAR(found.potential[0], 5 * potential, 1e-6 * 5 * std::abs(potential));
    EXPECT_NEAR(found.potential[1], 3 * potential, 1e-6 * 3 * std::abs(potential));
  }
}

TEST_P(GpuForces, BySplineAreTheKernelsWhateverTheBodies) {
  const bool direct = GetParam() == SolverKind::direct;
  for (const auto& [name, bodies] : nbody::testing::distributions()) {
    SCOPED_TRACE(name);
    const double extent = bodies.size() > 1 ? std::abs(bodies.x[0] - bodies.x[1]) : 1;
    // Below 1e-10 of the extent, the kernel is out of range of single precision.
    for (const double of_extent : {0.1, 1e-11}) {
      const double softening = of_extent * (extent > 0 ? extent : 1);
      const Forces found = forces(bodies, by_spline(softening));
      const auto expected = nbody::testing::spline_forces_by_hand(bodies, softening);
      ASSERT_EQ(found.ax.size(), bodies.size());
      if (bodies.size() == 0) continue;
      EXPECT_LT(nbody::testing::errors(found, expected).back(), direct ? 1e-5 : 5e-3) << softening;
      EXPECT_LT(nbody::testing::largest_potential_error(bodies, found, expected.forces), direct ? 1e-5 : 2e-3)
          << softening;
    }
  }
}

TEST_P(GpuForces, BySplineAreAsExactAsPlummers) {
  const Bodies bodies = plummer(2000);
  constexpr double softening = 0.1;
  const auto spline = nbody::testing::errors(forces(bodies, by_spline(softening)),
                                             nbody::testing::spline_forces_by_hand(bodies, softening));
  const auto plummers =
      nbody::testing::errors(bodies, forces(bodies, options(softening)),
                             nbody::make_reference_solver()->forces(bodies, options(softening)), softening);
  for (const std::size_t of_2000 : {1000, 1980})
    EXPECT_LT(spline[of_2000], 1.5 * plummers[of_2000]) << of_2000;
}

TEST_P(GpuForces, BySplineOfCoincidentBodiesAreNoneAtFullDepth) {
  for (const double softening : {0.05, 1e-9, 1e-12, 1e-14}) {
    SCOPED_TRACE(softening);
    Bodies bodies = plummer(100);
    for (int i = 0; i < 3; ++i) nbody::testing::add(bodies, 0.25 * (i + 1), 0.5, 0.25, -0.125);
    const Forces found = forces(bodies, by_spline(softening));
    const auto expected = nbody::testing::spline_forces_by_hand(bodies, softening).forces;
    for (std::size_t i = 100; i < 103; ++i) {
      EXPECT_NEAR(found.potential[i] / expected.potential[i], 1, 1e-5);
      EXPECT_NEAR(found.ax[i], expected.ax[i], 2e-2 * std::abs(expected.ax[i]));
      EXPECT_NEAR(found.ay[i], expected.ay[i], 2e-2 * std::abs(expected.ay[i]));
    }
    EXPECT_LT(found.potential[100], -1.249 / softening) << "two bodies of masses 0.5 and 0.75 at no distance";
  }
}

TEST_P(GpuForces, BySplineOfCellsAreThoseOfBodiesBeyondTheSupport) {
  const Bodies bodies = plummer(1500);
  ForceOptions wide = by_spline(20);  // every pair is within the support
  wide.opening_angle = 2;
  const Forces inner = forces(bodies, wide);
  EXPECT_EQ(inner.cell_pairs, 0u);
  EXPECT_LT(nbody::testing::errors(inner, nbody::testing::spline_forces_by_hand(bodies, 20)).back(), 1e-5);
  if (GetParam() == SolverKind::direct) return;
  EXPECT_GT(forces(bodies, by_spline(0.01)).cell_pairs, 0u);
  ForceOptions asked = by_spline(0.01);
  asked.error = 1e-3;
  const Forces found = forces(bodies, asked);
  EXPECT_GT(found.cell_pairs, 0u);
  const auto errors = nbody::testing::relative_errors(
      found, nbody::testing::spline_forces_by_hand(bodies, asked.softening).forces);
  EXPECT_LT(errors[errors.size() * 99 / 100], asked.error);
}

TEST_P(GpuForces, BySplineAreTheSameBitsOnAnyNumberOfDevices) {
#ifdef ISOLUME_GPU_EMULATED
  use("2x sm90 1GiB, 1x sm90 slow 1GiB, 1x sm90 1GiB");
#endif
  const Bodies bodies = plummer(1700);
  const Forces one = forces(bodies, by_spline(0.05, "1"));
  for (const std::size_t count : {2, 4}) {
    if (count >= pool_->devices().size()) break;
    SCOPED_TRACE(count);
    const Forces many = forces(bodies, by_spline(0.05, gpus(count)));
    expect_same_bits(one, many);
    EXPECT_GT(many.report.tiles(), 1u);
  }
}

TEST_P(GpuForces, BySplineAreTakenByAutoAndComparedWithTheKernel) {
  nbody::EngineRegistry engines(pool_);
  engines.add(std::move(engine_));
  engines.add(nbody::make_cpu_engine());
  const Bodies bodies = plummer(2100);
  const Forces found = nbody::forces_by(engines, bodies, by_spline(0.2));
  EXPECT_FALSE(found.report.who.starts_with("CPU")) << found.report.who;
  EXPECT_TRUE(nbody::forces_by(engines, plummer(300), by_spline(0.2)).report.who.starts_with("CPU"));
  const double limit = GetParam() == SolverKind::direct ? 1e-4 : 1e-2;
  EXPECT_LT(nbody::sampled_errors(bodies, found, by_spline(0.2), 200).p99, limit);
  EXPECT_GT(nbody::sampled_errors(bodies, found, options(0.2), 200).median, 0.02) << "Plummer's are others";
}

/// What a heavy body would exert on itself, softened, is far more than light ones do.
TEST_P(GpuForces, PotentialsAreTheReferencesWhateverTheSoftening) {
  Bodies bodies = plummer(700);
  for (double& mass : bodies.mass) mass = 1e-6;
  nbody::testing::add(bodies, 1, 0, 0, 0);
  for (const bool in_pairs : {false, true}) {
    if (in_pairs) {
      for (std::size_t i = 0; i < 40; ++i)
        nbody::testing::add(bodies, 3e-7, bodies.x[i], bodies.y[i], bodies.z[i]);
    }
    for (const double softening : {0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.1}) {
      SCOPED_TRACE(softening);
      const Forces found = forces(bodies, options(softening)),
                   expected = nbody::make_reference_solver()->forces(bodies, options(softening));
      EXPECT_LT(nbody::testing::largest_potential_error(bodies, found, expected),
                GetParam() == SolverKind::direct ? 1e-5 : 2e-3);
    }
  }
}

TEST_P(GpuForces, BeyondSinglePrecisionAreThoseOfDouble) {
  Bodies bodies = plummer(200);
  nbody::testing::add(bodies, 1, 0, 0, 0);
  nbody::testing::add(bodies, 2, 1e-15, 0, 0);
  nbody::testing::add(bodies, 1, 0.5, 0.5, 1e-12);
  nbody::testing::add(bodies, 1, 0.5, 0.5, 0);
  const Forces found = forces(bodies, options()),
               expected = nbody::make_reference_solver()->forces(bodies, options());
  for (std::size_t i = 200; i < 204; ++i) {
    EXPECT_NEAR(found.potential[i] / expected.potential[i], 1, 1e-9) << i;
    EXPECT_NEAR(found.ax[i] / expected.ax[i], 1, i < 202 ? 1e-9 : 0.1) << i;
  }
}

TEST_P(GpuForces, BeyondDoublePrecisionAreRefused) {
  try {
    forces(beyond_double_precision(), options());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("The force on body 701 is not finite"));
  }
}

TEST_P(GpuForces, AreTheReferencesWhereOneBodyIsFarFromAllOthers) {
  for (const double far : {1e8, 1e10, 1e12}) {
    SCOPED_TRACE(far);
    const Bodies bodies = nbody::testing::joined(plummer(700), nbody::testing::moved(plummer(1), far));
    const Forces found = forces(bodies, options(0.02)),
                 expected = nbody::make_reference_solver()->forces(bodies, options(0.02));
    const auto errors = nbody::testing::relative_errors(found, expected);
    EXPECT_LT(errors[errors.size() * 98 / 100], 5e-3);
    EXPECT_TRUE(std::isfinite(errors.back()));
  }
}

TEST_P(GpuForces, AreTheSameBitsOnAnyNumberOfDevices) {
#ifdef ISOLUME_GPU_EMULATED
  use("2x sm90 1GiB, 1x sm90 slow 1GiB, 1x sm90 1GiB");
#endif
  const Bodies bodies = plummer(1700);
  const Forces one = forces(bodies, options(0.01, "1"));
  for (const std::size_t count : {2, 4}) {
    if (count >= pool_->devices().size()) break;
    SCOPED_TRACE(count);
    const Forces many = forces(bodies, options(0.01, gpus(count)));
    expect_same_bits(one, many);
    EXPECT_EQ(many.report.shares.size(), count);
    EXPECT_GT(many.report.tiles(), 1u);
  }
}

TEST_P(GpuForces, OfClustersAreTheReferencesOnAnyNumberOfDevices) {
#ifdef ISOLUME_GPU_EMULATED
  use("2x sm90 1GiB, 1x sm90 slow 1GiB, 1x sm90 1GiB");
#endif
  const bool direct = GetParam() == SolverKind::direct;
  for (const std::size_t spheres : {4, 5}) {
    // Pairs within a clump that is ten thousand times smaller than what is around it are blurred by single precision.
    const bool blurred = spheres == 5;
    const Bodies bodies = nbody::testing::clustered(1500, spheres);
    for (const double softening : {0.0, 1e-3}) {
      const Forces expected = nbody::make_reference_solver()->forces(bodies, options(softening));
      for (const std::size_t count : {1, 2, 4}) {
        if (count >= pool_->devices().size()) break;
        SCOPED_TRACE(fmt::format("{} spheres, softening {}, {} devices", spheres, softening, count));
        const auto part_below = [&](double error, double limit) {
          ForceOptions asked = options(softening, gpus(count));
          asked.error = error;
          const auto errors = nbody::testing::relative_errors(forces(bodies, asked), expected);
          const auto below = std::ranges::lower_bound(errors, limit) - errors.begin();
          return static_cast<double>(below) / static_cast<double>(errors.size());
        };
        if (direct) {
          EXPECT_GE(part_below(0, 1e-4), blurred ? 0.9 : 0.99);
          EXPECT_GE(part_below(0, 1e-2), 0.99);
        } else {
          EXPECT_GE(part_below(0, 2e-3), 0.99);
          EXPECT_GE(part_below(1e-3, 1e-3), blurred ? 0.98 : 0.99);
        }
      }
    }
  }
}

TEST_P(GpuForces, AtPlacesAreSumsInDoublePrecisionOnAnyNumberOfDevices) {
#ifdef ISOLUME_GPU_EMULATED
  use("2x sm90 1GiB, 1x sm90 slow 1GiB, 1x sm90 1GiB");
#endif
  const bool direct = GetParam() == SolverKind::direct;
  const Bodies bodies = plummer(1200);
  nbody::Places places = nbody::testing::scattered(200);
  places.x.push_back(bodies.x[7]);  // where a body is
  places.y.push_back(bodies.y[7]);
  places.z.push_back(bodies.z[7]);
  for (const double softening : {0.0, 0.05}) {
    const Forces expected = nbody::testing::by_hand(places, bodies, softening);
    std::optional<Forces> first;
    for (const std::size_t count : {1, 2, 4}) {
      if (count >= pool_->devices().size()) break;
      SCOPED_TRACE(count);
      const Forces found = engine_->solver(GetParam())
                               ->forces_at(places, bodies, options(softening, gpus(count)), jobs::Progress());
      ASSERT_EQ(found.ax.size(), places.size());
      const auto errors = nbody::testing::relative_errors(found, expected);
      EXPECT_LT(errors[errors.size() * 99 / 100], direct ? 2e-5 : 5e-3);
      for (std::size_t i = 0; i < places.size(); ++i)
        EXPECT_NEAR(found.potential[i], expected.potential[i], 1e-3 * std::abs(expected.potential[i])) << i;
      if (first) expect_same_bits(*first, found);
      first = found;
      EXPECT_FALSE(found.report.who.starts_with("CPU"));
    }
  }
}

TEST_P(GpuForces, NinetyNineOfAHundredAreAsExactAsWasAskedFor) {
  if (GetParam() == SolverKind::direct) GTEST_SKIP() << "it sums every pair";
  for (const Bodies& bodies :
       {plummer(2500), nbody::testing::joined(plummer(1300), nbody::testing::moved(plummer(900, 2), 20))}) {
    const Forces expected = nbody::make_reference_solver()->forces(bodies, options());
    std::uint64_t fewer = std::numeric_limits<std::uint64_t>::max();
    for (const double error : {1e-3, 1e-2}) {
      ForceOptions exact = options();
      exact.error = error;
      const Forces found = forces(bodies, exact);
      const auto errors = nbody::testing::relative_errors(found, expected);
      EXPECT_LT(errors[errors.size() * 99 / 100], error);
      EXPECT_GT(errors[errors.size() * 99 / 100], error / 10) << "so much exactness costs time";
      EXPECT_LT(found.body_pairs + found.cell_pairs, fewer) << "what is asked for costs nothing";
      fewer = found.body_pairs + found.cell_pairs;
    }
  }
}

TEST_P(GpuForces, CanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(forces(plummer(500), options(), jobs::Progress(stop.get_token(), nullptr)), Cancelled);
}

TEST_P(GpuForces, AreRefusedWhereTheyMakeNoSense) {
  Bodies bodies = plummer(3);
  bodies.mass[1] = -1;
  EXPECT_THROW(forces(bodies, options()), Error);
  EXPECT_THROW(forces(plummer(3), options(-1)), Error);
  EXPECT_THROW(forces(plummer(3), options(0, "0")), Error) << "the CPU is no GPU";
  EXPECT_THROW(forces(plummer(3), options(0, "0,1")), Error);
  EXPECT_THROW(forces(plummer(3), options(0, "77")), Error);
}

TEST_P(GpuForces, MoveBodiesAsTheCpusDo) {
  auto engines = std::make_shared<nbody::EngineRegistry>();
  engines->add(std::move(engine_));
  engines->add(nbody::make_cpu_engine());
  nbody::SceneOptions scene;
  scene.bodies = 400;
  nbody::RunOptions run;
  static_cast<ForceOptions&>(run) = options(0.05);
  run.dt = 0.01;
  const auto after = [&](const std::string& engine) {
    run.engine = engine;
    nbody::NBodySimulation simulation(nbody::make_scene(scene), run, engines);
    simulation.advance(3);
    EXPECT_EQ(simulation.forces().report.who.starts_with("CPU"), engine == "cpu");
    return simulation.bodies();
  };
  const Bodies gpu = after(std::string(gpu_engine_name())), cpu = after("cpu");
  for (std::size_t i = 0; i < cpu.size(); ++i) {
    EXPECT_NEAR(gpu.x[i], cpu.x[i], 1e-5);
    EXPECT_NEAR(gpu.vz[i], cpu.vz[i], 1e-4);
  }
  run.engine = gpu_engine_name();
  run.integrator = nbody::Integrator::hermite;
  EXPECT_THROW(nbody::NBodySimulation(nbody::make_scene(scene), run, engines), Error)
      << "what the CPU alone does";
}

TEST_P(GpuForces, SayWhoMadeTheTree) {
  if (GetParam() == SolverKind::direct) GTEST_SKIP() << "it has none";
  EXPECT_THAT(forces(plummer(200), options()).report.reason, testing::HasSubstr("each GPU makes the tree"));
  const Bodies clumps = nbody::testing::joined(plummer(700), nbody::testing::moved(plummer(100), 1e9));
  EXPECT_THAT(forces(clumps, options()).report.reason, testing::HasSubstr("the CPU made the tree"));
}

#ifdef ISOLUME_GPU_EMULATED

TEST_P(GpuForces, DoNotDependOnTheOrderOfBlocksAndStreams) {
  const Bodies bodies = plummer(900);
  const Forces expected = forces(bodies, options());
  for (const unsigned seed : {3u, 8u}) {
    auto shuffled = emulator::with_streams(emulator::StreamOrder::shuffled, seed);
    shuffled.block_seed = seed;
    use("2x sm90 1GiB", shuffled);
    expect_same_bits(expected, forces(bodies, options(0, "1,2")));
  }
}

TEST_P(GpuForces, LeaveNoMemoryBehind) {
  use("2x sm90 1GiB");
  forces(plummer(700), options(0, "1,2"));
  std::stop_source stop;
  const jobs::Progress progress(stop.get_token(), [&](double, std::string_view) { stop.request_stop(); });
  EXPECT_THROW(forces(plummer(1500), options(0, "1,2"), progress), Cancelled) << "in the middle of it";
  engine_.reset();
  pool_.reset();
  for (const int device : {0, 1}) EXPECT_EQ(emulator::memory_use(device).allocations, 0u) << device;
}

TEST_P(GpuForces, AreFinishedByTheDevicesThatAreLeft) {
  const Bodies bodies = plummer(1200);
  const Forces expected = forces(bodies, options());
  for (const int launch : {1, 2, 3}) {
    use(fmt::format("1x sm90 1GiB fails@{}, 1x sm90 1GiB", launch));
    const Forces found = forces(bodies, options(0, "1,2"));
    expect_same_bits(expected, found);
    EXPECT_NE(found.report.shares[0].error, "");
  }
}

TEST_P(GpuForces, SayWhatIsMissingWhereMemoryIsTooSmall) {
  use("1x sm90 64MiB");
  try {
    forces(plummer(3000000), options());
    ADD_FAILURE() << "3 million bodies take more than 64 MiB";
  } catch (const ResourceError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("MiB"));
    EXPECT_THAT(error.what(), testing::HasSubstr("3000000 bodies"));
  }
}

TEST(GpuForcesOfTheBestEngine, AreTheCpusWhenEveryGpuFails) {
  const auto pool = pool_of("1x sm90 1GiB fails@1");
  nbody::EngineRegistry engines(pool);
  engines.add(make_gpu_nbody_engine(pool));
  engines.add(nbody::make_cpu_engine());
  const Bodies bodies = plummer(2100);
  const Forces found = forces_by(engines, bodies, with(SolverKind::direct));
  EXPECT_EQ(found.report.who, "CPU, direct sum, 1 thread");
  EXPECT_NE(found.report.reason, "");
  expect_same_bits(found, nbody::make_direct_solver()->forces(bodies, with(SolverKind::direct)));
  ForceOptions named = with(SolverKind::direct);
  named.engine = gpu_engine_name();
  const auto broken = pool_of("1x sm90 1GiB fails@1");
  nbody::EngineRegistry of_broken(broken);
  of_broken.add(make_gpu_nbody_engine(broken));
  of_broken.add(nbody::make_cpu_engine());
  EXPECT_THROW(forces_by(of_broken, bodies, named), Error)
      << "no other engine takes the place of one that was named";
}

#endif

}  // namespace
}  // namespace isolume::gpu
