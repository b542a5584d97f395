// Sums over pairs on GPUs: by every kernel those of a plain loop in double precision, the same bits on any number of
// devices, and what becomes of faults.
#include "gpu/electrostatics/gpu_pair_engine.h"

#include <cmath>
#include <memory>
#include <stop_token>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/electrostatics/potential/potential.h"
#include "tests/gpu/electrostatics/pair_engine_test.h"

namespace isolume::gpu {
namespace {

using Eigen::Vector3d;
using electrostatics::Dielectric;
using electrostatics::Method;
using electrostatics::Places;
using electrostatics::PotentialOptions;
using structures::Charges;

void add(Charges& charges, const Vector3d& place, double charge, double radius = 1.5) {
  charges.x.push_back(place.x());
  charges.y.push_back(place.y());
  charges.z.push_back(place.z());
  charges.charge.push_back(charge);
  charges.radius.push_back(radius);
}

/// In a box of this side around (3, -2, 40).
Charges random_charges(std::size_t count, double side = 12, std::uint64_t seed = 1) {
  Charges charges;
  for (std::size_t i = 0; i < count; ++i) {
    Random random(seed, i);
    const Vector3d at(random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5);
    add(charges, Vector3d(3, -2, 40) + side * at, 2 * random.uniform() - 1, 1 + random.uniform());
  }
  return charges;
}

/// Around the same place, with steps that differ.
grid::Grid odd_grid(std::array<int, 3> dimensions = {19, 11, 21}, double step = 0.7) {
  grid::Grid grid{.dimensions = dimensions, .unit = grid::LengthUnit::angstrom};
  grid.step = Vector3d(step, 1.3 * step, 0.8 * step).asDiagonal();
  const Vector3d last(dimensions[0] - 1, dimensions[1] - 1, dimensions[2] - 1);
  grid.origin = Vector3d(3, -2, 40) - grid.step * last / 2;
  return grid;
}

/// What the laws say in double precision, and of the charges' magnitudes what rounding is relative to.
struct Expected {
  double value = 0, magnitude = 0;
};
Expected expected_at(const Vector3d& place, const Charges& charges, const PotentialOptions& options) {
  const bool screened = options.method == Method::debye_hueckel;
  const double scale = electrostatics::coulomb_constant(options.unit, options.temperature_kelvin) /
                       (screened ? options.solvent_dielectric : options.solute_dielectric);
  const double kappa = screened
                           ? electrostatics::inverse_debye_length(
                                 options.salt_molar, options.solvent_dielectric, options.temperature_kelvin)
                           : 0;
  Expected sum;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double r = (charges.place(i) - place).norm();
    if (r < electrostatics::nearest) continue;
    double part = scale / r * std::exp(-kappa * (r - charges.radius[i])) / (1 + kappa * charges.radius[i]);
    if (!screened) part = scale / r;
    const bool grows = options.dielectric == Dielectric::distance;
    if (grows) part /= r;
    if (options.method == Method::cutoff) {
      const double left = std::max(0.0, 1 - r * r / (options.cutoff_angstrom * options.cutoff_angstrom));
      // Next to the cut-off, what is left is a small difference of larger numbers.
      sum.magnitude += std::abs(charges.charge[i]) * part * (left - left * left);
      part *= left * left;
    }
    sum.value += charges.charge[i] * part;
    // Of a charge nearer than 0.2 angstrom, it is its place that counts; by 1 / r^2, twice.
    sum.magnitude += std::abs(charges.charge[i]) * part * std::max(1.0, (grows ? 0.5 : 0.2) / r);
  }
  return sum;
}

/// `step`: between points that are looked at. As the CPU's test: a place of single precision is wrong by up to 1e-6
/// angstrom, and the nearest charge less than 1 away.
void expect_double_sums(const grid::ScalarField& found, const Charges& charges,
                        const PotentialOptions& options, int step = 1) {
  const auto& n = found.grid.dimensions;
  const double angstrom = grid::shown_per_unit(found.grid.unit);
  double most = 0;
  for (int k = 0; k < n[2]; k += step) {
    for (int j = 0; j < n[1]; j += step) {
      for (int i = 0; i < n[0]; i += step) {
        const auto expected = expected_at(angstrom * found.grid.position(i, j, k), charges, options);
        ASSERT_NEAR(found.at(i, j, k), expected.value, 3e-6 * expected.magnitude + 1e-6)
            << i << ' ' << j << ' ' << k;
        most = std::max(most, std::abs(expected.value));
      }
    }
  }
  EXPECT_GT(most, 0.1) << "there is something to compare";
}

struct Case {
  Method method;
  const char* kernel;
  Dielectric dielectric = Dielectric::constant;

  const char* law() const {
    if (dielectric == Dielectric::distance) return "by_distance";
    return method == Method::debye_hueckel ? "screened" : "";
  }
};
void PrintTo(const Case& each, std::ostream* out) {
  *out << each.kernel << ' ' << each.law();
}

class GpuPotential : public PairEngineTest, public testing::WithParamInterface<Case> {
 protected:
  /// By the GPU's engine and the case's kernel.
  PotentialOptions options(const std::string& devices = "all") const {
    PotentialOptions options;
    options.method = GetParam().method;
    options.dielectric = GetParam().dielectric;
    options.solute_dielectric = 2;
    options.cutoff_angstrom = 5;
    options.engine = gpu_engine_name();
    options.kernel = GetParam().kernel;
    options.devices = devices;
    options.threads = 1;
    options.engines = engines_;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Kernels, GpuPotential,
                         testing::Values(Case{Method::direct, "shared"}, Case{Method::direct, "constant"},
                                         Case{Method::debye_hueckel, "shared"},
                                         Case{Method::debye_hueckel, "constant"},
                                         Case{Method::cutoff, "sorted-bins"},
                                         Case{Method::cutoff, "fixed-bins"},
                                         Case{Method::direct, "shared", Dielectric::distance},
                                         Case{Method::direct, "constant", Dielectric::distance},
                                         Case{Method::cutoff, "sorted-bins", Dielectric::distance},
                                         Case{Method::cutoff, "fixed-bins", Dielectric::distance}),
                         [](const auto& made) {
                           std::string name = made.param.kernel;
                           std::ranges::replace(name, '-', '_');
                           const std::string law = made.param.law();
                           return law.empty() ? name : name + "_" + law;
                         });

TEST_P(GpuPotential, IsTheDoubleSum) {
  const auto charges = random_charges(250);
  const auto found = potential_on(odd_grid(), charges, options());
  expect_double_sums(found.values, charges, options());
  EXPECT_EQ(found.report.kernel, GetParam().kernel);
  EXPECT_FALSE(found.report.who.starts_with("CPU")) << found.report.who;
}

TEST_P(GpuPotential, OfChargesOnPointsAndOfAllSizesIsTheDoubleSum) {
  const auto grid = odd_grid({9, 10, 17});
  Charges charges = random_charges(40);
  add(charges, grid.position(4, 5, 8), 1);
  add(charges, grid.position(0, 0, 0), -3);
  add(charges, grid.position(8, 9, 16) + Vector3d(2e-3, 0, 0), 0.5);
  add(charges, grid.position(3, 3, 3) + Vector3d(0.3, 0, 0), 9e5);
  add(charges, grid.position(5, 3, 3) + Vector3d(0.3, 0, 0), -9e5);
  add(charges, grid.position(2, 2, 2), 0);
  add(charges, grid.position(2, 2, 9), 1e-30);
  add(charges, Vector3d(60, -2, 40), 5);
  expect_double_sums(potential_on(grid, charges, options()).values, charges, options());
}

TEST_P(GpuPotential, OfOneChargeAndOfNone) {
  const auto grid = odd_grid({5, 6, 7});
  Charges charges;
  add(charges, grid.position(2, 3, 3) + Vector3d(0.1, 0.2, 0), 1);
  expect_double_sums(potential_on(grid, charges, options()).values, charges, options());
  charges.charge[0] = 0;
  const auto none = potential_on(grid, charges, options()).values;
  for (const float value : none.values) EXPECT_EQ(value, 0);
}

TEST_P(GpuPotential, FarFromTheOriginAndInBohrIsTheSame) {
  auto grid = odd_grid({9, 9, 9});
  const auto charges = random_charges(60, 8);
  auto moved = charges;
  for (double& x : moved.x) x += 65536;
  const auto near = potential_on(grid, charges, options()).values;
  grid.origin.x() += 65536;
  const auto far = potential_on(grid, moved, options()).values;
  const double bohr = grid::shown_per_unit(grid::LengthUnit::bohr);
  grid.origin.x() -= 65536;
  grid.origin /= bohr;
  grid.step /= bohr;
  grid.unit = grid::LengthUnit::bohr;
  const auto in_bohr = potential_on(grid, charges, options()).values;
  for (int k = 0; k < 9; ++k) {
    for (int i = 0; i < 9; ++i) {
      const auto expected = expected_at(near.grid.position(i, 4, k), charges, options());
      const double allowed = 3e-6 * expected.magnitude + 1e-6;
      EXPECT_NEAR(far.at(i, 4, k), near.at(i, 4, k), allowed);
      EXPECT_NEAR(in_bohr.at(i, 4, k), near.at(i, 4, k), allowed);
    }
  }
}

TEST_P(GpuPotential, IsTheSameBitsOnAnyNumberOfDevices) {
#ifdef ISOLUME_GPU_EMULATED
  use("2x sm90 1GiB, 1x sm90 slow 1GiB, 1x sm90 1GiB");
#endif
  const auto charges = random_charges(70);
  const auto grid = odd_grid({9, 7, 70}, 0.4);
  const auto one = potential_on(grid, charges, options("1"));
  std::string devices = "1";
  for (std::size_t count = 2; count < std::min<std::size_t>(pool_->devices().size(), 5); ++count) {
    devices += fmt::format(",{}", count);
    const auto many = potential_on(grid, charges, options(devices));
    EXPECT_EQ(one.values.values, many.values.values) << devices;
    EXPECT_EQ(many.report.shares.size(), count);
    EXPECT_GT(many.report.tiles(), 1u);
  }
}

TEST_P(GpuPotential, IsTheDoubleSumWhereTheCpuComputesSomeOfIt) {
  const auto charges = random_charges(70);
  const auto found = potential_on(odd_grid({9, 7, 70}, 0.4), charges, options("0,1"));
  expect_double_sums(found.values, charges, options());
  EXPECT_EQ(found.report.shares.size(), 2u);
  EXPECT_GT(found.report.tiles(), 1u);
}

TEST_P(GpuPotential, CanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(
      potential_on(odd_grid(), random_charges(30), options(), jobs::Progress(stop.get_token(), nullptr)),
      Cancelled);
}

TEST_P(GpuPotential, IsRefusedWhereItMakesNoSense) {
  const auto charges = random_charges(3);
  const auto grid = odd_grid({3, 3, 3});
  EXPECT_THROW(potential_on(grid, charges, options("0")), Error) << "there is no GPU among them";
  EXPECT_THROW(potential_on(grid, charges, options("77")), Error);
  auto other = options();
  other.kernel = "none-such";
  EXPECT_THROW(potential_on(grid, charges, other), Error);
  other.kernel = GetParam().method == Method::cutoff ? "shared" : "sorted-bins";
  EXPECT_THROW(potential_on(grid, charges, other), Error) << "it is for other laws";
  other = options();
  other.method = Method::fmm;
  EXPECT_THROW(potential_on(grid, charges, other), Error) << "no GPU computes that";
  auto turned = grid;
  turned.step.col(0).swap(turned.step.col(1));
  EXPECT_THROW(potential_on(turned, charges, options()), Error);
}

TEST_P(GpuPotential, AtPlacesIsTheDoubleSumInDoublePrecision) {
  const std::string kernel = GetParam().kernel;
  auto charges = random_charges(150);
  Places places;
  for (int i = 0; i < 333; ++i) {
    places.x.push_back(3 + 0.03 * (i - 166));
    places.y.push_back(-2 + 6 * std::sin(i));
    places.z.push_back(40 + 6 * std::cos(0.7 * i));
  }
  add(charges, {places.x[7], places.y[7], places.z[7]}, 2);
  if (kernel == "constant" || kernel == "fixed-bins") {
    EXPECT_THROW(potential_at(places, charges, options()), Error) << "it is for grids";
    return;
  }
  for (const char* devices : {"1", "0,1"}) {
    const auto found = potential_at(places, charges, options(devices));
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto expected = expected_at({places.x[i], places.y[i], places.z[i]}, charges, options());
      ASSERT_NEAR(found.values[i], expected.value, 2e-12 * expected.magnitude) << i;
    }
  }
}

TEST(GpuConstantPotential, OfMoreChargesAndPointsThanFitIsTheDoubleSum) {
#ifdef ISOLUME_GPU_EMULATED
  emulator::set_devices("1x sm90 1GiB");
#endif
  std::vector<std::unique_ptr<dispatch::Device>> devices;
  devices.push_back(dispatch::make_cpu_device(1));
  for (const auto& each : describe_devices()) devices.push_back(std::make_unique<GpuDevice>(each));
  const auto pool = std::make_shared<dispatch::DevicePool>(std::move(devices), why_no_devices());
  if (pool->devices().size() == 1) GTEST_SKIP() << pool->why_no_gpu();
  auto engines = std::make_shared<electrostatics::EngineRegistry>(pool);
  engines->add(make_gpu_pair_engine(pool));
  PotentialOptions options;
  options.kernel = "constant";
  options.engines = engines;
  const auto charges = random_charges(4600, 30);
  expect_double_sums(potential_on(odd_grid({131, 2, 2}, 0.25), charges, options).values, charges, options, 3);
}

#ifdef ISOLUME_GPU_EMULATED

TEST_P(GpuPotential, DoesNotDependOnTheOrderOfBlocksAndStreams) {
  const auto charges = random_charges(60);
  const auto grid = odd_grid({9, 9, 34});
  const auto expected = potential_on(grid, charges, options("1")).values.values;
  for (const unsigned seed : {3u, 8u}) {
    auto shuffled = emulator::with_streams(emulator::StreamOrder::shuffled, seed);
    shuffled.block_seed = seed;
    engines_.reset();
    pool_.reset();
    emulator::set_devices("2x sm90 1GiB", shuffled);
    make_engines();
    EXPECT_EQ(expected, potential_on(grid, charges, options("1,2")).values.values);
  }
}

TEST_P(GpuPotential, LeavesNoMemoryBehind) {
  use("2x sm90 1GiB");
  const auto grid = odd_grid({9, 9, 70});
  potential_on(grid, random_charges(50), options("1,2"));
  std::stop_source stop;
  const jobs::Progress progress(stop.get_token(), [&](double, std::string_view) { stop.request_stop(); });
  EXPECT_THROW(potential_on(grid, random_charges(50), options("1,2"), progress), Cancelled)
      << "in the middle of it";
  engines_.reset();
  pool_.reset();
  for (const int device : {0, 1}) EXPECT_EQ(emulator::memory_use(device).allocations, 0u) << device;
}

TEST_P(GpuPotential, IsFinishedByTheDevicesThatAreLeft) {
  const auto charges = random_charges(50);
  const auto grid = odd_grid({9, 9, 34});
  const auto expected = potential_on(grid, charges, options()).values.values;
  for (const int launch : {1, 2}) {
    use(fmt::format("1x sm90 1GiB fails@{}, 1x sm90 1GiB", launch));
    const auto found = potential_on(grid, charges, options("1,2"));
    EXPECT_EQ(expected, found.values.values);
    EXPECT_NE(found.report.shares[0].error, "");
  }
}

TEST_P(GpuPotential, IsTheCpusWhenEveryGpuFails) {
  use("1x sm90 1GiB fails@1");
  const auto charges = random_charges(50);
  const auto found = potential_on(odd_grid({9, 9, 34}), charges, options());
  expect_double_sums(found.values, charges, options());
  EXPECT_EQ(found.report.reason, "the CPU alone: no GPU finished a tile");
  use("1x sm90 1GiB fails@1");
  EXPECT_THROW(potential_on(odd_grid({9, 9, 34}), charges, options("1")), Error)
      << "no other device takes the place of one that was named";
}

TEST_P(GpuPotential, SaysWhatIsMissingWhereMemoryIsTooSmall) {
  use("1x sm90 1MiB");
  try {
    potential_on(odd_grid({600, 700, 3}), random_charges(3), options());
    ADD_FAILURE() << "a plane takes more than 1 MiB";
  } catch (const ResourceError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("MiB"));
    EXPECT_THAT(error.what(), testing::HasSubstr("3 charges"));
  }
}

#endif

}  // namespace
}  // namespace isolume::gpu
