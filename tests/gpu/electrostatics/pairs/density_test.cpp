// Sums of atoms' Gaussians on GPUs: those of a plain loop in double precision and of the CPU, the same bits on any number of
// devices, and what becomes of faults.
#include <cmath>
#include <memory>
#include <stop_token>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/electrostatics/poisson_boltzmann/solvent_surfaces.h"
#include "core/electrostatics/surfaces/molecular_surface.h"
#include "tests/gpu/electrostatics/pair_engine_test.h"

namespace isolume::gpu {
namespace {

using Eigen::Vector3d;
using electrostatics::MolecularSurface;
using electrostatics::PotentialOptions;
using structures::Charges;

/// As dense as atoms of proteins, in a box of this side around (3, -2, 40); every tenth has no radius.
Charges random_atoms(std::size_t count, double side) {
  Charges atoms;
  for (std::size_t i = 0; i < count; ++i) {
    Random random(5, i);
    const auto at = [&] { return side * (random.uniform() - 0.5); };
    const Vector3d place = Vector3d(3, -2, 40) + Vector3d(at(), at(), at());
    structures::add_atom(atoms, place, 0, i % 10 == 7 ? 0 : 1 + random.uniform(), {});
  }
  return atoms;
}

grid::Grid grid_around_atoms(std::array<int, 3> dimensions, double step) {
  grid::Grid grid{.dimensions = dimensions, .unit = grid::LengthUnit::angstrom};
  grid.step = Vector3d(step, 1.2 * step, 0.9 * step).asDiagonal();
  const Vector3d last(dimensions[0] - 1, dimensions[1] - 1, dimensions[2] - 1);
  grid.origin = Vector3d(3, -2, 40) - grid.step * last / 2;
  return grid;
}

class GpuDensity : public PairEngineTest {
 protected:
  PotentialOptions options(const std::string& devices = "all", const std::string& engine = {}) const {
    PotentialOptions options;
    options.engine = engine.empty() ? std::string(gpu_engine_name()) : engine;
    options.devices = devices;
    options.threads = 1;
    options.engines = engines_;
    return options;
  }
  static electrostatics::SurfaceField density(const grid::Grid& grid, const Charges& atoms,
                                              const PotentialOptions& options,
                                              const jobs::Progress& progress = {}) {
    electrostatics::SolventSurfaces known;
    return molecular_surface(grid, atoms, MolecularSurface::gaussian, options, known, progress);
  }
  /// Gaussians of 1e-4 may be on either side of what is left out.
  static void expect_sums(const grid::ScalarField& found, const Charges& atoms) {
    const auto& n = found.grid.dimensions;
    const double angstrom = grid::shown_per_unit(found.grid.unit);
    double most = 0;
    for (int k = 0; k < n[2]; ++k) {
      for (int j = 0; j < n[1]; ++j) {
        for (int i = 0; i < n[0]; ++i) {
          double sum = 0, doubtful = 0;
          for (std::size_t a = 0; a < atoms.size(); ++a) {
            if (atoms.radius[a] == 0) continue;
            const double r =
                (angstrom * found.grid.position(i, j, k) - atoms.place(a)).norm() / atoms.radius[a];
            const double value = std::exp(2.35 * (1 - r * r));
            if (std::abs(value - 1e-4) < 1e-8) doubtful += value;
            if (value >= 1e-4) sum += value;
          }
          ASSERT_NEAR(found.at(i, j, k), sum, 2e-5 * sum + doubtful) << i << ' ' << j << ' ' << k;
          most = std::max(most, sum);
        }
      }
    }
    EXPECT_GT(most, 1) << "there is something to compare";
  }
};

TEST_F(GpuDensity, IsTheDoubleSumAndTheCpus) {
  const auto atoms = random_atoms(90, 10);
  auto grid = grid_around_atoms({25, 19, 26}, 0.7);
  const auto found = density(grid, atoms, options());
  expect_sums(found.field, atoms);
  EXPECT_EQ(found.isovalue, 1);
  EXPECT_EQ(found.report.kernel, "gaussians");
  EXPECT_FALSE(found.report.who.starts_with("CPU")) << found.report.who;
  const auto by_cpu = density(grid, atoms, options("all", "cpu"));
  expect_sums(by_cpu.field, atoms);
  EXPECT_EQ(by_cpu.report.who, "");
  // In bohr.
  const double bohr = grid::shown_per_unit(grid::LengthUnit::bohr);
  grid.origin /= bohr;
  grid.step /= bohr;
  grid.unit = grid::LengthUnit::bohr;
  expect_sums(density(grid, atoms, options()).field, atoms);
}

TEST_F(GpuDensity, OfAtomsOfAllSizesFarAwayAndOfNone) {
  const auto grid = grid_around_atoms({12, 11, 17}, 0.8);
  Charges atoms;
  structures::add_atom(atoms, {3, -2, 40}, 1, 4, {});
  structures::add_atom(atoms, grid.position(3, 3, 3), 1, 0.3, {});
  structures::add_atom(atoms, {3000, -2, 40}, 1, 2, {});
  expect_sums(density(grid, atoms, options()).field, atoms);
  for (double& radius : atoms.radius) radius = 0;
  for (const float value : density(grid, atoms, options()).field.values) ASSERT_EQ(value, 0);
  for (const float value : density(grid, {}, options()).field.values) ASSERT_EQ(value, 0);
}

TEST_F(GpuDensity, IsTheSameBitsOnAnyNumberOfDevices) {
#ifdef ISOLUME_GPU_EMULATED
  use("2x sm90 1GiB, 1x sm90 slow 1GiB");
#endif
  const auto atoms = random_atoms(60, 9);
  const auto grid = grid_around_atoms({17, 13, 70}, 0.4);
  const auto one = density(grid, atoms, options("1"));
  std::string devices = "1";
  for (std::size_t count = 2; count < std::min<std::size_t>(pool_->devices().size(), 4); ++count) {
    devices += fmt::format(",{}", count);
    const auto many = density(grid, atoms, options(devices));
    EXPECT_EQ(one.field.values, many.field.values) << devices;
    EXPECT_EQ(many.report.shares.size(), count);
    EXPECT_GT(many.report.tiles(), 1U);
  }
  expect_sums(density(grid, atoms, options("0,1")).field, atoms);
}

TEST_F(GpuDensity, IsTheCpusWhereAGpuWouldNotShortenIt) {
  const auto grid = grid_around_atoms({9, 9, 9}, 0.8);
  const auto found = density(grid, random_atoms(3, 5), options("all", "auto"));
  EXPECT_EQ(found.report.who, "");
  EXPECT_NE(found.report.reason.find("would not shorten"), std::string::npos) << found.report.reason;
}

TEST_F(GpuDensity, CanBeCancelledAndIsRefusedWithoutAGpu) {
  std::stop_source stop;
  stop.request_stop();
  const auto grid = grid_around_atoms({9, 9, 9}, 0.8);
  EXPECT_THROW(density(grid, random_atoms(9, 5), options(), jobs::Progress(stop.get_token(), nullptr)),
               Cancelled);
  EXPECT_THROW(density(grid, random_atoms(9, 5), options("0")), Error);
}

#ifdef ISOLUME_GPU_EMULATED

TEST_F(GpuDensity, LeavesNoMemoryBehind) {
  use("2x sm90 1GiB");
  density(grid_around_atoms({11, 9, 70}, 0.6), random_atoms(40, 8), options("1,2"));
  engines_.reset();
  pool_.reset();
  for (const int device : {0, 1}) EXPECT_EQ(emulator::memory_use(device).allocations, 0U) << device;
}

TEST_F(GpuDensity, IsFinishedByTheDevicesThatAreLeftAndAtLastByTheCpu) {
  const auto atoms = random_atoms(40, 8);
  const auto grid = grid_around_atoms({11, 9, 34}, 0.6);
  const auto expected = density(grid, atoms, options("1")).field.values;
  use("1x sm90 1GiB fails@1, 1x sm90 1GiB");
  const auto found = density(grid, atoms, options("1,2"));
  EXPECT_EQ(expected, found.field.values);
  EXPECT_NE(found.report.shares[0].error, "");
  use("1x sm90 1GiB fails@1");
  const auto by_cpu = density(grid, atoms, options());
  expect_sums(by_cpu.field, atoms);
  EXPECT_EQ(by_cpu.report.reason, "the CPU alone: no GPU finished a tile");
}

#endif

}  // namespace
}  // namespace isolume::gpu
