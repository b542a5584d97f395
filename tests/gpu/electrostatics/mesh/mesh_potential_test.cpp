// Particle-mesh Ewald and multilevel summation on GPUs: Madelung's constants, plain sums in double precision and the CPU's
// engine, the same bits on any number of devices, and what becomes of faults.
#include <algorithm>
#include <array>
#include <cmath>
#include <stop_token>
#include <string>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/electrostatics/potential/potential.h"
#include "gpu/runtime/algorithms/fourier.h"
#include "tests/gpu/electrostatics/pair_engine_test.h"

namespace isolume::gpu {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using electrostatics::Method;
using electrostatics::Places;
using electrostatics::PotentialOptions;
using structures::Charges;
using testing::HasSubstr;

constexpr double kt_angstrom_per_e = 560.4593221475;  ///< e^2 / (4 pi epsilon_0 kT) at 298.15 K

void put(Charges& charges, const Vector3d& place, double charge) {
  charges.x.push_back(place.x());
  charges.y.push_back(place.y());
  charges.z.push_back(place.z());
  charges.charge.push_back(charge);
  charges.radius.push_back(1);
}

/// Of both signs in a box at the origin.
Charges gas_in(const Vector3d& box, int count, std::uint64_t seed) {
  Charges charges;
  for (int i = 0; i < count; ++i) {
    Random random(seed, static_cast<std::uint64_t>(i));
    const Vector3d share(random.uniform(), random.uniform(), random.uniform());
    put(charges, share.cwiseProduct(box), i % 2 == 0 ? 0.4 : -0.4);
  }
  return charges;
}

Places points_of(const grid::Grid& grid) {
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

std::vector<double> coulomb_sums(const Charges& charges, const Places& places) {
  std::vector<double> sums;
  for (std::size_t i = 0; i < places.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < charges.size(); ++j) {
      const double r = (charges.place(j) - Vector3d(places.x[i], places.y[i], places.z[i])).norm();
      if (r >= electrostatics::nearest) sum += charges.charge[j] / r;
    }
    sums.push_back(kt_angstrom_per_e * sum);
  }
  return sums;
}

/// Root of the mean square of the difference, relative to that of what is expected.
template <class Values>
double relative_error(const Values& found, const std::vector<double>& expected) {
  double difference = 0, all = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += std::pow(static_cast<double>(found[i]) - expected[i], 2);
    all += expected[i] * expected[i];
  }
  return std::sqrt(difference / all);
}

class MeshPotential : public PairEngineTest {
 protected:
  void SetUp() override {
    PairEngineTest::SetUp();
    if (IsSkipped()) return;
    try {
      const RealFourier fourier(gpu_of(*pool_->devices().back()), {2, 2, 2});
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();  // cuFFT is not installed
    }
  }
  PotentialOptions by_gpu(Method method, double cutoff, double error,
                          const std::string& devices = "all") const {
    PotentialOptions options;
    options.method = method;
    options.cutoff_angstrom = cutoff;
    options.error = error;
    options.engine = gpu_engine_name();
    options.devices = devices;
    options.threads = 1;
    options.engines = engines_;
    return options;
  }
  /// By the CPU's engine.
  static PotentialOptions by_cpu(PotentialOptions options) {
    options.engine = "cpu";
    options.devices = "all";
    options.kernel = "auto";
    return options;
  }
};

/// Along x, y and z in angstrom: of an odd number of points, some of them beyond a box of 12.
grid::Grid odd_grid(std::array<int, 3> dimensions = {13, 9, 19}) {
  grid::Grid grid{.dimensions = dimensions, .unit = grid::LengthUnit::angstrom};
  grid.origin = Vector3d(-1.3, 2.1, -4);
  grid.step = Vector3d(0.7, 0.9, 0.8).asDiagonal();
  return grid;
}

const std::array<Method, 2> mesh_methods{Method::pme, Method::multilevel};

void expect_by_gpu(const dispatch::Report& report) {
  EXPECT_FALSE(report.who.starts_with("CPU")) << report.who;
  EXPECT_EQ(report.kernel, "sorted-bins");
  EXPECT_THAT(report.reason, HasSubstr("a mesh of "));
  EXPECT_THAT(report.reason, testing::Not(HasSubstr("by the CPU"))) << report.reason;
}

/// J. Phys. A 26, 5481 (1993): NaCl 1.747564594633, CsCl 1.762674773070, in e over the shortest distance between two ions.
TEST_F(MeshPotential, AtIonsOfSaltsIsMadelungs) {
  constexpr double edge = 5.64;
  Charges rock_salt, caesium_chloride, primitive;
  for (int i = 0; i < 8; ++i) {
    const Vector3d at(i & 1, i >> 1 & 1, i >> 2);
    put(rock_salt, edge / 2 * at, at.sum() == 1 || at.sum() == 3 ? -1 : 1);
  }
  put(caesium_chloride, {0, 0, 0}, 1);
  put(caesium_chloride, Vector3d::Constant(edge / 2), -1);
  const double side = edge / std::sqrt(2.0);
  put(primitive, {0, 0, 0}, 1);
  put(primitive, *structures::cell_of({side, side, side}, {60, 60, 60}) * Vector3d::Constant(0.5), -1);
  struct Salt {
    const Charges& ions;
    std::string box;
    Vector3d again;  ///< an edge of the box
    double shortest, madelung;
  };
  for (const Salt& salt :
       {Salt{rock_salt, "5.64,5.64,5.64", {0, 0, -edge}, edge / 2, 1.747564594633},
        Salt{caesium_chloride, "5.64,5.64,5.64", {0, edge, 0}, edge * std::sqrt(3) / 2, 1.762674773070},
        Salt{primitive, fmt::format("{0},{0},{0},60,60,60", side), {side, 0, 0}, edge / 2, 1.747564594633}}) {
    for (const double error : {1e-5, 1e-9}) {
      auto options = by_gpu(Method::pme, 7, error);
      options.box = salt.box;
      const auto found =
          potential_at({{0, salt.again.x()}, {0, salt.again.y()}, {0, salt.again.z()}}, salt.ions, options);
      for (const double value : found.values) {
        EXPECT_NEAR(value / kt_angstrom_per_e * salt.shortest, -salt.madelung, salt.madelung * error)
            << salt.box;
      }
      expect_by_gpu(found.report);
    }
  }
}

TEST_F(MeshPotential, OfPeriodicBoxesIsTheCpus) {
  const Vector3d sides(11, 12, 10);
  auto charges = gas_in(sides, 60, 3);
  put(charges, {30, 2, -20}, 0.7);  // by its images; and what is not neutral
  const auto grid = odd_grid();
  const auto places = points_of(grid);
  for (const char* box : {"11,12,10", "11,12,10,75,100,65", "11,11,10,90,90,120"}) {
    for (const double error : {1e-3, 1e-6}) {
      auto options = by_gpu(Method::pme, 6, error);
      options.box = box;
      const auto expected = potential_at(places, charges, by_cpu(options)).values;
      const auto at_places = potential_at(places, charges, options);
      EXPECT_LT(relative_error(at_places.values, expected), 1e-12) << box;
      const auto on_grid = potential_on(grid, charges, options);
      // A place of single precision, some of which are near a charge.
      EXPECT_LT(relative_error(on_grid.values.values, expected), 3e-6) << box;
      expect_by_gpu(at_places.report);
      expect_by_gpu(on_grid.report);
    }
  }
}

TEST_F(MeshPotential, ByBothKernelsAndWithThePartOfTheCpuIsTheSame) {
  auto charges = gas_in({11, 12, 10}, 60, 5);
  const auto grid = odd_grid({9, 8, 40});
  // At a point, a charge adds nothing, but takes away what the mesh has of it.
  put(charges, grid.position(3, 4, 20), 1);
  for (const Method method : mesh_methods) {
    auto options = by_gpu(method, 5, 1e-5);
    options.box = "11,12,10";
    const auto expected = potential_at(points_of(grid), charges, by_cpu(options)).values;
    for (const char* kernel : {"sorted-bins", "fixed-bins"}) {
      for (const char* devices : {"1", "0,1"}) {
        options.kernel = kernel;
        options.devices = devices;
        const auto found = potential_on(grid, charges, options);
        EXPECT_LT(relative_error(found.values.values, expected), 3e-6) << kernel << ' ' << devices;
        if (devices == std::string("1")) {
          EXPECT_EQ(found.report.kernel, kernel);
        }
      }
    }
    options.kernel = "shared";
    EXPECT_THROW(potential_on(grid, charges, options), Error) << "it knows no cut-off";
  }
}

TEST_F(MeshPotential, OfMultilevelSummationIsTheDoubleSum) {
  const Vector3d sides(24, 21, 23);  // meshes of three spacings
  auto charges = gas_in(sides, 150, 7);
  auto grid = odd_grid({7, 5, 6});
  grid.step *= 4.5;
  auto places = points_of(grid);
  for (const double error : {1e-3, 1e-4}) {
    const auto options = by_gpu(Method::multilevel, 4, error);
    const auto on_grid = potential_on(grid, charges, options);
    EXPECT_LT(relative_error(on_grid.values.values, coulomb_sums(charges, places)), error);
    expect_by_gpu(on_grid.report);
    auto with_ions = places;
    for (std::size_t i = 0; i < 5; ++i) {
      with_ions.x.push_back(charges.x[i]);
      with_ions.y.push_back(charges.y[i]);
      with_ions.z.push_back(charges.z[i]);
    }
    const auto at_places = potential_at(with_ions, charges, options);
    EXPECT_LT(relative_error(at_places.values, coulomb_sums(charges, with_ions)), error);
    EXPECT_LT(relative_error(at_places.values, potential_at(with_ions, charges, by_cpu(options)).values),
              1e-12);
  }
}

TEST_F(MeshPotential, IsTheSameBitsInEveryRunAndOnAnyNumberOfDevices) {
#ifdef ISOLUME_GPU_EMULATED
  use("2x sm90 1GiB, 1x sm90 slow 1GiB, 1x sm90 1GiB");
#endif
  const auto charges = gas_in({11, 12, 10}, 200, 9);
  const auto grid = odd_grid({9, 7, 40});
  const auto places = points_of(odd_grid({5, 5, 9}));
  for (const Method method : mesh_methods) {
    auto options = by_gpu(method, 5, 1e-4, "1");
    options.box = "11,12,10";
    const auto one = potential_on(grid, charges, options).values.values;
    EXPECT_EQ(one, potential_on(grid, charges, options).values.values);
    const auto at_places = potential_at(places, charges, options).values;
    for (const char* devices : {"1,2", "1,2,3,4"}) {
      if (pool_->devices().size() < 5) continue;
      options.devices = devices;
      const auto many = potential_on(grid, charges, options);
      EXPECT_EQ(one, many.values.values) << devices;
      EXPECT_GT(many.report.tiles(), 1u);
      EXPECT_EQ(at_places, potential_at(places, charges, options).values) << devices;
    }
  }
}

TEST_F(MeshPotential, CanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  for (const Method method : mesh_methods) {
    auto options = by_gpu(method, 5, 1e-4);
    options.box = "11,12,10";
    EXPECT_THROW(potential_on(odd_grid(), gas_in({11, 12, 10}, 20, 1), options,
                              jobs::Progress(stop.get_token(), nullptr)),
                 Cancelled);
  }
}

TEST_F(MeshPotential, OfNoChargeIsNone) {
  auto charges = gas_in({11, 12, 10}, 2, 1);
  charges.charge = {0, 0};
  auto options = by_gpu(Method::pme, 5, 1e-4);
  options.box = "11,12,10";
  for (const float value : potential_on(odd_grid(), charges, options).values.values) EXPECT_EQ(value, 0);
}

/// Where no charge is within the cut-off of a point, the mesh has all of it.
TEST_F(MeshPotential, FarFromAllChargesIsTheMeshs) {
  Charges charges;
  put(charges, {2, 2, 2}, 1);
  put(charges, {4, 2, 2}, -1);
  grid::Grid grid = odd_grid({3, 3, 3});
  grid.origin = Vector3d::Constant(25);
  auto options = by_gpu(Method::pme, 6, 1e-5);
  options.box = "50,50,50";
  const auto expected = potential_at(points_of(grid), charges, by_cpu(options)).values;
  EXPECT_LT(relative_error(potential_on(grid, charges, options).values.values, expected), 1e-6);
}

#ifdef ISOLUME_GPU_EMULATED

TEST_F(MeshPotential, DoesNotDependOnTheOrderOfBlocksAndStreams) {
  const auto charges = gas_in({11, 12, 10}, 100, 2);
  const auto grid = odd_grid({9, 7, 20});
  for (const Method method : mesh_methods) {
    std::vector<FieldValues> found;
    for (const unsigned seed : {0u, 3u, 8u}) {
      auto shuffled = emulator::with_streams(emulator::StreamOrder::shuffled, seed);
      shuffled.block_seed = seed;
      engines_.reset();
      pool_.reset();
      emulator::set_devices("2x sm90 1GiB", shuffled);
      make_engines();
      auto options = by_gpu(method, 5, 1e-4, "1,2");
      options.box = "11,12,10";
      found.push_back(potential_on(grid, charges, options).values.values);
      EXPECT_EQ(found.front(), found.back()) << seed;
    }
  }
}

TEST_F(MeshPotential, LeavesNoMemoryBehind) {
  for (const Method method : mesh_methods) {
    use("2x sm90 1GiB");
    auto options = by_gpu(method, 5, 1e-4, "1,2");
    options.box = "11,12,10";
    const auto charges = gas_in({11, 12, 10}, 50, 1);
    potential_on(odd_grid(), charges, options);
    std::stop_source stop;
    const jobs::Progress progress(stop.get_token(), [&](double, std::string_view) { stop.request_stop(); });
    EXPECT_THROW(potential_on(odd_grid({9, 9, 70}), charges, options, progress), Cancelled)
        << "in the middle of it";
    options.engines.reset();
    engines_.reset();
    pool_.reset();
    for (const int device : {0, 1}) EXPECT_EQ(emulator::memory_use(device).allocations, 0u) << device;
  }
}

TEST_F(MeshPotential, IsFinishedByTheDevicesThatAreLeft) {
  const auto charges = gas_in({11, 12, 10}, 50, 4);
  const auto grid = odd_grid({9, 7, 40});
  for (const Method method : mesh_methods) {
    use("1x sm90 1GiB");
    auto options = by_gpu(method, 5, 1e-4);
    options.box = "11,12,10";
    const auto expected = potential_on(grid, charges, options).values.values;
    // On the mesh, of which the second device then has all, and between planes.
    for (const int launch : {1, 5, 14}) {
      use(fmt::format("1x sm90 1GiB fails@{}, 1x sm90 1GiB", launch));
      options.engines = engines_;
      options.devices = "1,2";
      const auto found = potential_on(grid, charges, options);
      EXPECT_EQ(expected, found.values.values) << launch;
      EXPECT_TRUE(std::ranges::any_of(found.report.shares, [](const auto& each) {
        return each.error.find("as it was told to") != std::string::npos;
      })) << launch;
      EXPECT_THAT(found.report.reason, HasSubstr("a mesh of ")) << launch;
      EXPECT_THAT(found.report.reason, testing::Not(HasSubstr("by the CPU"))) << launch;
    }
  }
}

TEST_F(MeshPotential, IsTheCpusWhenEveryGpuFails) {
  const auto charges = gas_in({11, 12, 10}, 50, 4);
  const auto grid = odd_grid({9, 7, 20});
  for (const Method method : mesh_methods) {
    auto options = by_gpu(method, 5, 1e-4);
    options.box = "11,12,10";
    const auto expected = potential_at(points_of(grid), charges, by_cpu(options)).values;
    for (const int launch : {1, 5}) {
      use(fmt::format("1x sm90 1GiB fails@{}", launch));
      options.engines = engines_;
      options.devices = "all";
      const auto found = potential_on(grid, charges, options);
      EXPECT_LT(relative_error(found.values.values, expected), 3e-6);
      EXPECT_THAT(found.report.reason, HasSubstr("by the CPU in "));
      EXPECT_THAT(found.report.reason, HasSubstr(", because: "));
      EXPECT_THAT(found.report.reason, HasSubstr("no GPU finished a tile"));
      use(fmt::format("1x sm90 1GiB fails@{}", launch));
      options.engines = engines_;
      options.devices = "1";
      EXPECT_THROW(potential_on(grid, charges, options), Error)
          << "no other device takes the place of one that was named";
    }
  }
}

/// The mesh has more values than the device has room for; so has the sum over pairs, which brings them there.
TEST_F(MeshPotential, SaysWhatIsMissingWhereMemoryIsTooSmall) {
  use("1x sm90 1MiB");
  auto options = by_gpu(Method::pme, 3, 1e-5);
  options.box = "40,40,40";
  try {
    potential_on(odd_grid(), gas_in({11, 12, 10}, 50, 4), options);
    ADD_FAILURE() << "a mesh of 96 x 96 x 96 points takes 7 MiB";
  } catch (const ResourceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("MiB"));
  }
}

#endif

}  // namespace
}  // namespace isolume::gpu
