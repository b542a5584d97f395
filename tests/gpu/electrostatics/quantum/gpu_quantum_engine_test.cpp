// The potential of wavefunctions on GPUs: PySCF's numbers, the same bits on any number of devices, and what becomes of faults.
#include "gpu/electrostatics/quantum/gpu_quantum_engine.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numbers>
#include <sstream>
#include <stop_token>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/molecules/document.h"
#include "gpu/runtime/devices/devices.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "tests/core/orbitals/made_up_wavefunction.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif

namespace isolume::gpu {
namespace {

using Eigen::Vector3d;
using electrostatics::Places;
using electrostatics::QuantumOptions;

const std::filesystem::path potential_references =
    std::filesystem::path(ISOLUME_TEST_REFERENCES) / "potentials";

struct Reference {
  Places places;
  std::vector<double> potential;  ///< Eh/e
};
Reference pyscf_reference(const std::string& name) {
  Reference read;
  std::ifstream file(potential_references / (name + ".potential.csv"));
  std::string line;
  const double angstrom = grid::shown_per_unit(grid::LengthUnit::bohr);
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    std::istringstream cells(line);
    std::array<double, 4> numbers{};
    char comma = 0;
    cells >> numbers[0] >> comma >> numbers[1] >> comma >> numbers[2] >> comma >> numbers[3];
    read.places.x.push_back(angstrom * numbers[0]);
    read.places.y.push_back(angstrom * numbers[1]);
    read.places.z.push_back(angstrom * numbers[2]);
    read.potential.push_back(numbers[3]);
  }
  return read;
}

gaussians::WavefunctionPotential potential_of(const std::string& name) {
  const auto document = molecules::read_document(potential_references / (name + ".molden.gz"));
  return electrostatics::expand(*document.wavefunction, document.wavefunction->sets.front(), {});
}

class GpuQuantumPotential : public testing::Test {
 protected:
  void SetUp() override { use("1x sm90 1GiB"); }
  void use([[maybe_unused]] const std::string& emulated) {
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices(emulated);
#endif
    make_engines();
  }
  void make_engines() {
    engines_.reset();
    std::vector<std::unique_ptr<dispatch::Device>> devices;
    devices.push_back(dispatch::make_cpu_device(1));
    for (const auto& each : describe_devices()) devices.push_back(std::make_unique<GpuDevice>(each));
    pool_ = std::make_shared<dispatch::DevicePool>(std::move(devices), why_no_devices());
    if (pool_->devices().size() == 1) GTEST_SKIP() << pool_->why_no_gpu();
    auto engines = std::make_shared<electrostatics::QuantumEngineRegistry>(pool_);
    engines->add(make_gpu_quantum_engine(pool_));
    engines->add(electrostatics::make_cpu_quantum_engine());
    engines_ = engines;
  }
  QuantumOptions options(const std::string& devices = "all") const {
    QuantumOptions options{.unit = electrostatics::PotentialUnit::hartree_per_e};
    options.compute.engine = gpu_engine_name();
    options.compute.devices = devices;
    options.compute.threads = 1;
    options.engines = engines_;
    return options;
  }
  /// About the molecule, which it cuts askew.
  static grid::Grid turned_grid(std::array<int, 3> dimensions = {5, 7, 26}) {
    grid::Grid grid{.dimensions = dimensions, .unit = grid::LengthUnit::bohr};
    grid.step << 0.6, 0.1, 0.05, -0.1, 0.5, 0.1, 0.02, -0.1, 0.3;
    const Vector3d last(dimensions[0] - 1, dimensions[1] - 1, dimensions[2] - 1);
    grid.origin = Vector3d(0.1, -0.2, 0.3) - grid.step * last / 2;
    return grid;
  }
  /// All points of it, x fastest.
  static Places places_of(const grid::Grid& grid) {
    const double angstrom = grid::shown_per_unit(grid.unit);
    Places places;
    for (int k = 0; k < grid.dimensions[2]; ++k) {
      for (int j = 0; j < grid.dimensions[1]; ++j) {
        for (int i = 0; i < grid.dimensions[0]; ++i) {
          const Vector3d place = angstrom * grid.position(i, j, k);
          places.x.push_back(place.x());
          places.y.push_back(place.y());
          places.z.push_back(place.z());
        }
      }
    }
    return places;
  }

  std::shared_ptr<dispatch::DevicePool> pool_;
  std::shared_ptr<const electrostatics::QuantumEngineRegistry> engines_;
};

class GpuQuantumPotentialOfFile : public GpuQuantumPotential,
                                  public testing::WithParamInterface<const char*> {};

/// Oxygen's basis has shells up to h.
INSTANTIATE_TEST_SUITE_P(All, GpuQuantumPotentialOfFile,
                         testing::Values("water-ccpv5z", "hydroxide-cartesian", "oh-cartesian",
                                         "methyl-iodide-ecp"));

TEST_P(GpuQuantumPotentialOfFile, AtPlacesIsPyscfs) {
#ifdef ISOLUME_GPU_EMULATED
  use("3x sm90 1GiB, 1x sm75 1GiB");
#endif
  const auto expected = pyscf_reference(GetParam());
  ASSERT_GT(expected.potential.size(), 60U);
  const auto source = potential_of(GetParam());
  std::string devices;
  std::vector<double> first;
  for (std::size_t count = 1; count < std::min<std::size_t>(pool_->devices().size(), 5); count *= 2) {
    devices = count == 1 ? "1" : count == 2 ? "1,2" : "1,2,3,4";
    const auto found = quantum_potential_at(expected.places, source, options(devices));
    for (std::size_t i = 0; i < found.values.size(); ++i)
      EXPECT_NEAR(found.values[i], expected.potential[i], 2e-8 + 1e-11 * std::abs(expected.potential[i]))
          << i;
    if (count == 1) first = found.values;
    EXPECT_EQ(found.values, first) << "the same bits on any number of devices";
    EXPECT_EQ(found.report.kernel, "sites");
    EXPECT_FALSE(found.report.who.starts_with("CPU")) << found.report.who;
    EXPECT_EQ(found.report.shares.size(), count);
  }
}

TEST_P(GpuQuantumPotentialOfFile, OnGridsThroughPyscfsPlacesIsPyscfs) {
  const auto expected = pyscf_reference(GetParam());
  const auto source = potential_of(GetParam());
  const double bohr = 1 / grid::shown_per_unit(grid::LengthUnit::bohr);
  for (std::size_t n = 0; n < expected.potential.size(); n += 16) {
    const Vector3d place(expected.places.x[n], expected.places.y[n], expected.places.z[n]);
    auto grid = turned_grid({5, 6, 7});
    grid.origin += bohr * place - grid.position(4, 2, 5);
    const double value = expected.potential[n];
    const auto found = quantum_potential_on(grid, source, options()).values;
    EXPECT_NEAR(found.at(4, 2, 5), value, 6e-8 * std::abs(value) + 2e-8) << n;
  }
}

TEST_F(GpuQuantumPotential, OnAGridIsThatAtItsPoints) {
  const auto source = potential_of("oh-cartesian");
  for (const auto& dimensions : {std::array{5, 7, 26}, std::array{1, 1, 1}, std::array{9, 2, 3}}) {
    const auto grid = turned_grid(dimensions);
    const auto on_grid = quantum_potential_on(grid, source, options()).values;
    QuantumOptions by_cpu{.unit = electrostatics::PotentialUnit::hartree_per_e};
    const auto expected = quantum_potential_at(places_of(grid), source, by_cpu).values;
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(on_grid.values[i], expected[i], 6e-8 * std::abs(expected[i]) + 3e-8) << i;
  }
}

TEST_F(GpuQuantumPotential, IsTheSameBitsOnAnyNumberOfDevices) {
#ifdef ISOLUME_GPU_EMULATED
  use("2x sm90 1GiB, 1x sm90 slow 1GiB, 1x sm90 1GiB");
#endif
  const auto source = potential_of("hydroxide-cartesian");
  const auto grid = turned_grid({5, 6, 70});
  const auto one = quantum_potential_on(grid, source, options("1"));
  std::string devices = "1";
  for (std::size_t count = 2; count < std::min<std::size_t>(pool_->devices().size(), 5); ++count) {
    devices += fmt::format(",{}", count);
    const auto many = quantum_potential_on(grid, source, options(devices));
    EXPECT_EQ(one.values.values, many.values.values) << devices;
    EXPECT_EQ(many.report.shares.size(), count);
    EXPECT_GT(many.report.tiles(), 1u);
  }
}

TEST_F(GpuQuantumPotential, IsTheCpusWithinRoundingWhereThatComputesSomeOfIt) {
  const auto source = potential_of("hydroxide-cartesian");
  const auto grid = turned_grid({5, 6, 70});
  QuantumOptions by_cpu{.unit = electrostatics::PotentialUnit::hartree_per_e};
  const auto expected = quantum_potential_on(grid, source, by_cpu).values;
  const auto found = quantum_potential_on(grid, source, options("0,1"));
  EXPECT_EQ(found.report.shares.size(), 2u);
  EXPECT_GT(found.report.tiles(), 1u);
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    ASSERT_NEAR(found.values.values[i], expected.values[i], 1.3e-7 * std::abs(expected.values[i]) + 1e-12);
  const auto at_places = quantum_potential_at(places_of(grid), source, options("0,1"));
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    ASSERT_NEAR(at_places.values[i], expected.values[i], 1.3e-7 * std::abs(expected.values[i]) + 3e-8);
}

/// An s function's with the exponent p: (1 - erf(sqrt(2p) r)) of a nucleus that has its charge.
TEST_F(GpuQuantumPotential, OfAGaussianIsTheErrorFunctionFromNearToFarAndANucleusAtThePlaceIsLeftOut) {
  molecules::Wavefunction made;
  made.molecule.atoms.push_back({1, {0, 0, 0}, 1.0});
  const double exponent = 0.7;
  made.basis.shells = {test::shell(0, 0, false, {exponent}, {1})};
  made.sets.resize(1);
  made.sets[0].orbitals.resize(1);
  made.sets[0].orbitals[0].occupation = 1;
  made.sets[0].coefficients = Eigen::MatrixXd::Identity(1, 1);
  const auto source = electrostatics::expand(made, made.sets[0], {});
  ASSERT_NEAR(source.electrons(), 1, 1e-12);
  const double angstrom = grid::shown_per_unit(grid::LengthUnit::bohr);
  Places places;
  for (int i = 0; i < 130; ++i) {
    places.x.push_back(angstrom * 0.1 * i);
    places.y.push_back(0);
    places.z.push_back(0);
  }
  const auto found = quantum_potential_at(places, source, options()).values;
  EXPECT_NEAR(found[0], -2 * std::sqrt(2 * exponent / std::numbers::pi), 1e-10);
  for (std::size_t i = 1; i < found.size(); ++i) {
    const double r = 0.1 * static_cast<double>(i);
    EXPECT_NEAR(found[i], std::erfc(std::sqrt(2 * exponent) * r) / r, 1e-8) << r;
  }
  made.sets[0].orbitals[0].occupation = 0;
  const auto of_nucleus =
      quantum_potential_at(places, electrostatics::expand(made, made.sets[0], {}), options()).values;
  EXPECT_EQ(of_nucleus[0], 0);
  EXPECT_NEAR(of_nucleus[5], 2, 1e-10) << "without an electron";
}

TEST_F(GpuQuantumPotential, IsChosenForMuchAndTheCpuForLittle) {
  const auto source = potential_of("oh-cartesian");
  auto how = options();
  how.compute.engine = "auto";
  const auto little = quantum_potential_on(turned_grid({2, 2, 2}), source, how).report;
  EXPECT_TRUE(little.who.starts_with("CPU")) << little.who;
  EXPECT_TRUE(little.reason.starts_with("a GPU would not shorten")) << little.reason;
  const auto much = quantum_potential_on(turned_grid({20, 20, 20}), source, how).report;
  EXPECT_EQ(much.kernel, "sites");
  ASSERT_NE(pool_->last_report(), nullptr);
  EXPECT_EQ(pool_->last_report()->job, "potential of 2 nuclei and their electrons at 8000 points");
}

TEST_F(GpuQuantumPotential, CanBeCancelled) {
  const auto source = potential_of("oh-cartesian");
  std::stop_source stop;
  stop.request_stop();
  const jobs::Progress progress(stop.get_token(), nullptr);
  EXPECT_THROW(quantum_potential_on(turned_grid(), source, options(), progress), Cancelled);
  EXPECT_THROW(quantum_potential_at(places_of(turned_grid()), source, options(), progress), Cancelled);
}

TEST_F(GpuQuantumPotential, IsRefusedWhereItMakesNoSense) {
  const auto source = potential_of("oh-cartesian");
  const auto grid = turned_grid({3, 3, 3});
  EXPECT_THROW(quantum_potential_on(grid, source, options("0")), Error) << "there is no GPU among them";
  EXPECT_THROW(quantum_potential_on(grid, source, options("77")), Error);
  auto other = options();
  other.compute.kernel = "shared";
  EXPECT_THROW(quantum_potential_on(grid, source, other), Error) << "it sums pairs";
  EXPECT_THROW(quantum_potential_at({{0}, {0}, {0}}, source, other), Error);
  EXPECT_TRUE(quantum_potential_at({}, source, options()).values.empty());
}

#ifdef ISOLUME_GPU_EMULATED

TEST_F(GpuQuantumPotential, DoesNotDependOnTheOrderOfBlocksAndStreams) {
  const auto source = potential_of("oh-cartesian");
  const auto expected = quantum_potential_on(turned_grid(), source, options("1")).values.values;
  for (const unsigned seed : {3u, 8u}) {
    auto shuffled = emulator::with_streams(emulator::StreamOrder::shuffled, seed);
    shuffled.block_seed = seed;
    engines_.reset();
    pool_.reset();
    emulator::set_devices("2x sm90 1GiB", shuffled);
    make_engines();
    EXPECT_EQ(expected, quantum_potential_on(turned_grid(), source, options("1,2")).values.values);
  }
}

TEST_F(GpuQuantumPotential, LeavesNoMemoryBehind) {
  use("2x sm90 1GiB");
  const auto source = potential_of("oh-cartesian");
  quantum_potential_on(turned_grid(), source, options("1,2"));
  std::stop_source stop;
  const jobs::Progress progress(stop.get_token(), [&](double, std::string_view) { stop.request_stop(); });
  EXPECT_THROW(quantum_potential_on(turned_grid({9, 9, 70}), source, options("1,2"), progress), Cancelled)
      << "in the middle of it";
  engines_.reset();
  pool_.reset();
  for (const int device : {0, 1}) EXPECT_EQ(emulator::memory_use(device).allocations, 0u) << device;
}

TEST_F(GpuQuantumPotential, IsFinishedByTheDevicesThatAreLeft) {
  const auto source = potential_of("oh-cartesian");
  const auto expected = quantum_potential_on(turned_grid(), source, options()).values.values;
  for (const int launch : {1, 2}) {
    use(fmt::format("1x sm90 1GiB fails@{}, 1x sm90 1GiB", launch));
    const auto found = quantum_potential_on(turned_grid(), source, options("1,2"));
    EXPECT_EQ(expected, found.values.values);
    EXPECT_NE(found.report.shares[0].error, "");
  }
}

TEST_F(GpuQuantumPotential, IsTheCpusWhenEveryGpuFails) {
  const auto source = potential_of("oh-cartesian");
  QuantumOptions by_cpu{.unit = electrostatics::PotentialUnit::hartree_per_e};
  const auto expected = quantum_potential_on(turned_grid(), source, by_cpu).values.values;
  use("1x sm90 1GiB fails@1");
  const auto found = quantum_potential_on(turned_grid(), source, options());
  EXPECT_EQ(found.values.values, expected) << "tile by tile";
  EXPECT_EQ(found.report.reason, "the CPU alone: no GPU finished a tile");
  use("1x sm90 1GiB fails@1");
  EXPECT_THROW(quantum_potential_on(turned_grid(), source, options("1")), Error)
      << "no other device takes the place of one that was named";
}

TEST_F(GpuQuantumPotential, SaysWhatIsMissingWhereMemoryIsTooSmall) {
  use("1x sm90 1MiB");
  const auto source = potential_of("oh-cartesian");
  try {
    quantum_potential_on(turned_grid({600, 700, 3}), source, options());
    ADD_FAILURE() << "a plane takes more than 1 MiB";
  } catch (const ResourceError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("MiB"));
    EXPECT_THAT(error.what(), testing::HasSubstr("2 nuclei"));
  }
}

#endif

}  // namespace
}  // namespace isolume::gpu
