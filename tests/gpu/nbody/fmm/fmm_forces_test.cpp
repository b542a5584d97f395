// The fast multipole method on GPUs: within the requested error of sums in double precision, and the same bits on any
// number of devices.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "gpu/nbody/gpu_solver.h"
#include "tests/core/nbody/distributions.h"
#include "tests/core/nbody/force_errors.h"
#include "tests/gpu/nbody/gpu_pool.h"

namespace isolume::gpu {
namespace {

using nbody::Bodies;
using nbody::ForceOptions;
using nbody::Forces;
using nbody::SolverKind;
using nbody::testing::plummer;

/// Bodies of various masses, evenly distributed.
Bodies cube(std::size_t count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Bodies bodies;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = uniform(random), y = uniform(random), z = uniform(random);
    nbody::testing::add(bodies, 1.5 + uniform(random), x, y, z);
  }
  return bodies;
}
Bodies two_clusters(std::size_t count) {
  using namespace nbody::testing;
  return joined(plummer(count), moved(scaled(plummer(count / 2, 2), 0.03, 0.4), 1.5));
}

class FmmForces : public testing::Test {
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
  static ForceOptions options(double error, double softening = 0, const std::string& devices = "all") {
    ForceOptions options;
    options.solver = SolverKind::fmm;
    options.error = error;
    options.softening = softening;
    options.threads = 1;
    options.devices = devices;
    return options;
  }
  Forces forces(const Bodies& bodies, const ForceOptions& options,
                const jobs::Progress& progress = {}) const {
    return engine_->solver(SolverKind::fmm)->forces(bodies, options, progress);
  }
  /// The 99th percentile of the error, relative to sums in double precision.
  static double percentile(const Forces& found, const Forces& expected) {
    const auto errors = nbody::testing::relative_errors(found, expected);
    return errors[errors.size() * 99 / 100];
  }

  std::shared_ptr<dispatch::DevicePool> pool_;
  std::unique_ptr<nbody::Engine> engine_;
};

TEST_F(FmmForces, NinetyNineOfAHundredAreWithinTheRequestedError) {
  struct Case {
    const char* name;
    Bodies bodies;
    std::vector<double> softening_lengths, errors;
  };
  for (const auto& [name, bodies, softening_lengths, errors] :
       {Case{"a Plummer sphere", plummer(1500), {0, 0.05}, {1e-2, 1e-3, 1e-4}},
        Case{"a cube", cube(1500), {0}, {1e-2, 1e-4}},
        Case{"two clusters", two_clusters(1000), {0.05}, {1e-2, 1e-4}}}) {
    for (const double softening : softening_lengths) {
      const Forces expected = nbody::make_reference_solver()->forces(bodies, options(0, softening));
      for (const double error : errors) {
        SCOPED_TRACE(fmt::format("{}, softening {}, error {}", name, softening, error));
        const Forces found = forces(bodies, options(error, softening));
        EXPECT_LT(percentile(found, expected), error);
        EXPECT_LT(nbody::testing::largest_potential_error(bodies, found, expected), 3 * error);
        EXPECT_GT(found.cell_pairs, 100u);
        EXPECT_LT(found.body_pairs, bodies.size() * bodies.size());
      }
    }
  }
}

/// Cells with children of their own act by the softening series here, and so do others on them.
TEST_F(FmmForces, OfAClusterWithinTheSofteningLengthAreWithinTheRequestedError) {
  const Bodies bodies = two_clusters(1000);
  const double softening = 0.4;
  const Forces expected = nbody::make_reference_solver()->forces(bodies, options(0, softening));
  for (const double error : {1e-2, 1e-3, 1e-4}) {
    SCOPED_TRACE(error);
    EXPECT_LT(percentile(forces(bodies, options(error, softening)), expected), error);
  }
}

TEST_F(FmmForces, AreWithinTheLeastErrorsOfSinglePrecision) {
  const Bodies bodies = plummer(2500);
  for (const auto& [error, softening] : {std::pair(3e-6, 0.0), std::pair(5e-5, 0.2)}) {
    SCOPED_TRACE(error);
    const Forces found = forces(bodies, options(error, softening)),
                 expected = nbody::make_reference_solver()->forces(bodies, options(0, softening));
    EXPECT_LT(percentile(found, expected), error);
    EXPECT_GT(found.cell_pairs, 100u);
  }
}

TEST_F(FmmForces, ByOpeningAngleAreTheReferences) {
  const Bodies bodies = plummer(1500);
  for (const double softening : {0.0, 0.1}) {
    ForceOptions asked = options(0, softening);
    asked.opening_angle = 0.5;
    const Forces found = forces(bodies, asked),
                 expected = nbody::make_reference_solver()->forces(bodies, asked);
    EXPECT_LT(percentile(found, expected), 2e-4);
    EXPECT_EQ(found.order, 8);
  }
}

TEST_F(FmmForces, OfUnusualBodiesAreTheReferences) {
  for (const auto& [name, bodies] : nbody::testing::distributions()) {
    SCOPED_TRACE(name);
    const double extent = bodies.size() > 1 ? std::abs(bodies.x[0] - bodies.x[1]) : 1;
    for (const double softening : {0.0, 0.1 * extent}) {
      const Forces found = forces(bodies, options(1e-3, softening)),
                   expected = nbody::make_reference_solver()->forces(bodies, options(0, softening));
      ASSERT_EQ(found.ax.size(), bodies.size());
      if (bodies.size() == 0) continue;
      EXPECT_LT(nbody::testing::errors(bodies, found, expected, softening).back(), 5e-3);
      EXPECT_LT(nbody::testing::largest_potential_error(bodies, found, expected), 2e-3);
    }
  }
}

TEST_F(FmmForces, OfBodiesTooCloseForSinglePrecisionAreSummedInDouble) {
  for (const double closeness : {1e-5, 1e-8}) {
    SCOPED_TRACE(closeness);
    const Bodies bodies = nbody::testing::binaries(400, closeness);
    const Forces found = forces(bodies, options(1e-4)),
                 expected = nbody::make_reference_solver()->forces(bodies, options(0));
    EXPECT_LT(percentile(found, expected), 1e-4);
  }
}

TEST_F(FmmForces, BeyondDoublePrecisionAreRefused) {
  try {
    forces(beyond_double_precision(), options(1e-3));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("The force on body 701 is not finite"));
  }
}

TEST_F(FmmForces, NextToGroupsAtOnePositionAreTheReferences) {
  const Bodies bodies = nbody::testing::beside_tight_groups();
  for (const double softening : {0.0, 1e-3}) {
    const Forces found = forces(bodies, options(1e-3, softening)),
                 expected = nbody::make_reference_solver()->forces(bodies, options(0, softening));
    EXPECT_LT(nbody::testing::errors(bodies, found, expected, softening).back(), 5e-3);
    EXPECT_LT(nbody::testing::largest_potential_error(bodies, found, expected), 1e-3);
  }
}

TEST_F(FmmForces, AreTheSameBitsOnAnyNumberOfDevices) {
#ifdef ISOLUME_GPU_EMULATED
  use("2x sm90 1GiB, 1x sm90 slow 1GiB, 1x sm90 1GiB");
#endif
  const Bodies bodies = two_clusters(900);
  for (const double softening : {0.0, 0.1}) {
    const Forces one = forces(bodies, options(1e-3, softening, "1"));
    for (const std::string devices : {"1,2", "1,2,3,4"}) {
      const auto count = static_cast<std::size_t>(std::ranges::count(devices, ',')) + 1;
      if (count >= pool_->devices().size()) break;
      SCOPED_TRACE(devices);
      const Forces many = forces(bodies, options(1e-3, softening, devices));
      expect_same_bits(one, many);
      EXPECT_EQ(many.report.shares.size(), count);
      EXPECT_GT(many.report.tiles(), 1u);
    }
  }
}

TEST_F(FmmForces, AtPlacesAreSumsInDoublePrecision) {
  const Bodies bodies = plummer(1500);
  const nbody::Places places = nbody::testing::scattered(200);
  for (const double softening : {0.0, 0.05}) {
    const Forces expected = nbody::testing::by_hand(places, bodies, softening),
                 found = engine_->solver(SolverKind::fmm)
                             ->forces_at(places, bodies, options(1e-3, softening), jobs::Progress());
    ASSERT_EQ(found.ax.size(), places.size());
    EXPECT_LT(percentile(found, expected), 1e-3);
    EXPECT_FALSE(found.report.who.starts_with("CPU"));
  }
}

TEST_F(FmmForces, AreLeftToTheProcessorWhereSinglePrecisionDoesNotSuffice) {
  const Bodies bodies = plummer(2500);
  for (const auto& [error, softening] : {std::pair(1e-6, 0.0), std::pair(2e-5, 0.1)}) {
    try {
      forces(bodies, options(error, softening));
      ADD_FAILURE() << "single precision does not keep an error of " << error;
    } catch (const Error& thrown) {
      EXPECT_THAT(thrown.what(), testing::HasSubstr("Choose the engine \"cpu\""));
    }
    nbody::EngineRegistry engines(pool_);
    engines.add(make_gpu_nbody_engine(pool_));
    engines.add(nbody::make_cpu_engine());
    const Forces found = forces_by(engines, bodies, options(error, softening));
    EXPECT_TRUE(found.report.who.starts_with("CPU")) << found.report.who;
    EXPECT_THAT(found.report.reason,
                testing::HasSubstr("GPUs keep errors of the fast multipole method from"));
    EXPECT_FALSE(forces_by(engines, bodies, options(1e-3, softening)).report.who.starts_with("CPU"));
  }
  EXPECT_EQ(engine_->resident(options(1e-3)), nullptr);
}

TEST_F(FmmForces, CanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(forces(plummer(500), options(1e-3), jobs::Progress(stop.get_token(), nullptr)), Cancelled);
}

#ifdef ISOLUME_GPU_EMULATED

TEST_F(FmmForces, DoNotDependOnTheOrderOfBlocksAndStreams) {
  const Bodies bodies = two_clusters(900);
  const Forces expected = forces(bodies, options(1e-3, 0.05));
  for (const unsigned seed : {3u, 8u}) {
    auto shuffled = emulator::with_streams(emulator::StreamOrder::shuffled, seed);
    shuffled.block_seed = seed;
    use("2x sm90 1GiB", shuffled);
    expect_same_bits(expected, forces(bodies, options(1e-3, 0.05, "1,2")));
  }
}

TEST_F(FmmForces, LeaveNoMemoryBehind) {
  use("2x sm90 1GiB");
  forces(plummer(900), options(1e-3, 0.1, "1,2"));
  std::stop_source stop;
  const jobs::Progress progress(stop.get_token(), [&](double fraction, std::string_view) {
    if (fraction > 0.75) stop.request_stop();
  });
  EXPECT_THROW(forces(plummer(2000), options(1e-3, 0.1, "1,2"), progress), Cancelled)
      << "in the middle of it";
  engine_.reset();
  pool_.reset();
  for (const int device : {0, 1}) EXPECT_EQ(emulator::memory_use(device).allocations, 0u) << device;
}

TEST_F(FmmForces, AreFinishedByTheDevicesThatAreLeft) {
  const Bodies bodies = plummer(900);
  const Forces expected = forces(bodies, options(1e-3, 0.1));
  for (const int launch : {1, 2, 4}) {
    use(fmt::format("1x sm90 1GiB fails@{}, 1x sm90 1GiB", launch));
    const Forces found = forces(bodies, options(1e-3, 0.1, "1,2"));
    expect_same_bits(expected, found);
    EXPECT_NE(found.report.shares[0].error, "");
  }
}

TEST_F(FmmForces, SayWhatIsMissingWhereMemoryIsTooSmall) {
  use("1x sm90 1MiB");
  try {
    forces(plummer(20000), options(1e-2));
    ADD_FAILURE() << "20 thousand bodies take more than 1 MiB";
  } catch (const ResourceError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("MiB"));
    EXPECT_THAT(error.what(), testing::HasSubstr("20000 bodies"));
  }
}

#endif

}  // namespace
}  // namespace isolume::gpu
