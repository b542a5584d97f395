/// Multilevel summation and particle-mesh Ewald: sums of which meshes carry a part.
#include <array>
#include <cmath>
#include <complex>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/electrostatics/inverse_split.h"
#include "core/electrostatics/potential.h"
#include "core/electrostatics/stencil_mesh.h"
#include "core/structures/pqr.h"

namespace isolume::electrostatics {
namespace {

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
    const auto lattice =
        lattice::cover_box(box.low - Vector3d::Constant(12), box.high + Vector3d::Constant(12), 2.7,
                           lattice::LengthUnit::angstrom);
    const auto found = potential_on(lattice, charges, options).values;
    std::vector<double> values, expected;
    for (int k = 0; k < lattice.dimensions[2]; ++k) {
      for (int j = 0; j < lattice.dimensions[1]; ++j) {
        for (int i = 0; i < lattice.dimensions[0]; ++i) {
          values.push_back(found.at(i, j, k));
          expected.push_back(coulomb_sum(charges, lattice.point(i, j, k)));
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
double ewald_sum(const Charges& charges, const Vector3d& box, const Vector3d& place, double alpha) {
  const double volume = box.prod();
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double q = charges.charge[i];
    total += q;
    for (int a = -3; a <= 3; ++a) {
      for (int b = -3; b <= 3; ++b) {
        for (int c = -3; c <= 3; ++c) {
          const double r = (charges.place(i) + Vector3d(a, b, c).cwiseProduct(box) - place).norm();
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
        const Vector3d wave = Vector3d(a, b, c).cwiseQuotient(box);
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

std::vector<double> ewald_sums(const Charges& charges, const Vector3d& box, const Places& places,
                               double alpha) {
  std::vector<double> sums;
  for (std::size_t i = 0; i < places.size(); ++i)
    sums.push_back(ewald_sum(charges, box, {places.x[i], places.y[i], places.z[i]}, alpha));
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
  const auto expected = ewald_sums(folded, box, near_places, 0.45);
  // The sum itself does not depend on the splitting.
  EXPECT_LT(relative_error(ewald_sums(folded, box, near_places, 0.55), expected), 1e-12);
  for (const double cutoff : {4.0, 7.0, 12.0}) {
    for (const double error : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10}) {
      const auto found = potential_at(places, charges, periodic(box, cutoff, error)).values;
      EXPECT_LT(relative_error(found, expected), error) << cutoff;
    }
  }
}

TEST(ParticleMeshEwald, OnALatticeIsThatAtPlaces) {
  const Vector3d box(13, 9, 11);
  const auto charges = random_gas(box, 9);
  // Over several periods, and once in bohr and turned.
  auto lattice = lattice::centred({3, -4, 20}, {23, 21, 25}, 1.03, lattice::LengthUnit::angstrom);
  const auto options = periodic(box, 6, 1e-6);
  const auto check = [&](const lattice::Lattice& on) {
    const auto found = potential_on(on, charges, options).values;
    Places places;
    std::vector<double> values;
    for (int i = 0; i < 400; ++i) {
      const int a = i * 7 % on.dimensions[0], b = i * 5 % on.dimensions[1], c = i % on.dimensions[2];
      const Vector3d place = on.point(a, b, c) * lattice::shown_per_unit(on.unit);
      places.x.push_back(place.x());
      places.y.push_back(place.y());
      places.z.push_back(place.z());
      values.push_back(found.at(a, b, c));
    }
    EXPECT_LT(relative_error(values, potential_at(places, charges, options).values), 1e-6);
  };
  check(lattice);
  const double bohr = 1 / lattice::shown_per_unit(lattice::LengthUnit::bohr);
  lattice.origin *= bohr;
  lattice.step *= bohr;
  lattice.unit = lattice::LengthUnit::bohr;
  lattice.step.col(0).swap(lattice.step.col(1));
  check(lattice);
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
  const auto lattice = lattice::centred({0, 0, 0}, {20, 20, 20}, 1, lattice::LengthUnit::angstrom);
  options.threads = 1;
  const auto one = potential_on(lattice, charges, options).values;
  options.threads = 3;
  const auto three = potential_on(lattice, charges, options).values;
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
  EXPECT_NE(found.report.who.find("the file's box of 10 x 12 x 9 angstrom"), std::string::npos)
      << found.report.who;
  // One that was given goes before the file's.
  charges.cell = structures::cell_of({50, 50, 50}, {90, 90, 90});
  options.box = in_words(box);
  EXPECT_EQ(potential_at(places, charges, options).values, expected);
  // What cannot be repeated along x, y and z is refused, and the cell of what is no crystal is none.
  options.box.clear();
  charges.cell = structures::cell_of(box, {90, 90, 120});
  EXPECT_THROW(potential_at(places, charges, options), Error);
  charges.cell = structures::cell_of({1, 1, 1}, {90, 90, 90});
  EXPECT_THROW(potential_at(places, charges, options), Error);
}

TEST(ParticleMeshEwald, WithoutABoxIsRefused) {
  Charges charges;
  add_charge(charges, {1, 1, 1}, 1);
  PotentialOptions options;
  options.method = Method::pme;
  const auto lattice = lattice::centred({0, 0, 0}, {5, 5, 5}, 1, lattice::LengthUnit::angstrom);
  for (const auto* box :
       {"", "10", "10 10", "10,10,10,10", "10 10 x", "10 10 -3", "10 10 nan", "1e9 1 1", "10;10;10"}) {
    options.box = box;
    EXPECT_THROW(potential_on(lattice, charges, options), Error) << box;
    EXPECT_THROW(potential_at({{3}, {0}, {0}}, charges, options), Error) << box;
  }
}

}  // namespace
}  // namespace isolume::electrostatics
