#include "core/electrostatics/quantum/wavefunction_atoms.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "core/molecules/document.h"
#include "tests/temporary_folder.h"

namespace isolume::electrostatics {
namespace {

const std::string pyscf = std::string(ISOLUME_TEST_REFERENCES) + "/potentials/methyl-iodide-ecp";

std::vector<std::vector<double>> pyscf_rows(const std::string& path) {
  std::vector<std::vector<double>> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::ranges::replace(line, ',', ' ');
    std::istringstream cells(line);
    auto& row = rows.emplace_back();
    for (double number = 0; cells >> number;) row.push_back(number);
  }
  return rows;
}

TEST(WavefunctionAtoms, HavePyscfsChargesAndPotential) {
  const auto document = molecules::read_document(pyscf + ".molden.gz");
  const auto& wavefunction = *document.wavefunction;
  const auto& set = wavefunction.sets.front();
  const QuantumOptions options{.unit = PotentialUnit::hartree_per_e};
  const auto potential = expand(wavefunction, set, options);
  const auto charges = [&](ChargeKind kind) {
    return atomic_charges(wavefunction, set, &potential, kind, usual_shell_density, 0);
  };
  const auto atoms = wavefunction_atoms(wavefunction.molecule, potential, charges(ChargeKind::mulliken),
                                        charges(ChargeKind::loewdin), charges(ChargeKind::esp), options);
  const auto expected = pyscf_rows(pyscf + ".charges.csv");
  const auto at_places = pyscf_rows(pyscf + ".potential.csv");
  ASSERT_EQ(atoms.size(), expected.size());
  std::size_t found = 0;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    EXPECT_EQ(atoms[i].atomic_number, wavefunction.molecule.atoms[i].atomic_number);
    EXPECT_NEAR(atoms[i].mulliken, expected[i][0], 1e-6);
    EXPECT_NEAR(atoms[i].loewdin, expected[i][1], 1e-6);
    EXPECT_NEAR(atoms[i].fitted, expected[i][2], 0.03) << "fitted at other places";
    for (const auto& row : at_places) {
      const Eigen::Vector3d place(row[0], row[1], row[2]);
      if ((place - wavefunction.molecule.atoms[i].position_bohr).norm() > 1e-9) continue;
      EXPECT_NEAR(atoms[i].potential, row[3], 1e-6);
      ++found;
    }
  }
  EXPECT_GT(found, 0U) << "some of PySCF's places are nuclei";
}

TEST(WavefunctionAtoms, AreATableOnDisk) {
  const isolume::testing::TemporaryFolder folder;
  const auto path = folder.path() / "atoms.csv";
  write_wavefunction_atoms({{6, 0.25, -1e-9, 0.5, -14.7}, {0, 0, 0, 0, 1}}, "Eh/e", path);
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(),
            "# charges in e; potential at the nucleus, without that nucleus, in Eh/e\n"
            "atom,element,mulliken,loewdin,fitted,potential\n"
            "1,C,0.250000,0.000000,0.500000,-14.7\n"
            "2,X,0.000000,0.000000,0.000000,1\n");
}

}  // namespace
}  // namespace isolume::electrostatics
