// Another program's map beside ours, in a window: here its numbers are those of formulas.
#include <QFile>
#include <QLabel>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/text_file.h"
#include "core/electrostatics/maps/map_comparison.h"
#include "core/electrostatics/maps/map_file.h"
#include "tests/app/labs/electrostatics/lab_window.h"

namespace isolume::labs::electrostatics {
namespace {

namespace es = isolume::electrostatics;

constexpr double kt_angstrom_per_e2 = 560.4592;  // at 298.15 K in vacuum
constexpr double millivolt_per_kt = 25.69258;

class MapLabTest : public ElectrostaticsLabTest {
 protected:
  MapLabTest() {
    std::ofstream(path("two.pqr")) << "ATOM 1 NA NA A 1 0 0 0 1.0 2.0\nATOM 2 CL CL A 2 3 0 0 -0.5 2.0\n";
  }
  static double potential(const Eigen::Vector3d& at) {
    return kt_angstrom_per_e2 * (1.0 / at.norm() - 0.5 / (at - Eigen::Vector3d(3, 0, 0)).norm());
  }
  static grid::Grid grid_of(int points) {
    return grid::centred({1.5, 0.1, 0.05}, {points, points, points}, 0.71, grid::LengthUnit::angstrom);
  }
  /// Nine tenths of the potential, as a file that says no unit.
  grid::ScalarField write_other(const char* name, int points, const std::string& unit = "",
                                double factor = 0.9) {
    grid::ScalarField map{.grid = grid_of(points), .values = {}, .name = "potential", .unit = unit};
    FieldValues values;
    for (int k = 0; k < points; ++k)
      for (int j = 0; j < points; ++j)
        for (int i = 0; i < points; ++i)
          values.push_back(static_cast<float>(factor * potential(map.grid.position(i, j, k))));
    map.values = std::move(values);
    es::write_map(map, path(name));
    return map;
  }
  std::string open_molecule() {
    return run({"file.open " + path("two.pqr"), "parameter.set method direct",
                "parameter.set solute-dielectric 1", "parameter.set spacing 1", "parameter.set form vdw"});
  }
  es::PotentialMap exported_map(const char* name) {
    EXPECT_EQ(run({"file.export " + path(name)}), "");
    return es::read_map(path(name));
  }
  std::string note() { return window->findChild<QLabel*>("field-panel.note")->text().toStdString(); }
};

TEST_F(MapLabTest, IsComparedOnItsOwnGridAndTheNumbersAreTold) {
  const auto map = write_other("other.dx", 24);
  const std::string without = run({"file.open " + path("other.dx")});
  EXPECT_NE(without.find("Open the molecule first"), std::string::npos) << without;
  ASSERT_EQ(open_molecule(), "");
  EXPECT_NE(run({"parameter.set compare map"}), "") << "none is open";
  ASSERT_EQ(run({"file.open " + path("other.dx")}), "");
  EXPECT_EQ(value("compare"), "map");
  double squares = 0;
  for (int k = 0; k < 24; ++k)
    for (int j = 0; j < 24; ++j)
      for (int i = 0; i < 24; ++i) squares += std::pow(0.1 * potential(map.grid.position(i, j, k)), 2);
  const double rms = std::sqrt(squares / (24.0 * 24 * 24));
  const std::string told = status();
  const std::string before = "Difference to other.dx: root mean square ";
  ASSERT_NE(told.find(before), std::string::npos) << told;
  EXPECT_NEAR(std::stod(told.substr(told.find(before) + before.size())), rms, 0.006 * rms) << told;
  EXPECT_NE(told.find("correlation 1 |"), std::string::npos) << told;
  EXPECT_NE(told.find("assumed unit of the map kT/e"), std::string::npos) << told;
  EXPECT_NE(told.find("on the surface"), std::string::npos) << told;
  EXPECT_EQ(told.find("of the points compared"), std::string::npos) << "all of them were";
  EXPECT_EQ(note(), told.substr(0, note().size()));
  keep_window("difference");
  const auto difference = exported_map("difference.dx");
  ASSERT_TRUE(es::have_same_points(difference.field.grid, map.grid));
  for (int i = 0; i < 24; ++i) {
    const double expected = 0.1 * potential(map.grid.position(i, 23 - i, 11));
    EXPECT_NEAR(difference.field.at(i, 23 - i, 11), expected, 2e-4 * std::abs(9 * expected) + 1e-4) << i;
  }
  ASSERT_EQ(run({"parameter.set map-shown itself"}), "");
  EXPECT_NE(status().find("Map other.dx"), std::string::npos) << status();
  EXPECT_EQ(note(), "");
  for (int i = 0; i < 24; ++i)
    EXPECT_NEAR(exported_map("itself.dx").field.at(i, 5, 7), map.at(i, 5, 7),
                1e-4 * std::abs(map.at(i, 5, 7)));
  ASSERT_EQ(run({"parameter.set map-unit mV"}), "");
  EXPECT_NEAR(exported_map("converted.dx").field.at(3, 5, 7), map.at(3, 5, 7) / millivolt_per_kt,
              1e-4 * std::abs(map.at(3, 5, 7)));
}

TEST_F(MapLabTest, OpeningIsUndoneAndASessionRemembersIt) {
  write_other("other.dx", 24);
  write_other("another.vti", 24, "mV", 0.5 * millivolt_per_kt);
  ASSERT_EQ(open_molecule(), "");
  const auto plain = exported_map("plain.dx");
  ASSERT_EQ(run({"electrostatics.map " + path("other.dx"), "electrostatics.map " + path("another.vti")}), "");
  const auto half = exported_map("half.dx");
  EXPECT_NEAR(half.field.at(3, 4, 5), 0.5 * potential(half.field.grid.position(3, 4, 5)), 0.02);
  ASSERT_EQ(run({"edit.undo"}), "");
  const auto tenth = exported_map("tenth.dx");
  EXPECT_NEAR(tenth.field.at(3, 4, 5), 0.1 * potential(tenth.field.grid.position(3, 4, 5)), 0.02);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("compare"), "nothing");
  EXPECT_EQ(exported_map("again.dx").field.values, plain.field.values);
  EXPECT_NE(run({"parameter.set compare map"}), "");
  ASSERT_EQ(
      run({"edit.redo", "edit.redo", "parameter.set map-unit kT/e", "session.save " + path("one.isolume"),
           "parameter.set compare nothing", "file.open " + path("one.isolume")}),
      "");
  EXPECT_EQ(value("compare"), "map");
  EXPECT_EQ(value("map-unit"), "kT/e");
  const auto restored = exported_map("restored.dx");
  EXPECT_NEAR(restored.field.at(3, 4, 5),
              (1 - 0.5 * millivolt_per_kt) * potential(restored.field.grid.position(3, 4, 5)), 0.02);
  // Without the map, the rest is there.
  QFile::remove(QString::fromStdString(path("another.vti")));
  ASSERT_EQ(run({"file.open " + path("one.isolume")}), "");
  EXPECT_EQ(value("compare"), "nothing");
  EXPECT_EQ(value("method"), "direct");
  EXPECT_TRUE(is_said("another.vti"));
}

TEST_F(MapLabTest, WhereASmallMapEndsNothingIsKnown) {
  const auto map = write_other("small.ccp4", 6);
  ASSERT_EQ(open_molecule(), "");
  const auto plain = exported_map("plain.dx");
  ASSERT_EQ(run({"electrostatics.map " + path("small.ccp4")}), "");
  const std::string told = status();
  ASSERT_NE(told.find(" % of the points compared"), std::string::npos) << told;
  // Of ours those that lie within 5 steps of 0.71 angstrom.
  int within = 0;
  const auto& ours = plain.field.grid;
  const auto is_within = [&](const Eigen::Vector3d& place) {
    const Eigen::Vector3d index = map.grid.index_at(place);
    return index.minCoeff() >= 0 && index.maxCoeff() <= 5;
  };
  for (int k = 0; k < ours.dimensions[2]; ++k)
    for (int j = 0; j < ours.dimensions[1]; ++j)
      for (int i = 0; i < ours.dimensions[0]; ++i) within += is_within(ours.position(i, j, k));
  const auto part = exported_map("part.dx");
  EXPECT_EQ(part.field.grid.point_count(), static_cast<std::size_t>(within));
  EXPECT_GT(within, 20);
  const auto at = ours.index_at(part.field.grid.origin);
  EXPECT_LT((at - at.array().round().matrix()).cwiseAbs().maxCoeff(), 1e-4) << "points of ours";
  keep_window("striped");
  EXPECT_NE(run({"electrostatics.map " + path("two.pqr")}), "") << "no map";
  EXPECT_EQ(value("compare"), "map") << "what is there stays";
}

TEST_F(MapLabTest, VerticesHaveThePotentialAtOrAboveTheSurface) {
  std::ofstream(path("ion.pqr")) << "ATOM 1 NA NA A 1 0 0 0 1.0 2.0\n";
  ASSERT_EQ(run({"file.open " + path("ion.pqr"), "parameter.set method direct",
                 "parameter.set solute-dielectric 1", "parameter.set spacing 0.25", "parameter.set margin 6",
                 "parameter.set form vdw", "file.export " + path("at.csv"), "parameter.set sample-height 1.5",
                 "file.export " + path("above.csv"), "parameter.set shown nothing"}),
            "");
  EXPECT_NE(run({"file.export " + path("none.csv")}), "");
  for (const bool above : {false, true}) {
    std::istringstream table(read_text_file(path(above ? "above.csv" : "at.csv")));
    std::string line;
    std::getline(table, line);
    EXPECT_NE(line.find(above ? "kT/e, 1.5 angstrom above" : "kT/e, 0 angstrom above"), std::string::npos)
        << line;
    std::getline(table, line);
    EXPECT_EQ(line, "x,y,z,potential,residue");
    int rows = 0;
    while (std::getline(table, line)) {
      ++rows;
      std::vector<std::string> cells;
      std::istringstream row(line);
      for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
      ASSERT_EQ(cells.size(), 5U) << line;
      const Eigen::Vector3d place(std::stod(cells[0]), std::stod(cells[1]), std::stod(cells[2]));
      EXPECT_NEAR(place.norm(), 2, 0.02);
      const double expected = kt_angstrom_per_e2 / (above ? 3.5 : 2);
      EXPECT_NEAR(std::stod(cells[3]), expected, 0.02 * expected);
      EXPECT_EQ(cells[4], "NA A 1");
    }
    EXPECT_GT(rows, 500);
  }
}

TEST_F(MapLabTest, AWavefunctionsPotentialIsComparedWithACube) {
  const std::string water = std::string(ISOLUME_TEST_REFERENCES) + "/wavefunctions/water-631gs.molden.gz";
  ASSERT_EQ(run({"file.open " + water, "parameter.set spacing 0.5", "file.export " + path("esp.cube"),
                 "parameter.set potential-of mulliken", "file.export " + path("mulliken.dx"),
                 "electrostatics.map " + path("esp.cube")}),
            "");
  EXPECT_EQ(value("difference-to"), "map");
  const auto esp = es::read_map(path("esp.cube")), mulliken = es::read_map(path("mulliken.dx")),
             difference = exported_map("difference.dx");
  EXPECT_EQ(esp.unit, es::PotentialUnit::hartree_per_e);
  ASSERT_EQ(difference.field.grid.dimensions, esp.field.grid.dimensions);
  double largest = 0;
  for (std::size_t i = 0; i < esp.field.values.size(); i += 97) {
    const double expected = mulliken.field.values[i] - esp.field.values[i];
    largest = std::max(largest, std::abs(expected));
    EXPECT_NEAR(difference.field.values[i], expected, 1e-5 + 1e-4 * std::abs(expected));
  }
  EXPECT_GT(largest, 1e-3);
}

}  // namespace
}  // namespace isolume::labs::electrostatics
