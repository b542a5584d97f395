#include "core/electrostatics/surfaces/residue_values.h"

#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "core/base/text_file.h"
#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"
#include "core/electrostatics/potential/potential.h"
#include "core/electrostatics/surfaces/grid_around.h"
#include "core/structures/pqr.h"
#include "tests/temporary_folder.h"

namespace isolume::electrostatics {
namespace {

using structures::AtomLabel;
using structures::Charges;

constexpr double kj_angstrom = 1389.35458;  // e^2 / (4 pi epsilon_0) in kJ/mol angstrom, CODATA 2018

Charges fasciculin() {
  return structures::read_pqr(std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/1FAS.pqr");
}

void add_ion(Charges& charges, const Eigen::Vector3d& place, double charge, double radius, int number) {
  charges.x.push_back(place.x());
  charges.y.push_back(place.y());
  charges.z.push_back(place.z());
  charges.charge.push_back(charge);
  charges.radius.push_back(radius);
  charges.labels.push_back({.atom = "NA", .residue = "NA", .chain = "A", .number = number});
}

TEST(Residues, AreThoseOfTheFile) {
  Charges charges;
  const auto add = [&](const char* atom, const char* residue, int number, double charge) {
    add_ion(charges, {1.0 * static_cast<double>(charges.size()), 0, 0}, charge, 1, 0);
    charges.labels.back() = {.atom = atom, .residue = residue, .chain = "", .number = number};
  };
  add("N", "ALA", 1, 0.5);
  add("CA", "ALA", 1, -0.5);
  add("CA", "CA", 2, 0);
  add("N", "ALA", 1, 0.25);  // of another chain, which the file does not name
  add("CA", "ALA", 1, 0);
  const auto residues = residues_of(charges);
  ASSERT_EQ(residues.all.size(), 3U);
  EXPECT_EQ(residues.all[0].name, "ALA 1");
  EXPECT_EQ(residues.all[2].name, "ALA 1 (2)");
  EXPECT_EQ(residues.of_atom, (std::vector<std::uint32_t>{0, 0, 1, 2, 2}));
  EXPECT_TRUE(residues.all[0].has_parameters);
  EXPECT_FALSE(residues.all[1].has_parameters);
}

TEST(NearestAtoms, AreThoseOfASearchThroughAll) {
  const auto charges = fasciculin();
  constexpr double reach = 3;
  const NearestAtoms nearest(charges, reach);
  std::mt19937 random(3);
  const auto box = structures::box_of(charges);
  int found = 0, none = 0;
  for (int n = 0; n < 2000; ++n) {
    Eigen::Vector3d place;
    for (int axis = 0; axis < 3; ++axis)
      place[axis] = std::uniform_real_distribution(box.low[axis] - 9, box.high[axis] + 9)(random);
    std::int32_t expected = NearestAtoms::none;
    double least = reach;
    for (std::size_t i = 0; i < charges.size(); ++i) {
      const double distance = (charges.place(i) - place).norm() - charges.radius[i];
      if (distance >= least) continue;
      least = distance;
      expected = static_cast<std::int32_t>(i);
    }
    ASSERT_EQ(nearest.at(place), expected);
    (expected == NearestAtoms::none ? none : found) += 1;
  }
  EXPECT_GT(found, 200);
  EXPECT_GT(none, 200);
}

/// By charges in pairs, in double precision.
TEST(ResidueValues, EnergiesOfSumsAreThoseOfPairs) {
  const auto charges = fasciculin();
  for (const bool screened : {false, true}) {
    PotentialOptions options;
    options.method = screened ? Method::debye_hueckel : Method::direct;
    options.solute_dielectric = 4;
    options.unit = screened ? PotentialUnit::millivolt : PotentialUnit::kt_per_e;
    const auto map = potential_on(grid_around(charges, 3, 5), charges, options).values;
    const auto values = residue_values(charges, map, options, MolecularSurface::gaussian);
    // kappa^2 = 8 pi l N I with l = e^2 / (4 pi epsilon_0 epsilon k T)
    const double bjerrum = kj_angstrom / (options.solvent_dielectric * 8.31446262e-3 * 298.15);
    const double kappa = std::sqrt(8 * std::numbers::pi * bjerrum * 6.02214076e-4 * options.salt_molar);
    std::map<std::string, double> expected, charge;
    for (std::size_t i = 0; i < charges.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < charges.size(); ++j) {
        if (i == j) continue;
        const double r = (charges.place(i) - charges.place(j)).norm(), s = charges.radius[j];
        sum += charges.charge[j] *
               (screened ? std::exp(-kappa * (r - s)) / ((1 + kappa * s) * options.solvent_dielectric * r)
                         : 1 / (options.solute_dielectric * r));
      }
      expected[structures::name_of_residue(charges.labels[i])] += kj_angstrom * charges.charge[i] * sum;
      charge[structures::name_of_residue(charges.labels[i])] += charges.charge[i];
    }
    ASSERT_EQ(values.size(), 61U);
    for (const auto& each : values) {
      ASSERT_EQ(expected.count(each.name), 1U) << each.name;
      EXPECT_NEAR(each.energy_kj_per_mol, expected[each.name], 1e-6 * std::abs(expected[each.name]) + 1e-6);
      EXPECT_NEAR(each.charge, charge[each.name], 1e-12);
    }
  }
}

/// Of two ions in vacuum far from each other: on the sphere of one the other's potential runs from near to far.
TEST(ResidueValues, PotentialsOnTheSurfaceAreThoseOfTheFormula) {
  Charges ions;
  add_ion(ions, {0, 0, 0}, 1, 2, 1);
  add_ion(ions, {12, 0, 0}, -0.5, 1.5, 2);
  PotentialOptions options;
  options.solute_dielectric = 2;
  options.unit = PotentialUnit::kt_per_e;
  constexpr double c = 560.459 / 2;
  const auto map = potential_on(grid_around(ions, 0.25, 5), ions, options).values;
  const auto values = residue_values(ions, map, options, MolecularSurface::vdw);
  ASSERT_EQ(values.size(), 2U);
  EXPECT_NEAR(values[0].area, 4 * std::numbers::pi * 4, 0.02 * 50);
  EXPECT_NEAR(values[1].area, 4 * std::numbers::pi * 2.25, 0.02 * 28);
  // The mean over a sphere of what lies outside of it is the value at its centre.
  EXPECT_NEAR(values[0].mean, c * (1 / 2.0 - 0.5 / 12), 0.01 * c / 2);
  EXPECT_NEAR(values[1].mean, c * (-0.5 / 1.5 + 1 / 12.0), 0.01 * c / 2);
  EXPECT_NEAR(values[0].lowest, c * (1 / 2.0 - 0.5 / 10), 0.015 * c / 2);
  EXPECT_NEAR(values[0].highest, c * (1 / 2.0 - 0.5 / 14), 0.015 * c / 2);
  EXPECT_NEAR(values[0].energy_kj_per_mol, -0.5 * kj_angstrom / 2 / 12, 1e-4);
}

TEST(ResidueValues, ThePoissonBoltzmannEquationGivesWhatTheSolventAnswers) {
  PotentialOptions options;
  options.method = Method::pb_linear;
  options.solute_dielectric = 2;
  options.salt_molar = 0;
  Charges ion;
  add_ion(ion, {0.1, 0.05, -0.1}, 1, 2, 1);
  const auto solve = [&](const Charges& charges, double spacing) {
    return PoissonBoltzmann(charges, grid_around(charges, spacing, 8)).solve(options);
  };
  // Born: half of the charge times the answer.
  const double born = -kj_angstrom / (2 * 2.0) * (1 / 2.0 - 1 / options.solvent_dielectric);
  const auto alone = residue_values(ion, solve(ion, 0.25).potential, options, MolecularSurface::ses).front();
  EXPECT_NEAR(alone.energy_kj_per_mol, 2 * born, 0.02 * std::abs(2 * born));
  // Of a protein, the whole answer is twice the energy of solvation that the solver sums up from its grid.
  const auto charges = fasciculin();
  const auto solved = solve(charges, 0.8);
  double answered = 0;
  for (const auto& each : residue_values(charges, solved.potential, options, MolecularSurface::gaussian))
    answered += each.energy_kj_per_mol;
  PotentialOptions direct = options;
  direct.method = Method::direct;
  for (const auto& each : residue_values(charges, solved.potential, direct, MolecularSurface::gaussian))
    answered -= each.energy_kj_per_mol;
  EXPECT_NEAR(answered / 2, solved.energy->kj_per_mol, 0.02 * std::abs(solved.energy->kj_per_mol));
}

/// Born: outside of a sphere with a charge in its centre, the potential is that of the charge in the solvent. It has a
/// kink at the sphere, where trilinear interpolation of the same map is wrong by several times its value.
TEST(ResidueValues, PotentialsOnTheBoundaryAreThoseOfBorn) {
  PotentialOptions options;
  options.method = Method::pb_linear;
  options.solute_dielectric = 2;
  options.salt_molar = 0;
  Charges ion;
  add_ion(ion, {0.1, 0.05, -0.1}, 1, 2, 1);
  const auto map = PoissonBoltzmann(ion, grid_around(ion, 0.5, 8)).solve(options).potential;
  const double born = 560.459 / (options.solvent_dielectric * 2);
  for (const auto form : {MolecularSurface::ses, MolecularSurface::vdw}) {
    const auto values = residue_values(ion, map, options, form).front();
    EXPECT_NEAR(values.mean, born, 0.05 * born);
    EXPECT_GT(values.lowest, 0.8 * born);
    EXPECT_LT(values.highest, 1.2 * born);
  }
  PotentialOptions unknown;
  EXPECT_GT(residue_values(ion, map, unknown, MolecularSurface::ses).front().highest, 3 * born);
}

/// Three ions on a line in a permittivity of 2: the sum over the other two, by hand.
TEST(AtomValues, AreTheSumOverAllOtherCharges) {
  Charges ions;
  add_ion(ions, {0, 0, 0}, 1, 2, 1);
  add_ion(ions, {4, 0, 0}, -0.5, 1.5, 2);
  add_ion(ions, {0, 5, 0}, 0, 1, 3);
  PotentialOptions options;
  options.solute_dielectric = 2;
  options.unit = PotentialUnit::millivolt;
  const auto at_atoms = potential_at_atoms(ions, {}, options);
  constexpr double millivolt_angstrom = 14399.645 / 2;
  EXPECT_NEAR(at_atoms[0], millivolt_angstrom * -0.5 / 4, 0.01);
  EXPECT_NEAR(at_atoms[1], millivolt_angstrom * 1 / 4, 0.01);
  EXPECT_NEAR(at_atoms[2], millivolt_angstrom * (1 / 5.0 - 0.5 / std::sqrt(41.0)), 0.01);
  EXPECT_NEAR(kj_per_mol_of_unit(options), 0.0964853, 1e-6) << "Faraday's constant";
  const isolume::testing::TemporaryFolder folder;
  write_atom_values(ions, at_atoms, options, folder.path() / "a.csv", {true, false, true});
  const auto table = read_text_file(folder.path() / "a.csv");
  EXPECT_NE(table.find("from all other charges, in mV; energy in "
                       "kJ/mol\natom,name,residue,charge,radius,potential,energy\n"
                       "1,NA,NA A 1,1,2,-899.9"),
            std::string::npos)
      << table;
  EXPECT_EQ(table.find("\n2,"), std::string::npos);
  // Both ions have the energy of the pair, and one without a charge has none.
  EXPECT_NE(table.find(",-86.8"), std::string::npos) << table;
  EXPECT_NE(table.find("\n3,NA,NA A 3,0,1,"), std::string::npos) << table;
  EXPECT_TRUE(table.ends_with(",0\n")) << table;
  EXPECT_NEAR(kj_per_mol_of_unit(options) * at_atoms[0], -0.5 * kj_angstrom / 2 / 4, 1e-3);
}

/// A solvent like the solute answers nothing, so that what is left is Coulomb's sum: of some atoms, in double precision.
TEST(AtomValues, OfManyAtomsHaveTheErrorOfTheFastSum) {
  Charges ions;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(0, 100), charge(-1, 1);
  for (std::size_t i = 0; i < most_atoms_by_pairs + 1; ++i)
    add_ion(ions, {place(random), place(random), place(random)}, charge(random), 1, static_cast<int>(i));
  PotentialOptions options;
  options.method = Method::pb_linear;
  options.solute_dielectric = options.solvent_dielectric = 4;
  options.salt_molar = 0;
  options.unit = PotentialUnit::millivolt;
  const auto grid = grid_around(ions, 8, 30);
  const auto dry = PoissonBoltzmann(ions, grid).solve(options, {.energy = false}).potential;
  const auto at_atoms = potential_at_atoms(ions, dry, options);
  constexpr double millivolt_angstrom = 14399.645 / 4;
  double wrong = 0, all = 0;
  for (std::size_t i = 0; i < ions.size(); i += 997) {
    double sum = 0;
    for (std::size_t j = 0; j < ions.size(); ++j) {
      if (j != i) sum += ions.charge[j] / (ions.place(i) - ions.place(j)).norm();
    }
    wrong += std::pow(at_atoms[i] - millivolt_angstrom * sum, 2);
    all += std::pow(millivolt_angstrom * sum, 2);
  }
  EXPECT_LT(std::sqrt(wrong / all), 1e-6) << "the unit's constant has as many digits as that";
}

TEST(ResidueValues, AreWrittenAsATable) {
  const isolume::testing::TemporaryFolder folder;
  const auto path = folder.path() / "a.csv";
  std::vector<ResidueValues> values(2);
  values[0] = {.name = "LYS A 12",
               .atoms = 22,
               .has_parameters = true,
               .charge = 1,
               .area = 30.5,
               .mean = 2,
               .lowest = -1,
               .highest = 4,
               .energy_kj_per_mol = -12.5};
  values[1].name = "ODD, \"A\" 1";
  write_residue_values(values, "kT/e", path);
  EXPECT_EQ(read_text_file(path),
            "# charge in e; area in square angstrom; mean, lowest and highest potential on the surface in "
            "kT/e; energy in kJ/mol\n"
            "residue,atoms,charge,area,mean,lowest,highest,energy,parameters\n"
            "LYS A 12,22,1.0000,30.5,2,-1,4,-12.5,yes\n"
            "\"ODD, \"\"A\"\" 1\",0,0.0000,0,,,,0,no\n");
}

}  // namespace
}  // namespace isolume::electrostatics
