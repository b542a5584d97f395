#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <filesystem>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/nbody/files/trajectory.h"
#include "core/nbody/runs/diagnostics_table.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "core/nbody/scenes/power_spectrum.h"
#include "core/nbody/scenes/scenes.h"

namespace isolume::nbody {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

SceneOptions box_of(std::int64_t side, double length = 100) {
  SceneOptions options;
  options.scene = SceneKind::cosmological_box;
  options.particles_per_side = side;
  options.box_size = length;
  return options;
}

RunOptions suited(const InitialConditions& start) {
  return suited_to(start, {}, {});
}

double nearest(double difference, double side) {
  return difference - side * std::round(difference / side);
}

/// From its place on the lattice, along one axis.
std::vector<double> displacements(const InitialConditions& start, std::size_t n, std::size_t axis) {
  const double side = start.box->side, spacing = side / static_cast<double>(n);
  const auto& places = *std::array{&start.bodies.x, &start.bodies.y, &start.bodies.z}[axis];
  std::vector<double> found;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t index = std::array{i / (n * n), i / n % n, i % n}[axis];
    found.push_back(nearest(places[i] - spacing * static_cast<double>(index), side));
  }
  return found;
}

/// The wave with this number in the displacements, by its sum.
std::complex<double> wave_of(const std::vector<double>& values, std::size_t n,
                             const std::array<int, 3>& number) {
  std::complex<double> sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double phase =
        2 * pi / static_cast<double>(n) *
        (number[0] * static_cast<double>(i / (n * n)) + number[1] * static_cast<double>(i / n % n) +
         number[2] * static_cast<double>(i % n));
    sum += values[i] * std::polar(1.0, -phase);
  }
  return sum / static_cast<double>(values.size());
}

TEST(CosmologicalBox, WavesHaveTheSpectrumThatWasAskedFor) {
  constexpr std::size_t n = 24;
  const SceneOptions options = box_of(n, 150);
  const Cosmology cosmology{options.omega_matter, options.omega_lambda, options.hubble};
  const PowerSpectrum spectrum({cosmology, options.omega_baryon, options.sigma_8, options.spectral_index});
  const double a = 1 / (1 + options.start_redshift);
  const double grown = cosmology.growth(a) / cosmology.growth(1);
  double ratio = 0;
  int count = 0;
  for (const int seed : {1, 2}) {
    SceneOptions seeded = options;
    seeded.seed = seed;
    const InitialConditions start = make_scene(seeded);
    const std::array moved{displacements(start, n, 0), displacements(start, n, 1),
                           displacements(start, n, 2)};
    for (int x = -3; x <= 3; ++x) {
      for (int y = -3; y <= 3; ++y) {
        for (int z = 0; z <= 3; ++z) {
          const bool opposite = z == 0 && (y < 0 || (y == 0 && x <= 0));
          if (opposite) continue;
          const std::array number{x, y, z};
          // The density contrast is minus the divergence of the displacement.
          std::complex<double> contrast = 0;
          for (std::size_t axis = 0; axis < 3; ++axis)
            contrast +=
                std::complex<double>(0, -2 * pi / 150 * number[axis]) * wave_of(moved[axis], n, number);
          const double k = 2 * pi / 150 * std::sqrt(x * x + y * y + z * z);
          ratio += std::norm(contrast) * 150 * 150 * 150 / (spectrum(k) * grown * grown);
          ++count;
        }
      }
    }
  }
  // Each is distributed as exp(-x): the mean of so many is off by as much as this.
  EXPECT_GT(count, 300);
  EXPECT_NEAR(ratio / count, 1, 3.5 / std::sqrt(count));
}

TEST(CosmologicalBox, SpheresOfEightMegaparsecsVaryBySigma8) {
  // In a large box, by the linear contrast of its waves, smoothed: the variance that the lattice holds.
  constexpr std::size_t n = 20;
  const SceneOptions options = box_of(n, 120);
  const InitialConditions start = make_scene(options);
  const Cosmology& cosmology = start.box->cosmology;
  const double grown = cosmology.growth(std::exp(start.time)) / cosmology.growth(1);
  const auto moved =
      std::array{displacements(start, n, 0), displacements(start, n, 1), displacements(start, n, 2)};
  // Of waves along the axes and the diagonals of planes alone, each standing for all of its length.
  const PowerSpectrum spectrum({cosmology, options.omega_baryon, options.sigma_8, options.spectral_index});
  double found = 0, expected = 0;
  for (int x = -5; x <= 5; ++x) {
    for (int y = -5; y <= 5; ++y) {
      for (int z = 1; z <= 5; ++z) {
        const std::array number{x, y, z};
        std::complex<double> contrast = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
          contrast += std::complex<double>(0, -2 * pi / 120 * number[axis]) * wave_of(moved[axis], n, number);
        const double k = 2 * pi / 120 * std::sqrt(x * x + y * y + z * z), kr = 8 * k;
        const double window = 3 * (std::sin(kr) - kr * std::cos(kr)) / (kr * kr * kr);
        found += std::norm(contrast / grown) * window * window;
        expected += spectrum(k) / (120 * 120 * 120) * window * window;
      }
    }
  }
  EXPECT_NEAR(found / expected, 1, 0.2) << "605 waves, the longest weighing most";
  EXPECT_NEAR(spectrum.sigma(8), options.sigma_8, 1e-9);
}

TEST(CosmologicalBox, BodiesMoveInTheGrowingMode) {
  const SceneOptions options = box_of(16);
  const InitialConditions start = make_scene(options);
  const Cosmology& cosmology = start.box->cosmology;
  const double a = 1.0 / 50;
  EXPECT_NEAR(start.time, std::log(a), 1e-12);
  const auto moved = displacements(start, 16, 1);
  // u = a dx/dt = a H f x.
  const double speed = a * cosmology.expansion_rate(a) * cosmology.growth_rate(a);
  double most = 0;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    EXPECT_NEAR(start.bodies.vy[i], speed * moved[i], 1e-11);
    most = std::max(most, std::abs(moved[i]));
  }
  EXPECT_GT(most, 0.05) << "Mpc/h";
  EXPECT_LT(most, 2) << "Mpc/h";
  double mass = 0;
  for (const double each : start.bodies.mass) mass += each;
  EXPECT_NEAR(mass, start.box->mass(), 1e-9 * mass);
}

TEST(CosmologicalBox, OneSeedGivesTheSameLargeWavesOnAnyLattice) {
  const InitialConditions coarse = make_scene(box_of(12)), fine = make_scene(box_of(20));
  SceneOptions other = box_of(12);
  other.seed = 2;
  const InitialConditions different = make_scene(other);
  for (const std::array<int, 3>& number : {std::array{1, 0, 0}, {0, -2, 1}, {3, 3, -4}}) {
    const std::size_t axis = number[0] != 0 ? 0 : 1;
    const auto in_coarse = wave_of(displacements(coarse, 12, axis), 12, number),
               in_fine = wave_of(displacements(fine, 20, axis), 20, number),
               elsewhere = wave_of(displacements(different, 12, axis), 12, number);
    EXPECT_LT(std::abs(in_coarse - in_fine), 1e-10 * std::abs(in_coarse));
    EXPECT_GT(std::abs(in_coarse - elsewhere), 1e-2 * std::abs(in_coarse));
  }
}

TEST(CosmologicalBox, IsTheSameOnAnyNumberOfThreads) {
  const auto made = [](int threads) {
    tbb::task_arena arena(threads);
    return arena.execute([] { return make_scene(box_of(16)); });
  };
  const InitialConditions one = made(1), two = made(2);
  EXPECT_EQ(one.bodies.x, two.bodies.x);
  EXPECT_EQ(one.bodies.vz, two.bodies.vz);
}

/// A plane wave along x: q + b(a) sin(k q) / k, which sheets follow exactly until they cross, at b = 1 (Zel'dovich).
InitialConditions plane_wave(std::size_t n, const Cosmology& cosmology, double a, double b, int waves = 1) {
  InitialConditions start;
  start.box = ComovingBox{10, cosmology};
  start.time = std::log(a);
  const double spacing = 10 / static_cast<double>(n), k = 2 * pi * waves / 10;
  const double speed = a * cosmology.expansion_rate(a) * cosmology.growth_rate(a);
  for (std::size_t i = 0; i < n * n * n; ++i) {
    const double q = spacing * (static_cast<double>(i / (n * n)) + 0.5), by = b / k * std::sin(k * q);
    start.bodies.mass.push_back(start.box->mass() / static_cast<double>(n * n * n));
    start.bodies.x.push_back(q + by);
    start.bodies.y.push_back(spacing * (static_cast<double>(i / n % n) + 0.5));
    start.bodies.z.push_back(spacing * (static_cast<double>(i % n) + 0.5));
    start.bodies.vx.push_back(speed * by);
    start.bodies.vy.push_back(0);
    start.bodies.vz.push_back(0);
  }
  start.softening = spacing / 12;
  return start;
}

/// b of such a wave, by its first harmonic.
double amplitude_of(const Bodies& bodies, std::size_t n) {
  const double spacing = 10 / static_cast<double>(n), k = 2 * pi / 10;
  double sum = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double q = spacing * (static_cast<double>(i / (n * n)) + 0.5);
    sum += nearest(bodies.x[i] - q, 10) * std::sin(k * q);
  }
  return 2 * k * sum / static_cast<double>(bodies.size());
}

TEST(CosmologicalRun, SmallWavesGrowAsLinearTheorySays) {
  constexpr std::size_t n = 16;
  for (const Cosmology& cosmology :
       {Cosmology{1, 0, 0.7}, Cosmology{0.3, 0.7, 0.7}, Cosmology{0.3, 0, 0.7}}) {
    SCOPED_TRACE(cosmology.omega_matter + cosmology.omega_lambda);
    const double a = 0.1, b = 1e-3;
    const InitialConditions start = plane_wave(n, cosmology, a, b);
    RunOptions options = suited(start);
    options.dt = std::log(10) / 40;
    NBodySimulation simulation(start, options);
    simulation.advance(40);
    EXPECT_NEAR(simulation.time(), 0, 1e-12) << "today";
    const double growth = cosmology.growth(1) / cosmology.growth(a);
    EXPECT_NEAR(amplitude_of(simulation.bodies(), n) / b / growth, 1, 0.01);
    // Velocities of the growing mode: a H f times the displacement.
    double along = 0;
    for (std::size_t i = 0; i < simulation.bodies().size(); ++i) {
      const double q = 10.0 / n * (static_cast<double>(i / (n * n)) + 0.5);
      along += simulation.bodies().vx[i] * std::sin(2 * pi / 10 * q);
    }
    along *= 2 * (2 * pi / 10) / static_cast<double>(simulation.bodies().size());
    EXPECT_NEAR(along / (cosmology.growth_rate(1) * b * growth), 1, 0.02);
  }
}

TEST(CosmologicalRun, APlaneWaveIsZeldovichsUntilSheetsCross) {
  constexpr std::size_t n = 16;
  const Cosmology einstein_de_sitter{1, 0, 0.7};
  // b is a: it crosses at a = 1.
  const InitialConditions start = plane_wave(n, einstein_de_sitter, 0.05, 0.05);
  RunOptions options = suited(start);
  options.dt = std::log(0.9 / 0.05) / 60;
  options.softening = 10.0 / n / 5.5;  // the wave is of sheets, not of bodies one by one
  NBodySimulation simulation(start, options);
  struct Moment {
    int steps;
    double off, fast;  ///< of the largest displacement and speed
  };
  // At last sheets are nearer to each other than their bodies, which then pull at those in front of them.
  for (const auto& [steps, most_off, most_fast] : {Moment{45, 0.008, 0.012}, Moment{15, 0.015, 0.1}}) {
    simulation.advance(steps);
    const Bodies& bodies = simulation.bodies();
    const double k = 2 * pi / 10, a = std::exp(simulation.time());
    double off = 0, fast = 0, aside = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const double q = 10.0 / n * (static_cast<double>(i / (n * n)) + 0.5);
      const double by = a / k * std::sin(k * q);
      off = std::max(off, std::abs(nearest(bodies.x[i] - q - by, 10)));
      fast = std::max(fast, std::abs(bodies.vx[i] - std::sqrt(a) * by / a));  // u = a H f x, H = a^-1.5
      aside = std::max(aside, std::abs(bodies.vy[i]));
    }
    EXPECT_LT(off * k / a, most_off) << a;
    EXPECT_LT(fast * k / std::sqrt(a), most_fast) << a;
    EXPECT_LT(aside * k / std::sqrt(a), 0.01) << a;
  }
}

TEST(CosmologicalRun, KeepsMomentumAndLayzerAndIrvinesEquation) {
  SceneOptions scene = box_of(16, 50);
  const InitialConditions start = make_scene(scene);
  NBodySimulation simulation(start, suited(start));
  const auto first = simulation.frame(frame_diagnostics);
  simulation.advance(200);
  const auto last = simulation.frame(frame_diagnostics);
  EXPECT_NEAR(last->time, 0, 1e-9);
  EXPECT_NEAR(last->scale_factor(), 1, 1e-9);
  const Diagnostics &now = *last->diagnostics, &then = *first->diagnostics;
  ASSERT_TRUE(now.expansion);
  EXPECT_NEAR(now.expansion->redshift(), 0, 1e-9);
  EXPECT_NEAR(then.expansion->redshift(), 49, 1e-9);
  EXPECT_LT(now.potential, 0);
  EXPECT_GT(now.kinetic, 20 * then.kinetic) << "structure has formed";
  EXPECT_LT(std::abs(energy_error(now, then)), 0.02);
  // What is conserved is a^2 dx/dt; it is 0, as waves have no mean.
  double all = 0;
  const Bodies& bodies = simulation.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i)
    all += bodies.mass[i] * std::hypot(bodies.vx[i], bodies.vy[i], bodies.vz[i]);
  EXPECT_LT((now.momentum - then.momentum).norm(), 1e-10 * all);
  for (const auto* values : {&bodies.x, &bodies.y, &bodies.z}) {
    EXPECT_GE(*std::ranges::min_element(*values), 0);
    EXPECT_LT(*std::ranges::max_element(*values), 50);
  }
  EXPECT_EQ(last->centre, Vector3d::Constant(25));
}

TEST(CosmologicalRun, GoesBackToWhereItBegan) {
  const InitialConditions start = make_scene(box_of(8));
  NBodySimulation simulation(start, suited(start));
  const Bodies before = simulation.bodies();
  simulation.advance(20);
  simulation.advance(-20);
  for (std::size_t i = 0; i < before.size(); i += 17) {
    EXPECT_NEAR(nearest(simulation.bodies().x[i] - before.x[i], 100), 0, 1e-8);
    EXPECT_NEAR(simulation.bodies().vx[i], before.vx[i], 1e-8);
  }
}

TEST(CosmologicalRun, ErrorsFallWithTheSquareOfTheStep) {
  const Cosmology cosmology{0.3, 0.7, 0.7};
  const InitialConditions start = plane_wave(8, cosmology, 0.1, 0.05);
  const auto end_of = [&](int steps) {
    RunOptions options = suited(start);
    options.dt = std::log(5) / steps;
    NBodySimulation simulation(start, options);
    simulation.advance(steps);
    return simulation.bodies();
  };
  const Bodies exact = end_of(320), coarse = end_of(20), fine = end_of(40);
  const auto error = [&](const Bodies& bodies) {
    double sum = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) sum += std::pow(nearest(bodies.x[i] - exact.x[i], 10), 2);
    return std::sqrt(sum);
  };
  EXPECT_NEAR(error(coarse) / error(fine), 4, 0.5);
}

TEST(CosmologicalRun, ATrajectoryGoesOn) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "cosmological_run";
  std::filesystem::create_directories(folder);
  const InitialConditions start = make_scene(box_of(8, 40));
  NBodySimulation simulation(start, suited(start));
  TrajectoryWriter writer(folder / "box.h5", simulation, "a test");
  simulation.advance(10);
  writer.add(simulation);
  writer.finish();
  const Trajectory trajectory(folder / "box.h5");
  ASSERT_TRUE(trajectory.box());
  const InitialConditions again = trajectory.moment(0);
  EXPECT_EQ(again.box->side, 40);
  EXPECT_EQ(again.box->cosmology.omega_lambda, 0.69);
  EXPECT_EQ(again.time, simulation.time());
  EXPECT_NEAR(again.softening, 40.0 / 8 / 25, 1e-12);
  RunOptions options = suited(again);
  options.dt = simulation.options().dt;
  NBodySimulation later(again, options);
  later.advance(5);
  simulation.advance(5);
  for (std::size_t i = 0; i < later.bodies().size(); i += 5)
    EXPECT_NEAR(later.bodies().x[i], simulation.bodies().x[i], 1e-9);
  DiagnosticsTable table(folder / "box.csv");
  table.add(*later.frame(frame_diagnostics));
  table.finish();
  EXPECT_THAT(read_text_file(folder / "box.csv"),
              ::testing::StartsWith("step,scale_factor,redshift,kinetic,potential,energy,energy_lost,"));
  std::filesystem::remove_all(folder);
}

TEST(CosmologicalRun, WhatMakesNoSenseIsRefused) {
  const auto refused = [](const SceneOptions& options, const char* why) {
    try {
      make_scene(options);
      ADD_FAILURE() << why;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(why));
    }
  };
  refused(box_of(7), "8 is the next");
  refused(box_of(14), "16 is the next");
  refused(box_of(16, -1), "box-size");
  SceneOptions baryons = box_of(8);
  baryons.omega_baryon = 0.5;
  refused(baryons, "Omega_b");
  const InitialConditions start = make_scene(box_of(8));
  EXPECT_THROW(NBodySimulation(start, RunOptions()), Error) << "a tree does not know the box";
  RunOptions hermite = suited(start);
  hermite.integrator = Integrator::hermite;
  EXPECT_THROW(NBodySimulation(start, hermite), Error);
  RunOptions blocks = suited(start);
  blocks.time_steps = TimeSteps::block;
  EXPECT_THROW(NBodySimulation(start, blocks), Error);
  NBodySimulation simulation(start, suited(start));
  EXPECT_THROW(simulation.set_parameter("solver", std::string("direct")), Error);
  RunOptions mesh;
  mesh.solver = SolverKind::particle_mesh;
  EXPECT_THROW(NBodySimulation(make_scene({}), mesh), Error);
  EXPECT_EQ(suited_to(make_scene({}), mesh, {}).solver, SolverKind::best);
  InitialConditions late = start;
  late.time = 1e5;
  EXPECT_THROW(NBodySimulation(late, suited(start)), Error);
}

}  // namespace
}  // namespace isolume::nbody
