// Wavefunctions in the lab's window.
#include <QDockWidget>
#include <QTableView>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/electrostatics/maps/opendx.h"
#include "core/molecules/document.h"
#include "tests/app/labs/electrostatics/lab_window.h"

namespace isolume::labs::electrostatics {
namespace {

using isolume::electrostatics::read_opendx;
using WavefunctionInWindow = ElectrostaticsLabTest;
const std::filesystem::path all_references = ISOLUME_TEST_REFERENCES;
const std::string water = (all_references / "wavefunctions/water-631gs.molden.gz").string();
const std::string hydroxyl = (all_references / "potentials/oh-cartesian.molden.gz").string();

/// PySCF's charges of OH by Mulliken (0) or Loewdin (1), and their potential in Eh/e.
double potential_of_charges(int kind, const Eigen::Vector3d& place_angstrom) {
  const auto document = molecules::read_document(hydroxyl);
  std::ifstream file(all_references / "potentials/oh-cartesian.charges.csv");
  double sum = 0;
  std::size_t atom = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t comma = line.find(',');
    const double charge = std::stod(kind == 0 ? line : line.substr(comma + 1));
    sum +=
        charge / (place_angstrom / 0.529177210903 - document.molecule.atoms.at(atom++).position_bohr).norm();
  }
  return sum;
}

TEST_F(WavefunctionInWindow, IsSeenInTheColoursOfItsExactPotential) {
  ASSERT_EQ(run({"file.open " + water}), "");
  EXPECT_NE(status().find("exact integrals"), std::string::npos) << status();
  EXPECT_NE(status().find("refined"), std::string::npos) << status();
  EXPECT_EQ(value("form"), "density");
  EXPECT_EQ(value("unit"), "Eh/e");
  keep_window("water");
  const auto [blue, red] = blue_and_red("surface.png");
  EXPECT_GT(blue, 1000) << "its hydrogens";
  EXPECT_GT(red, 1000) << "its oxygen";
}

/// Psi4 fits the density, by some 1e-4 Eh/e; between the points of its grid there are others.
TEST_F(WavefunctionInWindow, TheExportedMapIsPsi4s) {
  ASSERT_EQ(run({"file.open " + water, "parameter.set spacing 0.4", "file.export " + path("map.dx.gz")}), "");
  const auto map = read_opendx(path("map.dx.gz"));
  const auto potential = molecules::read_document(all_references / "cubes/water-631gs-ESP.cube.gz");
  const auto density = molecules::read_document(all_references / "cubes/water-631gs-Dt.cube.gz");
  const auto& n = map.grid.dimensions;
  int compared = 0;
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i) {
        const Eigen::Vector3d bohr = map.grid.position(i, j, k) / 0.529177210903;
        const double around = grid::interpolate(*density.fields.at(0), bohr);
        const double expected = grid::interpolate(*potential.fields.at(0), bohr);
        if (around == 0 || around > 0.002) continue;  // outside of the cube, or where the potential is steep
        ++compared;
        ASSERT_NEAR(map.at(i, j, k), expected, 1.5e-3) << bohr.transpose();
      }
    }
  }
  EXPECT_GT(compared, 200);
}

TEST_F(WavefunctionInWindow, PointChargesStandBesideItAndTheDifferenceIsTheirs) {
  ASSERT_EQ(run({"file.open " + hydroxyl, "parameter.set spacing 0.5", "file.export " + path("exact.dx"),
                 "parameter.set potential-of mulliken", "file.export " + path("mulliken.dx"),
                 "parameter.set difference-to wavefunction", "file.export " + path("difference.dx"),
                 "parameter.set potential-of loewdin", "parameter.set difference-to nothing",
                 "file.export " + path("loewdin.dx")}),
            "");
  const auto exact = read_opendx(path("exact.dx")), mulliken = read_opendx(path("mulliken.dx")),
             difference = read_opendx(path("difference.dx")), loewdin = read_opendx(path("loewdin.dx"));
  double largest = 0;
  for (int i = 0; i < exact.grid.dimensions[0]; i += 2) {
    const double of_charges = potential_of_charges(0, exact.grid.position(i, 1, 2));
    largest = std::max(largest, std::abs(of_charges));
    EXPECT_NEAR(mulliken.at(i, 1, 2), of_charges, 1e-6);
    EXPECT_NEAR(loewdin.at(i, 1, 2), potential_of_charges(1, exact.grid.position(i, 1, 2)), 1e-6);
    EXPECT_NEAR(difference.at(i, 1, 2), of_charges - exact.at(i, 1, 2), 1e-6);
    EXPECT_GT(std::abs(difference.at(i, 1, 2)), 1e-6);
  }
  EXPECT_GT(largest, 0.003);
}

/// PySCF's charges and its potential at nuclei, which come before places very near to them.
TEST_F(WavefunctionInWindow, ItsAtomsAreATable) {
  ASSERT_EQ(run({"file.open " + hydroxyl, "parameter.set spacing 0.5"}), "");
  QTableView* table = nullptr;
  for (auto* each : window->findChildren<QTableView*>())
    if (each->parentWidget()->objectName() == "atom-table") table = each;
  ASSERT_NE(table, nullptr);
  for (QWidget* each = table; each != nullptr; each = each->parentWidget()) {
    if (auto* dock = qobject_cast<QDockWidget*>(each)) {
      dock->show();
      dock->raise();
      break;
    }
  }
  ASSERT_TRUE(QTest::qWaitFor([&] { return table->model()->rowCount() == 2; }, patience_ms));
  keep_window("atoms");
  const auto cell = [&](int row, int column) { return table->model()->index(row, column).data().toString(); };
  EXPECT_EQ(cell(0, 0), "1");
  EXPECT_EQ(cell(0, 1), "O");
  EXPECT_EQ(cell(1, 1), "H");
  EXPECT_EQ(cell(0, 2), QString::fromUtf8("−0.307"));
  EXPECT_EQ(cell(1, 3), "0.287");
  EXPECT_NEAR(cell(1, 4).toDouble(), 0.403, 0.02) << "fitted at other places";
  ASSERT_EQ(run({"electrostatics.atoms.export " + path("atoms.csv")}), "");
  std::ifstream file(path("atoms.csv"));
  std::string line;
  for (int i = 0; i < 3; ++i) std::getline(file, line);
  EXPECT_TRUE(line.starts_with("1,O,-0.307118,-0.287259,")) << line;
  ASSERT_EQ(run({"file.open " + water}), "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return table->model()->rowCount() == 3; }, patience_ms));
}

TEST_F(WavefunctionInWindow, HasNoSaltAndSaysSo) {
  ASSERT_EQ(run({"file.open " + water, "parameter.set spacing 0.5"}), "");
  const std::string salt = run({"parameter.set salt 0.5"});
  EXPECT_NE(salt.find("in vacuum"), std::string::npos) << salt;
  EXPECT_NE(run({"parameter.set compare direct"}).find("in vacuum"), std::string::npos);
  EXPECT_NE(run({"electrostatics.residue none"}).find("no residues"), std::string::npos);
  EXPECT_EQ(run({"parameter.set set 2"}).find("no end"), std::string::npos);
  EXPECT_EQ(value("set"), "1") << "there is one set";
  EXPECT_TRUE(is_said("Potential of"));
  EXPECT_FALSE(is_said("Salt"));
  // Reset is what it was at first, not what charges have.
  ASSERT_EQ(run({"parameter.set unit mV", "parameter.reset"}), "");
  EXPECT_EQ(value("unit"), "Eh/e");
  EXPECT_EQ(value("spacing"), "0.2");
  // And the other way round.
  ASSERT_EQ(
      run({"file.open " + (all_references / "electrostatics/1FAS.pqr").string(), "parameter.set spacing 2"}),
      "");
  const std::string of = run({"parameter.set potential-of mulliken"});
  EXPECT_NE(of.find("the file holds charges"), std::string::npos) << of;
  EXPECT_NE(run({"parameter.set form density"}).find("form"), std::string::npos);
  EXPECT_EQ(value("salt"), "0.15");
}

TEST_F(WavefunctionInWindow, UnitsSlicesIsosurfacesAndFieldLinesAreOfIt) {
  ASSERT_EQ(run({"file.open " + water, "parameter.set spacing 0.3", "parameter.set atoms false"}), "");
  const QImage surface = exported("surface.png");
  ASSERT_EQ(run({"parameter.set unit kcal/mol/e"}), "");
  EXPECT_NEAR(std::stod(value("colour-limit")), 0.05 * 627.5095, 0.01);
  ASSERT_EQ(run({"electrostatics.show potential", "electrostatics.slice.toggle"}), "");
  EXPECT_NE(exported("iso.png"), surface);
  keep_window("water-isosurfaces");
  ASSERT_EQ(
      run({"electrostatics.show surface", "parameter.set field-line-count 40",
           "electrostatics.field-lines.toggle", "electrostatics.field-lines.export " + path("lines.vtp")}),
      "");
  EXPECT_GT(std::filesystem::file_size(path("lines.vtp")), 1000U);
  ASSERT_EQ(run({"parameter.set form vdw"}), "");
  EXPECT_NE(status().find("refined"), std::string::npos);
}

TEST_F(WavefunctionInWindow, FieldLinesFollowTheSurfaceThatTheyGoThrough) {
  // Nothing but the lines is seen.
  ASSERT_EQ(run({"file.open " + water, "parameter.set spacing 0.4", "parameter.set atoms false",
                 "electrostatics.show nothing", "parameter.set field-line-count 40"}),
            "");
  const QImage without = exported("without.png");
  ASSERT_EQ(run({"electrostatics.field-lines.toggle"}), "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return exported("lines.png") != without; }, patience_ms));
  const QImage first = exported("lines.png");
  ASSERT_EQ(run({"parameter.set density-isovalue 0.02"}), "");
  EXPECT_TRUE(QTest::qWaitFor([&] { return exported("lines.png") != first; }, patience_ms));
  const QImage second = exported("lines.png");
  ASSERT_EQ(run({"parameter.set form sas"}), "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return exported("lines.png") != second; }, patience_ms));
  const QImage third = exported("lines.png");
  ASSERT_EQ(run({"parameter.set probe 0.7"}), "");
  EXPECT_TRUE(QTest::qWaitFor([&] { return exported("lines.png") != third; }, patience_ms));
}

TEST_F(WavefunctionInWindow, SessionsBringItBack) {
  ASSERT_EQ(run({"file.open " + water, "parameter.set spacing 0.4", "parameter.set potential-of esp",
                 "parameter.set density-isovalue 0.002", "session.save " + path("one.isolume"),
                 "parameter.set potential-of wavefunction", "file.open " + path("one.isolume")}),
            "");
  EXPECT_EQ(value("potential-of"), "esp");
  EXPECT_EQ(value("density-isovalue"), "0.002");
  EXPECT_NE(status().find("fitted charges"), std::string::npos) << status();
}

TEST_F(WavefunctionInWindow, OnlyFilesWithOrbitalsAreTaken) {
  const auto entry = lab_entry();
  EXPECT_TRUE(entry.description.takes(water));
  EXPECT_FALSE(entry.description.takes(all_references / "cubes/water-631gs-ESP.cube.gz"));
  std::ofstream(path("notes.log")) << "nothing of the kind\n";
  EXPECT_FALSE(entry.description.takes(path("notes.log")));
}

}  // namespace
}  // namespace isolume::labs::electrostatics
