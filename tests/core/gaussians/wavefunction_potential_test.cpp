#include "core/gaussians/wavefunction_potential.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/molecules/document.h"
#include "tests/core/orbitals/made_up_wavefunction.h"

namespace isolume::gaussians {
namespace {

using Eigen::Vector3d;
using molecules::Wavefunction;

const std::filesystem::path references = std::filesystem::path(ISOLUME_TEST_REFERENCES) / "potentials";

/// All points by themselves or many of them in a tile: what is near and what is far differs.
std::vector<double> potential_at(const WavefunctionPotential& potential, const std::vector<Vector3d>& places,
                                 int at_once, double nearest = 1e-4) {
  std::vector<double> values;
  for (std::size_t first = 0; first < places.size(); first += static_cast<std::size_t>(at_once)) {
    PointTile tile;
    tile.count = static_cast<int>(std::min(places.size() - first, static_cast<std::size_t>(at_once)));
    for (int i = 0; i < PointTile::capacity; ++i) {
      const Vector3d& place = places[first + static_cast<std::size_t>(std::min(i, tile.count - 1))];
      tile.x[i] = place.x();
      tile.y[i] = place.y();
      tile.z[i] = place.z();
    }
    potential.evaluate(tile, nearest);
    values.insert(values.end(), tile.potential, tile.potential + tile.count);
  }
  return values;
}

struct Reference {
  std::vector<Vector3d> places;
  std::vector<double> potential;
};
Reference read_reference(const std::string& name) {
  Reference read;
  std::ifstream file(references / (name + ".potential.csv"));
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    std::istringstream cells(line);
    std::array<double, 4> numbers{};
    char comma = 0;
    cells >> numbers[0] >> comma >> numbers[1] >> comma >> numbers[2] >> comma >> numbers[3];
    read.places.emplace_back(numbers[0], numbers[1], numbers[2]);
    read.potential.push_back(numbers[3]);
  }
  return read;
}

class OfFile : public testing::TestWithParam<const char*> {};

TEST_P(OfFile, IsPyscfs) {
  const auto document = molecules::read_document(references / (GetParam() + std::string(".molden.gz")));
  const auto expected = read_reference(GetParam());
  ASSERT_GT(expected.places.size(), 60U);
  const auto& wavefunction = *document.wavefunction;
  for (const double tolerance : {1e-8, 1e-12}) {
    const WavefunctionPotential potential(wavefunction, wavefunction.sets.front(), tolerance);
    EXPECT_NEAR(potential.electrons(),
                document.electrons_from_overlap.alpha + document.electrons_from_overlap.beta, 1e-6);
    for (const int at_once : {1, 7, 64}) {
      const auto found = potential_at(potential, expected.places, at_once);
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected.potential[i], 1e-8) << i << ": " << expected.places[i].transpose();
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, OfFile,
                         testing::Values("water-ccpv5z", "hydroxide-cartesian", "oh-cartesian",
                                         "methyl-iodide-ecp"));

molecules::Orbital occupied(double occupation) {
  molecules::Orbital orbital;
  orbital.occupation = occupation;
  return orbital;
}

/// One orbital of one shell on one atom without a nucleus.
Wavefunction one_function(int angular_momentum, bool spherical, int function, double exponent,
                          const Vector3d& place) {
  Wavefunction made;
  made.molecule.atoms.push_back({.atomic_number = 0, .position_bohr = place});
  made.basis.shells = {test::shell(0, angular_momentum, spherical, {exponent}, {1})};
  made.sets.resize(1);
  made.sets[0].orbitals.push_back(occupied(1));
  made.sets[0].coefficients =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(made.basis.function_count()), 1);
  made.sets[0].coefficients(function, 0) = 1;
  return made;
}

TEST(WavefunctionPotential, OfAGaussianIsTheErrorFunction) {
  const Vector3d centre(0.4, -1, 2);
  for (const double exponent : {0.05, 0.7, 30.0, 1e5}) {
    const auto made = one_function(0, false, 0, exponent, centre);
    const WavefunctionPotential potential(made, made.sets[0]);
    std::vector<Vector3d> places;
    std::vector<double> expected;
    for (double r = 1e-3; r < 200; r *= 1.3) {
      places.push_back(centre + r * Vector3d(0.6, 0, -0.8));
      expected.push_back(-std::erf(std::sqrt(2 * exponent) * r) / r);
    }
    const auto found = potential_at(potential, places, 1);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 2e-8) << exponent << ' ' << i;
    EXPECT_NEAR(potential_at(potential, {centre}, 1)[0], -2 * std::sqrt(2 * exponent / std::numbers::pi),
                1e-10 * std::sqrt(exponent));
  }
}

/// With exp(-r) as a sum of six Gaussians (STO-6G; Hehre, Stewart and Pople, J. Chem. Phys. 51, 2657 (1969)), the atom's potential is
/// nearly (1 + 1/r) exp(-2r).
TEST(WavefunctionPotential, OfAHydrogenAtom) {
  Wavefunction made = one_function(0, false, 0, 1, Vector3d::Zero());
  made.molecule.atoms[0].nuclear_charge = 1;
  made.basis.shells[0].exponents = {23.103031, 4.2359155, 1.1850565, 0.40709890, 0.15808842, 0.065109540};
  made.basis.shells[0].coefficients = {0.0091635960, 0.049361492, 0.16853830,
                                       0.37056279,   0.41649152,  0.13033408};
  const WavefunctionPotential potential(made, made.sets[0]);
  for (const double r : {0.3, 0.5, 1.0, 2.0, 4.0}) {
    EXPECT_NEAR(potential_at(potential, {Vector3d(0, r, 0)}, 1)[0], (1 + 1 / r) * std::exp(-2 * r), 2e-3)
        << r;
  }
}

double power(double base, int exponent) {
  double product = 1;
  for (; exponent > 0; --exponent) product *= base;
  return product;
}

/// By quadrature about the place itself, where the volume element takes the 1 / distance away:
/// Gauss and Legendre's in the radius and the cosine, equidistant in the azimuth.
double by_quadrature(const Wavefunction& made, const Vector3d& place, double reach) {
  constexpr int radii = 120, cosines = 60, azimuths = 60;
  const auto legendre = [](int count, double low, double high) {
    std::vector<std::pair<double, double>> rule;
    for (int i = 0; i < count; ++i) {
      double x = std::cos(std::numbers::pi * (i + 0.75) / (count + 0.5)), slope = 1;
      for (int step = 0; step < 20; ++step) {
        double before = 1, here = x;
        for (int n = 2; n <= count; ++n) {
          const double next = ((2 * n - 1) * x * here - (n - 1) * before) / n;
          before = here;
          here = next;
        }
        slope = count * (x * here - before) / (x * x - 1);
        x -= here / slope;
      }
      rule.emplace_back(low + (high - low) * (1 + x) / 2, (high - low) / ((1 - x * x) * slope * slope));
    }
    return rule;
  };
  const auto& shell = made.basis.shells[0];
  const auto& powers = molecules::cartesian_powers(shell.angular_momentum);
  const Eigen::VectorXd of_monomials =
      molecules::functions_to_monomials(shell).transpose() * made.sets[0].coefficients.col(0);
  const double norm = molecules::primitive_norm(shell.exponents[0], {shell.angular_momentum, 0, 0});
  double sum = 0;
  static const auto in_radius = legendre(radii, 0, 1), in_cosine = legendre(cosines, -1, 1);
  for (const auto& [part, radius_weight] : in_radius) {
    const double radius = part * reach;
    for (const auto& [cosine, cosine_weight] : in_cosine) {
      const double sine = std::sqrt(1 - cosine * cosine);
      for (int a = 0; a < azimuths; ++a) {
        const double angle = 2 * std::numbers::pi * a / azimuths;
        const Vector3d r = place + radius * Vector3d(sine * std::cos(angle), sine * std::sin(angle), cosine) -
                           made.molecule.atoms[0].position_bohr;
        double psi = 0;
        for (std::size_t m = 0; m < powers.size(); ++m)
          psi += of_monomials[static_cast<Eigen::Index>(m)] * power(r.x(), powers[m].x) *
                 power(r.y(), powers[m].y) * power(r.z(), powers[m].z);
        psi *= norm * std::exp(-shell.exponents[0] * r.squaredNorm());
        sum += radius_weight * reach * radius * cosine_weight * 2 * std::numbers::pi / azimuths * psi * psi;
      }
    }
  }
  return -sum;
}

class OfShell : public testing::TestWithParam<int> {};

TEST_P(OfShell, IsItsQuadrature) {
  const int l = GetParam();
  const Vector3d centre(0.1, 0.2, -0.3);
  for (const bool spherical : {false, true}) {
    const int count = spherical ? 2 * l + 1 : (l + 1) * (l + 2) / 2;
    for (const int function : {0, count - 1}) {
      const auto made = one_function(l, spherical, function, 0.9, centre);
      const WavefunctionPotential potential(made, made.sets[0], 1e-12);
      for (const Vector3d& place :
           {Vector3d(0.1, 0.2, -0.3), Vector3d(0.9, -0.3, 0.4), Vector3d(-1, 2, 1.5)}) {
        EXPECT_NEAR(potential_at(potential, {place}, 1)[0], by_quadrature(made, place, 8.5), 1e-9)
            << l << ' ' << spherical << ' ' << function << ' ' << place.transpose();
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(StoH, OfShell, testing::Range(0, molecules::max_angular_momentum + 1));

/// Everything near: points in one tile all around the molecule are computed without multipoles.
TEST(WavefunctionPotential, IsWithinItsToleranceOfTheSumWithoutMultipoles) {
  auto made = test::all_shells(true);
  made.sets.resize(1);
  made.sets[0].coefficients = 0.3 * test::random_coefficients(made.basis, 2, 11);
  made.sets[0].orbitals.assign(2, occupied(2));
  std::mt19937 generator(1);
  std::normal_distribution<double> normal(0, 1);
  for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
    const WavefunctionPotential potential(made, made.sets[0], tolerance);
    const WavefunctionPotential exact(made, made.sets[0], 1e-13);
    double worst = 0;
    for (int i = 0; i < 150; ++i) {
      // The second point of the tile is in the midst of the molecule, and so is the box around both.
      const Vector3d place = Vector3d(normal(generator), normal(generator), normal(generator)) * (1 + i / 5);
      const double expected = potential_at(exact, {place, -place}, 2)[0];
      worst = std::max(worst, std::abs(potential_at(potential, {place}, 1)[0] - expected));
    }
    EXPECT_LT(worst, tolerance);
    EXPECT_GT(worst, 1e-5 * tolerance) << "multipoles were at work";
  }
}

TEST(WavefunctionPotential, FarAwayIsThatOfChargeAndDipole) {
  const auto document = molecules::read_document(references / "water-ccpv5z.molden.gz");
  const auto& wavefunction = *document.wavefunction;
  const WavefunctionPotential potential(wavefunction, wavefunction.sets.front());
  EXPECT_NEAR(potential.nuclear_charge() - potential.electrons(), 0, 1e-6);
  // PySCF's dipole of the same calculation.
  EXPECT_LT((potential.dipole() - Vector3d(0.067999, -0.00455046, -0.77834812)).norm(), 1e-6);
  const std::array<Vector3d, 2> along{Vector3d(0, 0, 1000), Vector3d(0, 0, -1000)};
  const auto values = potential_at(potential, {along[0], along[1]}, 1);
  EXPECT_NEAR((values[0] - values[1]) / 2 * 1e6, potential.dipole().z(), 1e-3);
  const auto ion = molecules::read_document(references / "hydroxide-cartesian.molden.gz");
  const WavefunctionPotential of_ion(*ion.wavefunction, ion.wavefunction->sets.front());
  EXPECT_NEAR(potential_at(of_ion, {Vector3d(0, 3000, 0)}, 1)[0], -1.0 / 3000, 1e-6);
  // From the nuclei's centre of charge, PySCF's from the origin.
  Vector3d centre = Vector3d::Zero();
  for (const auto& atom : ion.molecule.atoms) centre += atom.nuclear_charge / 9 * atom.position_bohr;
  EXPECT_LT((of_ion.dipole() - centre - Vector3d(-0.12035914, 0.18025314, 0.28125811)).norm(), 1e-6);
}

TEST(WavefunctionPotential, LeavesOutANucleusAtThePlaceAlone) {
  const auto document = molecules::read_document(references / "oh-cartesian.molden.gz");
  const auto& wavefunction = *document.wavefunction;
  const WavefunctionPotential potential(wavefunction, wavefunction.sets.front());
  const Vector3d at = wavefunction.molecule.atoms[0].position_bohr;
  const double without = potential_at(potential, {at}, 1)[0];
  EXPECT_NEAR(without, potential_at(potential, {at + Vector3d(5e-5, 0, 0)}, 1)[0], 1e-3);
  EXPECT_NEAR(potential_at(potential, {at + Vector3d(2e-4, 0, 0)}, 1)[0] - without, 8 / 2e-4, 1e-2);
}

TEST(WavefunctionPotential, RefusesWhatIsNotFinite) {
  auto made = one_function(0, false, 0, 1, Vector3d::Zero());
  made.sets[0].coefficients(0, 0) = std::nan("");
  EXPECT_THROW(WavefunctionPotential(made, made.sets[0]), Error);
  made = one_function(0, false, 0, 1, Vector3d(0, std::nan(""), 0));
  EXPECT_THROW(WavefunctionPotential(made, made.sets[0]), Error);
}

TEST(WavefunctionPotential, WithoutElectronsIsThatOfNuclei) {
  auto made = one_function(0, false, 0, 1, Vector3d::Zero());
  made.sets[0].orbitals[0].occupation = 0;
  made.molecule.atoms[0].nuclear_charge = 3;
  const WavefunctionPotential potential(made, made.sets[0]);
  EXPECT_EQ(potential.electrons(), 0);
  EXPECT_DOUBLE_EQ(potential_at(potential, {Vector3d(0, 0, 2)}, 1)[0], 1.5);
}

}  // namespace
}  // namespace isolume::gaussians
