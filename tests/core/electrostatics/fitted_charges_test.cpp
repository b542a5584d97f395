#include "core/electrostatics/potential/fitted_charges.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/electrostatics/quantum/quantum_potential.h"
#include "core/molecules/document.h"
#include "core/molecules/element.h"

namespace isolume::electrostatics {
namespace {

const std::filesystem::path calculations = std::filesystem::path(ISOLUME_TEST_REFERENCES) / "potentials";

molecules::Molecule bent() {
  molecules::Molecule molecule;
  molecule.atoms = {
      {8, {0, 0, 0.2}, 8}, {1, {0, 1.4, -0.9}, 1}, {0, {1, 1, 1}, 0}, {1, {0.2, -1.4, -0.9}, 1}};
  return molecule;
}

TEST(FittedCharges, AreTheChargesWhosePotentialItIs) {
  const auto molecule = bent();
  const std::vector<double> charges{-0.7, 0.45, 0, 0.15};
  const auto places = shells_around(molecule, 2);
  std::vector<double> potential;
  for (std::size_t i = 0; i < places.size(); ++i) {
    double sum = 0;
    for (std::size_t a = 0; a < charges.size(); ++a) {
      const Eigen::Vector3d away = Eigen::Vector3d(places.x[i], places.y[i], places.z[i]) / 0.529177210903 -
                                   molecule.atoms[a].position_bohr;
      sum += charges[a] / away.norm();
    }
    potential.push_back(sum);
  }
  const auto found = fit_charges(molecule, places, potential, -0.1);
  for (std::size_t a = 0; a < charges.size(); ++a)
    EXPECT_NEAR(found.charges[static_cast<Eigen::Index>(a)], charges[a], 1e-10) << a;
  EXPECT_LT(found.rms_hartree_per_e, 1e-12);
  // Another total is kept, whatever the potential says.
  const auto other = fit_charges(molecule, places, potential, 1);
  EXPECT_NEAR(other.charges.sum(), 1, 1e-12);
  EXPECT_GT(other.rms_hartree_per_e, 0.05);
  EXPECT_EQ(other.charges[2], 0) << "no nucleus, no charge";
}

TEST(FittedCharges, ShellsLieOutsideOfSpheres) {
  const auto molecule = bent();
  const auto places = shells_around(molecule, 3);
  ASSERT_GT(places.size(), 300U);
  std::vector<std::size_t> of_shell(4);
  for (std::size_t i = 0; i < places.size(); ++i) {
    double nearest_sphere = 1e9;
    for (const auto& atom : molecule.atoms) {
      if (atom.nuclear_charge == 0) continue;
      const double away =
          (Eigen::Vector3d(places.x[i], places.y[i], places.z[i]) - 0.529177210903 * atom.position_bohr)
              .norm();
      nearest_sphere = std::min(nearest_sphere,
                                away / molecules::element(atom.atomic_number).van_der_waals_radius_angstrom);
    }
    const double shell = (nearest_sphere - 1.4) / 0.2;
    ASSERT_NEAR(shell, std::round(shell), 1e-9);
    ++of_shell.at(static_cast<std::size_t>(std::lround(shell)));
  }
  for (int shell = 1; shell < 4; ++shell) EXPECT_GT(of_shell[shell], of_shell[shell - 1]);
  // A lone sphere has all of its places: 4 pi r^2 of them.
  molecules::Molecule one;
  one.atoms = {{1, {3, 2, 1}, 1}};
  EXPECT_NEAR(static_cast<double>(shells_around(one, 10).size()),
              10 * 4 * 3.14159265 * 1.2 * 1.2 * (1.4 * 1.4 + 1.6 * 1.6 + 1.8 * 1.8 + 4), 4);
}

class FitOf : public testing::TestWithParam<const char*> {};

TEST_P(FitOf, IsThatByAnotherProgramsPotentialAtOtherPlaces) {
  const auto document = molecules::read_document(calculations / (GetParam() + std::string(".molden.gz")));
  const auto& wavefunction = *document.wavefunction;
  const QuantumOptions options{.unit = PotentialUnit::hartree_per_e};
  const auto source = expand(wavefunction, wavefunction.sets.front(), options);
  const auto places = shells_around(wavefunction.molecule, 6);
  const double total = source.nuclear_charge() - source.electrons();
  const auto found =
      fit_charges(wavefunction.molecule, places, quantum_potential_at(places, source, options).values, total);
  std::ifstream file(calculations / (GetParam() + std::string(".charges.csv")));
  Eigen::Index atom = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    EXPECT_NEAR(found.charges[atom], std::stod(line.substr(line.rfind(',') + 1)), 0.015) << atom;
    ++atom;
  }
  EXPECT_EQ(atom, found.charges.size());
  EXPECT_NEAR(found.charges.sum(), total, 1e-10);
  EXPECT_LT(found.relative_rms, 0.35) << "of methyl iodide's dipole much is in iodine's electrons";
}
INSTANTIATE_TEST_SUITE_P(All, FitOf,
                         testing::Values("water-ccpv5z", "hydroxide-cartesian", "oh-cartesian",
                                         "methyl-iodide-ecp"));

TEST(FittedCharges, RefusesWhatSaysTooLittle) {
  auto molecule = bent();
  EXPECT_THROW(fit_charges(molecule, {{5, 6}, {0, 0}, {0, 0}}, {1, 1}, 0), Error);
  const auto places = shells_around(molecule, 2);
  const std::vector<double> nothing(places.size(), 0.0);
  molecule.atoms[1].position_bohr = molecule.atoms[0].position_bohr;
  EXPECT_THROW(fit_charges(molecule, places, nothing, 0), Error);
  EXPECT_THROW(fit_charges({}, places, nothing, 0), Error);
}

}  // namespace
}  // namespace isolume::electrostatics
