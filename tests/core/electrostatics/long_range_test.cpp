/// Multilevel summation and particle-mesh Ewald: sums of which meshes carry a part.
#include <array>
#include <cmath>
#include <complex>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/electrostatics/potential/potential.h"
#include "core/electrostatics/sums/inverse_split.h"
#include "core/electrostatics/sums/stencil_mesh.h"
#include "core/structures/pqr.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using std::numbers::pi;
using structures::Charges;

const std::filesystem::path long_range_references =
    std::filesystem::path(ISOLUME_TEST_REFERENCES) / "electrostatics";
constexpr double kt_angstrom = 560.4593221475;  ///< e^2 / (4 pi epsilon_0 kT) at 298.15 K

void add_charge(Charges& charges, const Vector3d& place, double q) {
  charges.x.push_back(place.x());
  charges.y.push_back(place.y());
  charges.z.push_back(place.z());
  charges.charge.push_back(q);
  charges.radius.push_back(1);
}

/// Charges of both signs in a box, 0.1 to the cubic angstrom.
Charges random_gas(const Vector3d& box, std::uint64_t seed) {
  Charges charges;
  const auto count = static_cast<std::uint64_t>(0.1 * box.prod());
  for (std::uint64_t i = 0; i < count / 2 * 2; ++i) {
    Random random(seed, i);
    const Vector3d share(random.uniform(), random.uniform(), random.uniform());
    add_charge(charges, share.cwiseProduct(box), i % 2 == 0 ? 0.4 : -0.4);
  }
  return charges;
}

Places random_places(const Vector3d& box, int count, std::uint64_t seed) {
  Places places;
  for (int i = 0; i < count; ++i) {
    Random random(seed, static_cast<std::uint64_t>(i));
    places.x.push_back(box.x() * random.uniform());
    places.y.push_back(box.y() * random.uniform());
    places.z.push_back(box.z() * random.uniform());
  }
  return places;
}

/// Root of the mean square of the difference, relative to that of what is expected.
double relative_error(const std::vector<double>& found, const std::vector<double>& expected) {
  double difference = 0, all = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    difference += std::pow(found[i] - expected[i], 2);
    all += expected[i] * expected[i];
  }
  return std::sqrt(difference / all);
}

double coulomb_sum(const Charges& charges, const Vector3d& place) {
  double sum = 0;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double r = (charges.place(i) - place).norm();
    if (r > 1e-4) sum += kt_angstrom * charges.charge[i] / r;
  }
  return sum;
}

std::vector<double> coulomb_sums(const Charges& charges, const Places& places) {
  std::vector<double> sums;
  for (std::size_t i = 0; i < places.size(); ++i)
    sums.push_back(coulomb_sum(charges, {places.x[i], places.y[i], places.z[i]}));
  return sums;
}

TEST(InverseSplit, IsTheFunctionsThatItSays) {
  const auto ewald = ewald_split(9, 1e-7);
  EXPECT_NEAR(std::erfc(9 * ewald.alpha), 1e-7, 1e-12);
  const auto multilevel = multilevel_terms(9);
  for (double r = 0.01; r < 9; r += 0.07) {
    const double u = 2 * r * r / 81 - 1;
    EXPECT_NEAR(ewald.terms.smooth(u), std::erf(ewald.alpha * r) / r, 1e-13) << r;
    EXPECT_NEAR(ewald.terms.smooth_single(u), std::erf(ewald.alpha * r) / r, 2e-7 * ewald.alpha) << r;
    EXPECT_NEAR(multilevel.smooth(u), multilevel_smooth(r / 9) / 9, 1e-14) << r;
    // What is left of 1/r is positive and never more than 1/r.
    EXPECT_GT(1 / r - multilevel.smooth(u), 0) << r;
    EXPECT_GT(multilevel.smooth(u), 0) << r;
  }
  // It goes over into 1/r with five derivatives: a distance of h away the difference is of the sixth order.
  const double h = 1e-2;
  EXPECT_LT(std::abs(multilevel_smooth(1 - h) - 1 / (1 - h)), 30 * std::pow(h, 6));
  EXPECT_NEAR(multilevel_smooth(0), 1 + 1.0 / 2 + 3.0 / 8 + 5.0 / 16 + 35.0 / 128 + 63.0 / 256, 1e-15);
}

/// Any polynomial of less than the order is given back by Lagrange's; a sum of 1 and a first moment by splines.
TEST(StencilMesh, HasTheMomentsOfItsBasis) {
  for (const int order : {4, 8, 10, 12}) {
    for (const double after : {0.0, 0.2, 0.5, 0.93}) {
      const auto lagrange = StencilMesh::weights(MeshBasis::lagrange, order, after),
                 spline = StencilMesh::weights(MeshBasis::spline, order, after);
      for (int power = 0; power < order; ++power) {
        double sum = 0;
        for (int i = 0; i < order; ++i)
          sum += lagrange[static_cast<std::size_t>(i)] * std::pow((i - order / 2 + 1) / 4.0, power);
        EXPECT_NEAR(sum, std::pow(after / 4, power), 1e-12) << order << ' ' << after << ' ' << power;
      }
      double sum = 0, moment = 0;
      for (int i = 0; i < order; ++i) {
        EXPECT_GE(spline[static_cast<std::size_t>(i)], 0);
        sum += spline[static_cast<std::size_t>(i)];
        moment += i * spline[static_cast<std::size_t>(i)];
      }
      EXPECT_NEAR(sum, 1, 1e-14);
      EXPECT_NEAR(moment, after + order / 2.0 - 1, 1e-12);
    }
  }
  // The cubic one, by hand: 1/6, 2/3, 1/6 at its points.
  const auto cubic = StencilMesh::weights(MeshBasis::spline, 4, 0);
  EXPECT_NEAR(cubic[0], 1.0 / 6, 1e-15);
  EXPECT_NEAR(cubic[1], 2.0 / 3, 1e-15);
  EXPECT_NEAR(cubic[2], 1.0 / 6, 1e-15);
  EXPECT_NEAR(cubic[3], 0, 1e-15);
}

TEST(Multilevel, KeepsToTheErrorForARandomGas) {
  const Vector3d box(38, 31, 35);
  const auto charges = random_gas(box, 5);
  const auto places = random_places(box, 300, 6);
  const auto expected = coulomb_sums(charges, places);
  PotentialOptions options;
  options.method = Method::multilevel;
  for (const double cutoff : {5.0, 8.0, 12.0}) {
    options.cutoff_angstrom = cutoff;
    for (const double error : {1e-2, 1e-3, 1e-4, 1e-5}) {
      options.error = error;
      const double found = relative_error(potential_at(places, charges, options).values, expected);
      EXPECT_LT(found, error) << cutoff << ' ' << error;
    }
  }
}

TEST(Multilevel, OfAProteinIsTheDoubleSum) {
  const auto charges = structures::read_pqr(long_range_references / "1FAS.pqr");
  PotentialOptions options;
  options.method = Method::multilevel;
  options.cutoff_angstrom = 8;
  for (const double error : {1e-3, 1e-5}) {
    options.error = error;
    const auto box = box_of(charges);
    const auto grid = grid::cover_box(box.low - Vector3d::Constant(12), box.high + Vector3d::Constant(12),
                                      2.7, grid::LengthUnit::angstrom);
    const auto found = potential_on(grid, charges, options).values;
    std::vector<double> values, expected;
    for (int k = 0; k < grid.dimensions[2]; ++k) {
      for (int j = 0; j < grid.dimensions[1]; ++j) {
        for (int i = 0; i < grid.dimensions[0]; ++i) {
          values.push_back(found.at(i, j, k));
          expected.push_back(coulomb_sum(charges, grid.position(i, j, k)));
        }
      }
    }
    EXPECT_LT(relative_error(values, expected), error);
  }
}

TEST(Multilevel, AtAChargeIsWhatTheOthersMake) {
  const auto charges = random_gas({12, 12, 12}, 1);
  Places places;
  for (std::size_t i = 0; i < 20; ++i) {
    places.x.push_back(charges.x[i]);
    places.y.push_back(charges.y[i]);
    places.z.push_back(charges.z[i]);
  }
  PotentialOptions options;
  options.method = Method::multilevel;
  options.cutoff_angstrom = 6;
  EXPECT_LT(relative_error(potential_at(places, charges, options).values, coulomb_sums(charges, places)),
            1e-5);
}

TEST(Multilevel, RefusesWhatItsMeshesCannotDo) {
  Charges charges;
  add_charge(charges, {0, 0, 0}, 1);
  PotentialOptions options;
  options.method = Method::multilevel;
  options.error = 1e-10;
  EXPECT_THROW(potential_at({{1}, {0}, {0}}, charges, options), Error);
  options.error = 1e-4;
  add_charge(charges, {9e5, 9e5, 9e5}, 1);
  options.cutoff_angstrom = 3;
  EXPECT_THROW(potential_at({{1}, {0}, {0}}, charges, options), ResourceError);
}

/// Ewald's sum in double precision, with waves and images far beyond need, and the even background of what is not neutral.
/// `cell`: edges as columns.
double ewald_sum(const Charges& charges, const Matrix3d& cell, const Vector3d& place, double alpha) {
  const double volume = std::abs(cell.determinant());
  const Matrix3d reciprocal = cell.inverse().transpose();
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double q = charges.charge[i];
    total += q;
    for (int a = -5; a <= 5; ++a) {
      for (int b = -5; b <= 5; ++b) {
        for (int c = -5; c <= 5; ++c) {
          const double r = (charges.place(i) + cell * Vector3d(a, b, c) - place).norm();
          if (alpha * r > 6.5) continue;
          sum += r < 1e-4 ? -2 * alpha / std::sqrt(pi) * q : q * std::erfc(alpha * r) / r;
        }
      }
    }
  }
  constexpr int waves = 16;
  for (int a = -waves; a <= waves; ++a) {
    for (int b = -waves; b <= waves; ++b) {
      for (int c = -waves; c <= waves; ++c) {
        const Vector3d wave = reciprocal * Vector3d(a, b, c);
        const double squared = wave.squaredNorm();
        if (squared == 0 || pi * pi * squared > 42 * alpha * alpha) continue;
        const double green = std::exp(-pi * pi * squared / (alpha * alpha)) / (pi * volume * squared);
        for (std::size_t i = 0; i < charges.size(); ++i)
          sum += green * charges.charge[i] * std::cos(2 * pi * wave.dot(charges.place(i) - place));
      }
    }
  }
  return kt_angstrom * (sum - pi * total / (alpha * alpha * volume));
}

std::string in_words(const Vector3d& box) {
  return fmt::format("{} {},{}", box.x(), box.y(), box.z());
}

std::vector<double> ewald_sums(const Charges& charges, const Matrix3d& cell, const Places& places,
                               double alpha) {
  std::vector<double> sums;
  for (std::size_t i = 0; i < places.size(); ++i)
    sums.push_back(ewald_sum(charges, cell, {places.x[i], places.y[i], places.z[i]}, alpha));
  return sums;
}

PotentialOptions periodic(const Vector3d& box, double cutoff, double error) {
  PotentialOptions options;
  options.method = Method::pme;
  options.box = in_words(box);
  options.cutoff_angstrom = cutoff;
  options.error = error;
  return options;
}

TEST(ParticleMeshEwald, IsEwaldsSum) {
  const Vector3d box(13, 9, 11);
  auto charges = random_gas(box, 7);
  // Beyond the box charges are their images within it; and one is left over.
  charges.x[3] += 2 * box.x();
  charges.z[4] -= 5 * box.z();
  add_charge(charges, {1, 2, 3}, 0.7);
  auto places = random_places(box, 20, 8);
  places.x[0] -= 3 * box.x();
  places.y[1] += 4 * box.y();
  for (std::size_t i = 0; i < 5; ++i) {
    places.x.push_back(charges.x[i]);
    places.y.push_back(charges.y[i]);
    places.z.push_back(charges.z[i]);
  }
  auto folded = charges;
  folded.x[3] -= 2 * box.x();
  folded.z[4] += 5 * box.z();
  auto near_places = places;
  near_places.x[0] += 3 * box.x();
  near_places.y[1] -= 4 * box.y();
  near_places.x[23] -= 2 * box.x();
  near_places.z[24] += 5 * box.z();
  const Matrix3d cell = box.asDiagonal();
  const auto expected = ewald_sums(folded, cell, near_places, 0.45);
  // The sum itself does not depend on the splitting.
  EXPECT_LT(relative_error(ewald_sums(folded, cell, near_places, 0.55), expected), 1e-12);
  for (const double cutoff : {4.0, 7.0, 12.0}) {
    for (const double error : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10}) {
      const auto found = potential_at(places, charges, periodic(box, cutoff, error)).values;
      EXPECT_LT(relative_error(found, expected), error) << cutoff;
    }
  }
}

TEST(ParticleMeshEwald, OnAGridIsThatAtPlaces) {
  const Vector3d box(13, 9, 11);
  const auto charges = random_gas(box, 9);
  // Over several periods, and once in bohr and turned.
  auto grid = grid::centred({3, -4, 20}, {23, 21, 25}, 1.03, grid::LengthUnit::angstrom);
  const auto options = periodic(box, 6, 1e-6);
  const auto check = [&](const grid::Grid& on) {
    const auto found = potential_on(on, charges, options).values;
    Places places;
    std::vector<double> values;
    for (int i = 0; i < 400; ++i) {
      const int a = i * 7 % on.dimensions[0], b = i * 5 % on.dimensions[1], c = i % on.dimensions[2];
      const Vector3d place = on.position(a, b, c) * grid::shown_per_unit(on.unit);
      places.x.push_back(place.x());
      places.y.push_back(place.y());
      places.z.push_back(place.z());
      values.push_back(found.at(a, b, c));
    }
    EXPECT_LT(relative_error(values, potential_at(places, charges, options).values), 1e-6);
  };
  check(grid);
  const double bohr = 1 / grid::shown_per_unit(grid::LengthUnit::bohr);
  grid.origin *= bohr;
  grid.step *= bohr;
  grid.unit = grid::LengthUnit::bohr;
  grid.step.col(0).swap(grid.step.col(1));
  check(grid);
}

/// Triclinic, hexagonal, of a truncated octahedron, and one whose edges lie anywhere and are left-handed.
std::vector<Matrix3d> skewed_cells() {
  Matrix3d octahedron, turned;
  const double edge = 12;
  octahedron.col(0) = edge * Vector3d(1, 0, 0);
  octahedron.col(1) = edge * Vector3d(1.0 / 3, std::sqrt(8.0) / 3, 0);
  octahedron.col(2) = edge * Vector3d(-1.0 / 3, std::sqrt(2.0) / 3, std::sqrt(6.0) / 3);
  turned = Eigen::AngleAxisd(1, Vector3d(1, 2, -1).normalized()) *
           *structures::cell_of({9, 12, 10}, {75, 110, 65});
  turned.col(0).swap(turned.col(1));
  return {*structures::cell_of({11, 10, 12}, {80, 100, 65}), *structures::cell_of({11, 11, 9}, {90, 90, 120}),
          octahedron, turned};
}

TEST(ParticleMeshEwald, OfSkewedBoxesIsEwaldsSum) {
  for (const Matrix3d& cell : skewed_cells()) {
    auto charges = random_gas({9, 9, 9}, 7);
    add_charge(charges, {1, 2, 3}, 0.7);  // what is not neutral
    auto places = random_places({9, 9, 9}, 20, 8);
    places.x.push_back(charges.x[2]);
    places.y.push_back(charges.y[2]);
    places.z.push_back(charges.z[2]);
    const auto expected = ewald_sums(charges, cell, places, 0.5);
    EXPECT_LT(relative_error(ewald_sums(charges, cell, places, 0.6), expected), 1e-11) << cell;
    // The same by images far away.
    charges.x[3] += (2 * cell.col(1) - cell.col(2)).x();
    charges.y[3] += (2 * cell.col(1) - cell.col(2)).y();
    charges.z[3] += (2 * cell.col(1) - cell.col(2)).z();
    places.x[1] -= 3 * cell(0, 0);
    places.y[1] -= 3 * cell(1, 0);
    places.z[1] -= 3 * cell(2, 0);
    charges.cell = cell;
    for (const double cutoff : {4.0, 9.0}) {
      for (const double error : {1e-2, 1e-3, 1e-5, 1e-6, 1e-10}) {
        auto options = periodic({1, 1, 1}, cutoff, error);
        options.box.clear();
        const auto found = potential_at(places, charges, options).values;
        EXPECT_LT(relative_error(found, expected), error) << cutoff << '\n' << cell;
      }
    }
    // On grids, along x, y and z and along the cell.
    auto options = periodic({1, 1, 1}, 7, 1e-6);
    options.box.clear();
    auto straight = grid::centred({3, -4, 20}, {9, 8, 7}, 1.9, grid::LengthUnit::angstrom), along = straight;
    along.step = cell / 8;
    for (const auto& grid : {straight, along}) {
      const auto map = potential_on(grid, charges, options).values;
      Places points;
      std::vector<double> values;
      for (int i = 0; i < 504; ++i) {
        const int a = i % 9, b = i / 9 % 8, c = i / 72;
        const Vector3d place = grid.position(a, b, c);
        points.x.push_back(place.x());
        points.y.push_back(place.y());
        points.z.push_back(place.z());
        values.push_back(static_cast<double>(map.at(a, b, c)));
      }
      // A place of single precision, some of which are near a charge.
      EXPECT_LT(relative_error(values, potential_at(points, charges, options).values), 3e-6);
    }
  }
}

/// The primitive cell of rock salt, of one ion each, has angles of 60 degrees. (Madelung's constant as below.)
TEST(ParticleMeshEwald, OfRockSaltsPrimitiveCellIsMadelungs) {
  constexpr double edge = 5.64;
  Charges salt;
  add_charge(salt, {0, 0, 0}, 1);
  const double side = edge / std::sqrt(2.0);
  const auto cell = structures::cell_of({side, side, side}, {60, 60, 60});
  add_charge(salt, *cell * Vector3d::Constant(0.5), -1);
  for (const double error : {1e-3, 1e-5, 1e-7, 1e-10}) {
    auto options = periodic({1, 1, 1}, 9, error);
    options.box = fmt::format("{} {} {} 60 60 60", side, side, side);
    const double found = potential_at({{0}, {0}, {0}}, salt, options).values[0] / kt_angstrom * edge / 2;
    EXPECT_NEAR(found, -1.747564594633, 1.747564594633 * error);
  }
}

/// J. Phys. A 26, 5481 (1993) and earlier tables: NaCl 1.747564594633, CsCl 1.762674773070, in e over the shortest distance
/// between two ions.
TEST(ParticleMeshEwald, AtIonsOfSaltsIsMadelungs) {
  constexpr double cell = 5.64;
  Charges rock_salt, caesium_chloride;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      for (int k = 0; k < 2; ++k)
        add_charge(rock_salt, Vector3d(i, j, k) * cell / 2, (i + j + k) % 2 == 0 ? 1 : -1);
    }
  }
  add_charge(caesium_chloride, {0, 0, 0}, 1);
  add_charge(caesium_chloride, Vector3d::Constant(cell / 2), -1);
  for (const double error : {1e-3, 1e-5, 1e-7, 1e-10}) {
    for (const double cutoff : {5.0, 9.0, 12.0}) {
      const auto options = periodic(Vector3d::Constant(cell), cutoff, error);
      const double salt =
          potential_at({{0}, {0}, {0}}, rock_salt, options).values[0] / kt_angstrom * cell / 2;
      EXPECT_NEAR(salt, -1.747564594633, 1.747564594633 * error);
      const double caesium = potential_at({{0}, {0}, {0}}, caesium_chloride, options).values[0] /
                             kt_angstrom * cell * std::sqrt(3) / 2;
      EXPECT_NEAR(caesium, -1.762674773070, 1.762674773070 * error);
    }
  }
}

TEST(ParticleMeshEwald, MovesWithTheCharges) {
  const Vector3d box(10, 12, 9);
  auto charges = random_gas(box, 3);
  auto places = random_places(box, 50, 4);
  const auto options = periodic(box, 6, 1e-6);
  const auto before = potential_at(places, charges, options).values;
  const auto move = [](auto& what) {
    for (double& x : what.x) x += 0.331;
    for (double& y : what.y) y -= 17.7;
    for (double& z : what.z) z += 1.093;
  };
  move(charges);
  move(places);
  EXPECT_LT(relative_error(potential_at(places, charges, options).values, before), 1e-6);
}

TEST(ParticleMeshEwald, IsTheSameOnAnyNumberOfThreads) {
  const Vector3d box(14, 12, 19);
  const auto charges = random_gas(box, 3);
  auto options = periodic(box, 6, 1e-5);
  const auto grid = grid::centred({0, 0, 0}, {20, 20, 20}, 1, grid::LengthUnit::angstrom);
  options.threads = 1;
  const auto one = potential_on(grid, charges, options).values;
  options.threads = 3;
  const auto three = potential_on(grid, charges, options).values;
  for (std::size_t i = 0; i < one.values.size(); ++i) ASSERT_EQ(one.values[i], three.values[i]) << i;
}

TEST(ParticleMeshEwald, SaysWhatIsNotNeutral) {
  Charges charges;
  add_charge(charges, {1, 1, 1}, 1);
  const auto options = periodic({20, 20, 20}, 8, 1e-5);
  EXPECT_NE(potential_at({{3}, {0}, {0}}, charges, options).report.who.find("background of -1 e"),
            std::string::npos);
  add_charge(charges, {3, 1, 1}, -1);
  EXPECT_EQ(potential_at({{3}, {0}, {0}}, charges, options).report.who.find("background"), std::string::npos);
}

TEST(ParticleMeshEwald, TakesTheBoxThatTheFileStates) {
  const Vector3d box(10, 12, 9);
  auto charges = random_gas(box, 3);
  const auto places = random_places(box, 20, 4);
  auto options = periodic(box, 6, 1e-5);
  const auto expected = potential_at(places, charges, options).values;
  options.box.clear();
  charges.cell = structures::cell_of(box, {90, 90, 90});
  const auto found = potential_at(places, charges, options);
  EXPECT_EQ(found.values, expected);
  EXPECT_NE(found.report.who.find("the file's box of 10 × 12 × 9 angstrom"), std::string::npos)
      << found.report.who;
  // One that was given goes before the file's.
  charges.cell = structures::cell_of({50, 50, 50}, {90, 90, 90});
  options.box = in_words(box);
  EXPECT_EQ(potential_at(places, charges, options).values, expected);
  // Its angles are told where they are not right, what is flat is refused, and the cell of what is no crystal is none.
  options.box.clear();
  charges.cell = structures::cell_of(box, {90, 90, 120});
  EXPECT_NE(potential_at(places, charges, options).report.who.find("angles of 90, 90 and 120 degrees"),
            std::string::npos);
  charges.cell = structures::cell_of(box, {10, 10, 1});
  ASSERT_TRUE(charges.cell);
  EXPECT_THROW(potential_at(places, charges, options), Error);
  charges.cell = structures::cell_of({1, 1, 1}, {90, 90, 90});
  EXPECT_THROW(potential_at(places, charges, options), Error);
}

TEST(ParticleMeshEwald, WithoutABoxIsRefused) {
  Charges charges;
  add_charge(charges, {1, 1, 1}, 1);
  PotentialOptions options;
  options.method = Method::pme;
  const auto grid = grid::centred({0, 0, 0}, {5, 5, 5}, 1, grid::LengthUnit::angstrom);
  for (const auto* box :
       {"", "10", "10 10", "10,10,10,10", "10 10 x", "10 10 -3", "10 10 nan", "1e9 1 1", "10;10;10",
        "10 10 10 90 90", "10 10 10 10 10 90", "10 10 10 90 90 180", "10 10 10 90 90 nan"}) {
    options.box = box;
    EXPECT_THROW(potential_on(grid, charges, options), Error) << box;
    EXPECT_THROW(potential_at({{3}, {0}, {0}}, charges, options), Error) << box;
  }
}

}  // namespace
}  // namespace isolume::electrostatics
