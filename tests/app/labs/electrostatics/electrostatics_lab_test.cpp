// The lab in a window.
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QUndoStack>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/labs/electrostatics/panels/residue_table.h"
#include "app/labs/electrostatics/panels/row_table.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/window/main_window.h"
#include "core/base/text_file.h"
#include "core/electrostatics/maps/ccp4.h"
#include "core/electrostatics/maps/opendx.h"
#include "core/structures/pqr.h"
#include "core/structures/structure.h"
#include "tests/app/labs/electrostatics/lab_window.h"

namespace isolume::labs::electrostatics {

namespace {

namespace science = isolume::electrostatics;
const std::string references = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/";

/// Of water with 0.15 mol/l of a salt of single charges at 298.15 K; kT/e, from the formulas of any textbook.
double debye_hueckel(const structures::Charges& charges, const Eigen::Vector3d& place) {
  constexpr double bjerrum = 560.4592 / 78.54;  // angstrom
  const double kappa = std::sqrt(8 * M_PI * bjerrum * 6.02214076e-4 * 0.15);
  double sum = 0;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double r = (place - charges.place(i)).norm(), radius = charges.radius[i];
    sum += bjerrum * charges.charge[i] * std::exp(-kappa * (r - radius)) / ((1 + kappa * radius) * r);
  }
  return sum;
}

TEST_F(ElectrostaticsLabTest, AMoleculeIsSeenInTheColoursOfItsPotential) {
  ASSERT_EQ(
      run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 1", "parameter.set atoms false"}),
      "");
  EXPECT_NE(status().find("refined"), std::string::npos) << status();
  EXPECT_NE(status().find("Poisson-Boltzmann"), std::string::npos) << status();
  const auto [blue, red] = blue_and_red("surface.png");
  EXPECT_GT(red, 100);
  EXPECT_GT(blue, red) << "its charge is +4 e";
  // A molecule of charge +4 e is within a positive surface at 1 kT/e, and shows little of a negative one.
  ASSERT_EQ(run({"electrostatics.show potential"}), "");
  const auto [positive, negative] = blue_and_red("potential.png");
  EXPECT_GT(positive, 2000);
  EXPECT_LT(negative, positive);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("shown"), "surface");
}

TEST_F(ElectrostaticsLabTest, TheTitlesOfAllPanelsCanBeRead) {
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 2"}), "");
  window->resize(1200, 800);
  ASSERT_TRUE(QTest::qWaitFor([&] { return window->size() == QSize(1200, 800); }, patience_ms));
  std::set<QString> titles;
  for (const auto* tabs : window->findChildren<QTabBar*>()) {
    if (!tabs->isVisible() || tabs->count() < 2) continue;
    const bool beside = tabs->shape() == QTabBar::RoundedEast || tabs->shape() == QTabBar::RoundedWest;
    for (int i = 0; i < tabs->count(); ++i) {
      const QSize room = tabs->tabRect(i).size();
      EXPECT_GE(beside ? room.height() : room.width(),
                tabs->fontMetrics().horizontalAdvance(tabs->tabText(i)))
          << tabs->tabText(i).toStdString();
      titles.insert(tabs->tabText(i));
    }
  }
  EXPECT_GE(titles.size(), 6U);
}

TEST_F(ElectrostaticsLabTest, TheExportedMapHasTheValuesOfTheFormula) {
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 2",
                 "parameter.set method debye-hueckel", "file.export " + path("map.dx.gz")}),
            "");
  const auto map = science::read_opendx(path("map.dx.gz"));
  const auto charges = structures::read_pqr(references + "1FAS.pqr");
  const auto& n = map.grid.dimensions;
  double largest = 0;
  for (int k = 0; k < n[2]; k += 5) {
    for (int i = 0; i < n[0]; i += 3) {
      const double expected = debye_hueckel(charges, map.grid.position(i, 2, k));
      largest = std::max(largest, std::abs(expected));
      EXPECT_NEAR(map.at(i, 2, k), expected, 2e-4 * std::abs(expected) + 1e-5);
    }
  }
  EXPECT_GT(largest, 0.1);
}

TEST_F(ElectrostaticsLabTest, ADielectricThatGrowsWithDistanceIsChosenUndoneAndRemembered) {
  ASSERT_EQ(
      run({"file.open " + references + "born.pqr", "parameter.set spacing 1", "parameter.set method direct",
           "parameter.set solute-dielectric 4", "parameter.set dielectric distance"}),
      "");
  EXPECT_NE(status().find("4 an angstrom"), std::string::npos) << status();
  ASSERT_EQ(run({"file.export " + path("map.dx.gz"), "session.save " + path("one.isolume")}), "");
  // One charge of 1 e at the origin.
  const auto map = science::read_opendx(path("map.dx.gz"));
  for (const int at : {0, 2, 4})
    EXPECT_NEAR(map.at(at, 1, 2), 560.4593 / 4 / map.grid.position(at, 1, 2).squaredNorm(), 1e-4);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("dielectric"), "constant");
  ASSERT_EQ(run({"file.open " + path("one.isolume")}), "");
  EXPECT_EQ(value("dielectric"), "distance");
  // Other methods have a permittivity of their own, and show what was chosen no more.
  ASSERT_EQ(run({"parameter.set method debye-hueckel"}), "");
  EXPECT_NE(status().find("Debye"), std::string::npos) << status();
  EXPECT_EQ(status().find("an angstrom"), std::string::npos) << status();
}

TEST_F(ElectrostaticsLabTest, APeriodicPotentialAsksForItsBox) {
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 2",
                 "parameter.set method multilevel"}),
            "");
  EXPECT_NE(status().find("Multilevel summation"), std::string::npos) << status();
  const std::string without = run({"parameter.set method pme"});
  EXPECT_NE(without.find("needs a box"), std::string::npos) << without;
  ASSERT_EQ(run({"parameter.set box 70,70,70"}), "");
  EXPECT_NE(status().find("background of -4 e"), std::string::npos) << status();
  EXPECT_NE(run({"parameter.set box 70"}).find("three numbers"), std::string::npos);
  EXPECT_EQ(run({"edit.undo", "electrostatics.probe 0 0 0"}), "");
}

TEST_F(ElectrostaticsLabTest, ASessionWhosePictureCannotBeComputedIsRestoredAndSaysWhy) {
  const auto needs_a_box = [](const std::string& text) { return text.find("needs a box") != text.npos; };
  const std::string picture = "file.export-image " + path("picture.png") + " 64x48";
  ASSERT_EQ(run({"file.open " + references + "born.pqr", "parameter.set spacing 1"}), "");
  EXPECT_TRUE(needs_a_box(run({"parameter.set method pme"})));
  EXPECT_TRUE(needs_a_box(run({picture}))) << "the one that is shown is of the method before";
  ASSERT_EQ(run({"session.save " + path("one.isolume")}), "");
  open_window();
  ASSERT_EQ(run({"session.open " + path("one.isolume")}), "");
  EXPECT_EQ(value("method"), "pme");
  EXPECT_TRUE(needs_a_box(window->error_text().toStdString()));
  EXPECT_TRUE(needs_a_box(run({picture})));
  ASSERT_EQ(run({"parameter.set method direct", picture}), "");
  EXPECT_EQ(window->error_text(), "");
}

TEST_F(ElectrostaticsLabTest, AResidueOfWhichNothingIsKnownIsNamed) {
  std::ofstream(path("ion.pqr")) << "ATOM 1 N ALA A 1 0 0 0 0.5 1.8\n"
                                    "HETATM 2 CA CA A 501 4 0 0 0.0 0.0\n";
  ASSERT_EQ(run({"file.open " + path("ion.pqr")}), "");
  EXPECT_TRUE(is_said("no charge to residues: CA A 501"));
}

TEST_F(ElectrostaticsLabTest, AStructureIsGivenCharges) {
  ASSERT_EQ(run({"file.open " + references + "1FAS.cif.gz", "parameter.set spacing 2"}), "");
  EXPECT_NE(status().find("Poisson-Boltzmann"), std::string::npos) << status();
  EXPECT_TRUE(window->windowTitle().startsWith("1FAS.cif")) << window->windowTitle().toStdString();
  EXPECT_FALSE(is_said("no charge"));
  ASSERT_EQ(run({"file.open " + references + "1AJJ.pdb.gz", "parameter.set spacing 2"}), "");
  EXPECT_TRUE(is_said("SO4 A 72")) << "a sulphate";
}

TEST_F(ElectrostaticsLabTest, AStructureIsGivenChargesOfAnotherForceFieldWhichASessionRemembers) {
  const auto force_field = [&] { return window->lab().state()().value("force-field", std::string("amber")); };
  const auto values = [&](const char* name) {
    EXPECT_EQ(run({"electrostatics.residues.export " + path(name)}), "");
    return read_text_file(path(name));
  };
  ASSERT_EQ(run({"file.open " + references + "1AJJ.pdb.gz", "parameter.set spacing 2"}), "");
  const auto of_amber = values("amber.csv");
  ASSERT_EQ(run({"electrostatics.force-field charmm", "parameter.set spacing 2"}), "");
  EXPECT_NE(values("charmm.csv"), of_amber);
  ASSERT_EQ(run({"session.save " + path("one.isolume"), "electrostatics.force-field amber",
                 "file.open " + path("one.isolume")}),
            "");
  EXPECT_EQ(force_field(), "charmm");
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr"}), "");
  EXPECT_NE(run({"electrostatics.force-field charmm"}).find("already has charges"), std::string::npos);
}

TEST_F(ElectrostaticsLabTest, OtherFilesWithChargesAreOpened) {
  const auto write = [&](const char* name, const char* text) { std::ofstream(path(name)) << text; };
  write("a.xyz", "2\n\nNa 0 0 0 0.75\nCl 3 0 0 -0.5\n");
  write("plain.xyz", "1\n\nNa 0 0 0\n");
  write("b.gro", "t\n1\n    1NA      NA    1   0.000   0.000   0.000\n1 1 1\n");
  write("b.itp", "[ moleculetype ]\nNA 1\n[ atoms ]\n1 Na 1 NA NA 1 0.5\n");
  const auto entry = lab_entry();
  EXPECT_TRUE(entry.description.takes(path("a.xyz")));
  EXPECT_FALSE(entry.description.takes(path("plain.xyz"))) << "a geometry is another lab's";
  ASSERT_EQ(run({"file.open " + path("a.xyz"), "parameter.set spacing 1"}), "");
  EXPECT_TRUE(window->windowTitle().startsWith("a.xyz"));
  ASSERT_EQ(run({"file.open " + path("b.gro")}), "");
  EXPECT_TRUE(window->windowTitle().startsWith("b.gro"));
  EXPECT_NE(run({"file.open " + path("plain.xyz")}), "");
  EXPECT_TRUE(window->windowTitle().startsWith("b.gro"));
}

TEST_F(ElectrostaticsLabTest, AFileThatCannotBeReadLeavesTheMoleculeWhereItIs) {
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 2"}), "");
  std::ofstream(path("broken.pqr")) << "ATOM 1 N ALA 1 0 0 zero 0 1\n";
  EXPECT_NE(run({"file.open " + path("broken.pqr")}).find("broken.pqr"), std::string::npos);
  EXPECT_TRUE(window->windowTitle().startsWith("1FAS.pqr")) << window->windowTitle().toStdString();
  EXPECT_EQ(run({"electrostatics.probe 0 0 0"}), "");
}

TEST_F(ElectrostaticsLabTest, ResiduesAreATableThatTheSurfaceAndRowsLeadTo) {
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 1",
                 "parameter.set atoms false", "view.panel residues"}),
            "");
  QTableView* table = nullptr;
  for (auto* each : window->findChildren<QTableView*>()) {
    if (each->parentWidget()->objectName() == "residue-table") table = each;
  }
  ASSERT_NE(table, nullptr);
  ASSERT_TRUE(QTest::qWaitFor([&] { return table->model()->rowCount() == 61; }, patience_ms));
  const auto cell = [&](int row, int column) { return table->model()->index(row, column).data().toString(); };
  EXPECT_EQ(cell(0, 0), "THR A 1");
  // The rows in the order of their charges: minus one first.
  table->sortByColumn(1, Qt::AscendingOrder);
  EXPECT_EQ(cell(0, 1), QString::fromUtf8("\u22121.00"));
  EXPECT_EQ(cell(60, 1), "1.00");
  keep_window("residues");

  const QImage before = exported("before.png");
  ASSERT_EQ(run({"electrostatics.residue LYS A 25"}), "");
  EXPECT_EQ(table->currentIndex().siblingAtColumn(0).data().toString(), "LYS A 25");
  EXPECT_NE(exported("outlined.png"), before);
  ASSERT_EQ(run({"electrostatics.residue none"}), "");
  EXPECT_EQ(exported("after.png"), before);
  EXPECT_NE(run({"electrostatics.residue XYZ 7"}).find("no residue \"XYZ 7\""), std::string::npos);

  // A click on the middle of the molecule chooses what is seen there.
  auto* view = window->findChild<scene::ViewWidget*>();
  ASSERT_NE(view, nullptr);
  QTest::mouseClick(view, Qt::LeftButton, {}, view->rect().center() - QPoint(40, 0));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !table->selectionModel()->selectedRows().empty(); }, 5000));
  EXPECT_NE(status().find("charge"), std::string::npos) << status();

  ASSERT_EQ(run({"electrostatics.residues.export " + path("residues.csv")}), "");
  std::ifstream csv(path("residues.csv"));
  std::string line;
  int lines = 0;
  for (; std::getline(csv, line);) lines += line.starts_with('#') ? 0 : 1;
  EXPECT_EQ(lines, 62);
}

TEST_F(ElectrostaticsLabTest, ResiduesWithoutChargeAreStripedAndCounted) {
  ASSERT_EQ(run({"file.open " + references + "1AJJ.pdb.gz", "parameter.set spacing 1",
                 "parameter.set atoms false", "view.panel residues"}),
            "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return is_said("1 residue without charge: SO4 A 72"); }, patience_ms));
  ASSERT_EQ(run({"electrostatics.residue SO4 A 72"}), "");
  EXPECT_NE(status().find("no charge assigned"), std::string::npos) << status();
  keep_window("striped");
}

TEST_F(ElectrostaticsLabTest, FieldLinesAreShownAndWritten) {
  ASSERT_EQ(
      run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 1", "parameter.set atoms false"}),
      "");
  const QImage without = exported("without.png");
  ASSERT_EQ(run({"parameter.set field-line-count 60", "electrostatics.field-lines.toggle"}), "");
  EXPECT_EQ(value("field-lines"), "true");
  ASSERT_TRUE(QTest::qWaitFor([&] { return exported("with.png") != without; }, patience_ms));
  keep_window("field-lines");
  ASSERT_EQ(run({"electrostatics.field-lines.export " + path("lines.vtp")}), "");
  std::ifstream file(path("lines.vtp"), std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(text.find("potential / kT/e"), std::string::npos);
  EXPECT_NE(run({"electrostatics.field-lines.export " + path("lines.csv")}).find(".vtp"), std::string::npos);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("field-lines"), "false");
  EXPECT_EQ(exported("again.png"), without);
}

TEST_F(ElectrostaticsLabTest, ChainsAreRibbonsInSeveralColours) {
  ASSERT_EQ(
      run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 1", "electrostatics.show nothing"}),
      "");
  const QImage atoms = exported("atoms.png");
  ASSERT_EQ(run({"parameter.set ribbon chains"}), "");
  const QImage ribbon = exported("ribbon.png");
  EXPECT_NE(ribbon, atoms);
  // Strands are yellow: three sheets of it.
  int yellow = 0;
  for (int y = 0; y < ribbon.height(); ++y) {
    for (int x = 0; x < ribbon.width(); ++x) {
      const QColor colour = ribbon.pixelColor(x, y);
      yellow += colour.red() > colour.blue() + 90 && colour.green() > colour.blue() + 50;
    }
  }
  EXPECT_GT(yellow, 500);
  keep_window("ribbon");
  ASSERT_EQ(run({"parameter.set ribbon-colour chain"}), "");
  EXPECT_NE(exported("chain.png"), ribbon);
  // By the potential it takes the table's colours as soon as these are there: positive nearly everywhere.
  ASSERT_EQ(run({"parameter.set ribbon-colour potential"}), "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return blue_and_red("potential.png").first > 500; }, patience_ms));
  EXPECT_GT(blue_and_red("potential.png").first, blue_and_red("potential.png").second);
  keep_window("ribbon-potential");
  ASSERT_EQ(run({"edit.undo", "edit.undo", "edit.undo"}), "");
  EXPECT_EQ(exported("again.png"), atoms);
}

TEST_F(ElectrostaticsLabTest, ASelectionIsOutlinedSummedAndIsolated) {
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 1", "view.panel residues"}),
            "");
  auto* const table = window->findChild<ResidueTable*>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return table->values() != nullptr; }, patience_ms));
  ASSERT_EQ(run({"electrostatics.show nothing"}), "");
  const QImage balls = exported("balls.png");
  ASSERT_EQ(run({"edit.undo"}), "");
  const QImage without = exported("without.png");
  ASSERT_EQ(run({"electrostatics.select residue LYS ARG"}), "");
  EXPECT_EQ(value("selection"), "residue LYS ARG");
  // Each of them has a charge of +1 e; the chain begins with another residue.
  const auto charges = structures::read_pqr(references + "1FAS.pqr");
  int atoms = 0;
  std::set<int> residues;
  for (const auto& label : charges.labels) {
    if (label.residue != "LYS" && label.residue != "ARG") continue;
    ++atoms;
    residues.insert(label.number);
  }
  const std::string said = fmt::format("{} atoms of {} residues selected, charge {}.00 e", atoms,
                                       residues.size(), residues.size());
  const std::string sums = fmt::format("{} residues selected: {}.00 e", residues.size(), residues.size());
  EXPECT_TRUE(is_said(QString::fromStdString(sums)));
  ASSERT_TRUE(QTest::qWaitFor([&] { return exported("outlined.png") != without; }, patience_ms));
  keep_window("selection");
  // Without the surface, what is not selected goes away with `isolate` alone.
  ASSERT_EQ(run({"electrostatics.show nothing"}), "");
  const QImage all = exported("all.png");
  EXPECT_NE(all, balls) << "some have halos";
  ASSERT_EQ(run({"electrostatics.isolate.toggle"}), "");
  EXPECT_NE(exported("isolated.png"), all);
  keep_window("isolated");
  ASSERT_EQ(run({"electrostatics.select none"}), "");
  EXPECT_EQ(exported("nothing.png"), balls);
  ASSERT_EQ(run({"electrostatics.select residue 25"}), "");
  EXPECT_EQ(status(), "No atom matches \"residue 25\". Residues have names, such as LYS: write number 25.");
  EXPECT_EQ(exported("nothing.png"), balls) << "nothing is selected, and thus nothing is hidden";
  ASSERT_EQ(run({"electrostatics.show surface"}), "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return exported("surface.png") == without; }, patience_ms));
  ASSERT_EQ(run({"edit.undo", "edit.undo"}), "");
  EXPECT_NE(run({"electrostatics.select chain A adn not hydrogen"}).find("column 13"), std::string::npos);
  EXPECT_EQ(value("selection"), "");
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("selection"), "residue LYS ARG");
  ASSERT_EQ(run({"electrostatics.select residue LYS ARG"}), "");
  EXPECT_NE(status().find(said), std::string::npos) << status();
}

/// Numbers of the file's own coordinates: N, CA, C and O of its first residue.
TEST_F(ElectrostaticsLabTest, DistancesAndAnglesAreMeasured) {
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 2"}), "");
  ASSERT_EQ(run({"electrostatics.measure.atoms 1 2"}), "");
  // sqrt(1.286^2 + 0.645^2 + 0.001^2)
  EXPECT_NE(status().find("THR A 1, N"), std::string::npos) << status();
  EXPECT_NE(status().find("1.439 "), std::string::npos) << status();
  const auto drawn = [this](const std::string& atoms) {
    return answer("electrostatics.measure.atoms " + atoms)["text"].get<std::string>();
  };
  EXPECT_EQ(drawn("1 2 17").find("THR A 1, N–CA–MET A 2, N: "), 0U);
  EXPECT_EQ(drawn("1 2"), "THR A 1, N–CA: 1.439 Å");
  keep_window("measured");
  ASSERT_EQ(run({"electrostatics.measure.atoms 1 2 3"}), "");
  // The cosine of the angle between (1.286, 0.645, -0.001) and (-0.879, 0.706, -1.018) is -0.3084.
  EXPECT_NE(status().find("108.0"), std::string::npos) << status();
  EXPECT_NE(run({"electrostatics.measure.atoms 1 9999999"}), "");
  EXPECT_NE(run({"electrostatics.measure.atoms 1 1"}), "");
  const auto measured = [this] {
    return answer("electrostatics.measure.atoms 1 2 3")["value"].get<double>();
  };
  EXPECT_NEAR(measured(), std::acos(-0.3084) * 180 / std::numbers::pi, 0.1);
  // They are kept, and undone step by step.
  ASSERT_EQ(run({"session.save " + path("measured.isolume"), "edit.undo"}), "");
  EXPECT_NE(status().find("1.439 "), std::string::npos) << status();
  ASSERT_EQ(run({"edit.redo"}), "");
  EXPECT_NE(status().find("108.0"), std::string::npos) << status();
  ASSERT_EQ(run({"electrostatics.measure.clear"}), "");
  EXPECT_EQ(status(), "Measurement cleared");
  const QImage without = exported("without.png");
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_NE(exported("with.png"), without);
  ASSERT_EQ(run({"file.open " + path("measured.isolume")}), "");
  EXPECT_EQ(run({"electrostatics.measure.clear"}), "") << "what was measured came back";
  ASSERT_EQ(run({"electrostatics.measure.atoms 1 2"}), "");
  QTest::keyClick(window->findChild<scene::ViewWidget*>(), Qt::Key_Escape);
  EXPECT_NE(run({"electrostatics.measure.clear"}).find("Nothing is measured"), std::string::npos);
}

/// Labels are read by eye (ISOLUME_KEEP_PICTURES); here that they come, go, and are not too many.
TEST_F(ElectrostaticsLabTest, AtomsAndResiduesAreLabelled) {
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 2",
                 "electrostatics.select residue LYS and number 32", "electrostatics.isolate.toggle",
                 "electrostatics.selection.zoom"}),
            "");
  const QImage bare = exported("bare.png");
  for (const char* what : {"element", "name", "residue", "charge", "radius"}) {
    ASSERT_EQ(run({std::string("parameter.set labels ") + what}), "");
    EXPECT_NE(exported("labelled.png"), bare) << what;
    keep_window((std::string("labels-") + what).c_str());
  }
  ASSERT_EQ(run({"parameter.set labels none"}), "");
  EXPECT_EQ(exported("none.png"), bare);
  ASSERT_EQ(run({"parameter.set labels residue", "session.save " + path("labelled.isolume"), "edit.undo"}),
            "");
  EXPECT_EQ(value("labels"), "none");
  ASSERT_EQ(run({"file.open " + path("labelled.isolume")}), "");
  EXPECT_EQ(value("labels"), "residue");
  // The molecule has 913 atoms (lines of the file), which are too many, and 61 residues.
  ASSERT_EQ(run({"electrostatics.isolate.toggle", "electrostatics.select none"}), "");
  keep_window("labels-all-residues");
  ASSERT_EQ(run({"parameter.set labels name"}), "");
  keep_window("labels-too-many");
}

/// Pixels that are not white.
int drawn_pixels(const QImage& picture) {
  int drawn = 0;
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x) drawn += picture.pixelColor(x, y).lightness() < 235 ? 1 : 0;
  return drawn;
}

TEST_F(ElectrostaticsLabTest, AnIsolatedSelectionCutsTheSurfaceAndFillsTheView) {
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 1",
                 "parameter.set atoms false", "parameter.set scale-bar false"}),
            "");
  const QImage whole = exported("whole.png");
  ASSERT_EQ(run({"electrostatics.select residue LYS and number 32"}), "");
  ASSERT_EQ(run({"electrostatics.isolate.toggle"}), "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return 3 * drawn_pixels(exported("cut.png")) < drawn_pixels(whole); },
                              patience_ms));
  const int far = drawn_pixels(exported("far.png"));
  ASSERT_EQ(run({"electrostatics.selection.zoom"}), "");
  EXPECT_GT(drawn_pixels(exported("near.png")), 2 * far);
  keep_window("cut");
  ASSERT_EQ(run({"electrostatics.isolate.toggle", "electrostatics.select none", "view.reset"}), "");
  EXPECT_TRUE(QTest::qWaitFor(
      [&] { return 10 * drawn_pixels(exported("again.png")) > 9 * drawn_pixels(whole); }, patience_ms));
  EXPECT_NE(run({"electrostatics.selection.zoom"}), "");
}

TEST_F(ElectrostaticsLabTest, ColoursCanBeRedWhiteAndBlue) {
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 2"}), "");
  const auto usual = value("negative-colour");
  ASSERT_EQ(run({"electrostatics.colours red-white-blue"}), "");
  EXPECT_EQ(value("negative-colour"), "#d61f1f");
  EXPECT_EQ(value("positive-colour"), "#1f3fd6");
  keep_window("red-white-blue");
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("negative-colour"), usual);
  EXPECT_EQ(value("positive-colour"), "#0072b2");
}

TEST_F(ElectrostaticsLabTest, TablesBehindOtherTabsAreComputedWhenTheyAreRaised) {
  const auto rows = [&](const char* table) {
    return window->findChild<RowTable*>(table)->view()->model()->rowCount();
  };
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 1"}), "");
  const int atoms = static_cast<int>(structures::read_pqr(references + "1FAS.pqr").size());
  EXPECT_EQ(rows("atom-table"), 0) << "out of sight";
  EXPECT_EQ(rows("patch-table"), 0);
  ASSERT_EQ(run({"view.panel atoms"}), "");
  EXPECT_EQ(rows("atom-table"), atoms);
  EXPECT_EQ(rows("patch-table"), 0);
  ASSERT_EQ(run({"view.panel patches"}), "");
  EXPECT_GT(rows("patch-table"), 0);
  // What was changed behind the tab is there when it is raised again, also by a click on it.
  std::ofstream(path("water.pqr")) << "ATOM 1 O WAT 1 0 0 0 -0.834 1.66\nATOM 2 H1 WAT 1 0.96 0 0 0.417 1\n"
                                      "ATOM 3 H2 WAT 1 -0.24 0.93 0 0.417 1\n";
  ASSERT_EQ(run({"file.open " + path("water.pqr"), "parameter.set spacing 1"}), "");
  for (QTabBar* tabs : window->findChildren<QTabBar*>()) {
    for (int i = 0; i < tabs->count(); ++i) {
      if (tabs->tabText(i) == "Atoms") QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(i).center());
    }
  }
  EXPECT_TRUE(QTest::qWaitFor([&] { return rows("atom-table") == 3; }, patience_ms)) << rows("atom-table");
}

TEST_F(ElectrostaticsLabTest, AnotherUnitKeepsValuesWithinWhatTheyMayBe) {
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 2", "parameter.set unit kT/e",
                 "parameter.set isovalue 900000", "parameter.set colour-limit 4", "parameter.set unit mV"}),
            "");
  EXPECT_EQ(value("isovalue"), "1000000") << "900000 kT/e are 23 million mV";
  // k 298.15 K / e is 25.6926 mV (CODATA 2018).
  EXPECT_NEAR(std::stod(value("colour-limit")), 4 * 25.6926, 1e-2);
  ASSERT_EQ(run({"session.save " + path("unit.isolume"), "session.open " + path("unit.isolume")}), "");
  EXPECT_EQ(value("isovalue"), "1000000");
  EXPECT_EQ(warning(), "");
  ASSERT_EQ(
      run({"parameter.set unit kT/e", "parameter.set isovalue 900000", "parameter.set unit mV", "edit.undo"}),
      "");
  EXPECT_EQ(value("isovalue"), "900000");
}

TEST_F(ElectrostaticsLabTest, CounterIonsArePlacedWrittenAndUndone) {
  ASSERT_EQ(
      run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 1", "electrostatics.show nothing"}),
      "");
  const QImage without = exported("without.png");
  EXPECT_NE(run({"electrostatics.ions.export " + path("none.pdb")}).find("electrostatics.ions.toggle"),
            std::string::npos);
  ASSERT_EQ(run({"electrostatics.ions.toggle"}), "");
  EXPECT_NE(status().find("4 ions placed"), std::string::npos) << status();
  EXPECT_NE(exported("with.png"), without);
  keep_window("ions");
  ASSERT_EQ(run({"electrostatics.ions.export " + path("ions.pdb"),
                 "electrostatics.ions.export " + path("all.pdb") + " all"}),
            "");
  // Its charge is +4 e. Chlorides are 5 angstrom from all atoms and each other, and where the potential is higher than at
  // most places as near.
  const auto charges = structures::read_pqr(references + "1FAS.pqr");
  const auto ions = structures::read_structure(path("ions.pdb"));
  ASSERT_EQ(ions.residues.size(), 4U);
  for (const auto& ion : ions.residues) {
    EXPECT_EQ(ion.name, "CL");
    const auto& place = ion.atoms.front().place;
    for (std::size_t i = 0; i < charges.size(); ++i) EXPECT_GE((charges.place(i) - place).norm(), 5 - 2e-3);
    for (const auto& other : ions.residues) {
      if (&other == &ion) continue;
      EXPECT_GE((other.atoms.front().place - place).norm(), 5 - 2e-3);
    }
    EXPECT_GT(debye_hueckel(charges, place), 0.5);
  }
  EXPECT_EQ(structures::read_structure(path("all.pdb")).residues.size(), 61U + 4U);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(exported("again.png"), without);
}

TEST_F(ElectrostaticsLabTest, SaltOfBothKindsIsPlacedByItsConcentration) {
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 2", "parameter.set margin 8",
                 "electrostatics.show nothing", "file.export " + path("map.dx"),
                 "parameter.set salt-cation mg", "parameter.set salt-anion br", "parameter.set ion-molar 0.3",
                 "parameter.set ions counter-ions-and-salt"}),
            "");
  EXPECT_NE(status().find(" 4 CL, "), std::string::npos) << status();
  EXPECT_NE(status().find("total charge 0 e"), std::string::npos) << status();
  ASSERT_EQ(run({"electrostatics.ions.export " + path("ions.pdb")}), "");
  // 0.3 mol/l is 0.3 * 6.022e23 / 1e27 formula units in a cubic angstrom of the map's box.
  const auto map = science::read_opendx(path("map.dx"));
  double volume = 1;
  for (int axis = 0; axis < 3; ++axis)
    volume *= (map.grid.position(axis == 0 ? map.grid.dimensions[0] - 1 : 0,
                                 axis == 1 ? map.grid.dimensions[1] - 1 : 0,
                                 axis == 2 ? map.grid.dimensions[2] - 1 : 0) -
               map.grid.position(0, 0, 0))
                  .norm();
  const auto units = std::lround(0.3 * 6.02214076e-4 * volume);
  ASSERT_GT(units, 5);
  std::map<std::string, long> counts;
  for (const auto& ion : structures::read_structure(path("ions.pdb")).residues) ++counts[ion.name];
  EXPECT_EQ(counts, (std::map<std::string, long>{{"CL", 4}, {"MG", units}, {"BR", 2 * units}}));
  keep_window("salt");
  // Zinc does not make up for +4 e, and five of them are what five are.
  ASSERT_EQ(run({"parameter.set ions counter-ions", "parameter.set ion zn"}), "");
  EXPECT_NE(warning().find("other sign"), std::string::npos) << warning();
  EXPECT_NE(status().find("0 ions placed | total charge 4 e"), std::string::npos) << status();
  EXPECT_NE(run({"electrostatics.ions.export " + path("none.pdb")}).find("other sign"), std::string::npos);
  ASSERT_EQ(run({"session.save " + path("zinc.isolume"), "session.open " + path("zinc.isolume")}), "");
  EXPECT_NE(warning().find("other sign"), std::string::npos) << warning();
  ASSERT_EQ(run({"parameter.set ions count", "parameter.set ion-count 5"}), "");
  EXPECT_NE(status().find("5 ions placed: 5 ZN | total charge 14 e"), std::string::npos) << status();
  ASSERT_EQ(run({"edit.undo", "parameter.set ion usual", "parameter.set ions counter-ions"}), "");
  EXPECT_EQ(value("ion-count"), "10");
  EXPECT_NE(status().find("4 ions placed: 4 CL | total charge 0 e"), std::string::npos) << status();
}

TEST_F(ElectrostaticsLabTest, MapsAreExportedInAllFormatsAndScenesWithLinesAndRibbon) {
  ASSERT_EQ(
      run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 2", "parameter.set ribbon chains",
           "parameter.set field-line-count 20", "electrostatics.field-lines.toggle"}),
      "");
  for (const char* name : {"map.dx", "map.ccp4.gz", "map.mrc", "map.vti", "map.cube"}) {
    ASSERT_EQ(run({"file.export " + path(name)}), "") << name;
    EXPECT_TRUE(QFile::exists(QString::fromStdString(path(name)))) << name;
  }
  const auto dx = science::read_opendx(path("map.dx"));
  const auto ccp4 = science::read_ccp4(path("map.mrc"));
  ASSERT_EQ(dx.grid.dimensions, ccp4.grid.dimensions);
  for (std::size_t i = 0; i < dx.values.size(); i += 997)
    EXPECT_NEAR(dx.values[i], ccp4.values[i], 1e-4 * std::abs(dx.values[i]) + 1e-6);
  const auto lines_of = [&] {
    EXPECT_EQ(run({"file.export " + path("scene.gltf")}), "");
    std::ifstream file(path("scene.gltf"));
    const auto scene = nlohmann::json::parse(file);
    int lines = 0, meshes = 0;
    for (const auto& mesh : scene["meshes"]) {
      for (const auto& each : mesh["primitives"]) {
        const bool is_line = each["mode"] == 1;
        lines += is_line;
        meshes += each["mode"] == 4;
        EXPECT_TRUE(each["attributes"].contains("COLOR_0"));
        const int count = scene["accessors"][each["indices"].get<std::size_t>()]["count"];
        EXPECT_GT(count, 0);
        EXPECT_EQ(count % (is_line ? 2 : 3), 0);
      }
    }
    EXPECT_GE(meshes, 2) << "surface and ribbon";
    return lines;
  };
  EXPECT_TRUE(QTest::qWaitFor([&] { return lines_of() == 1; }, patience_ms));
  // Values and what they are stand in the files of the surface.
  ASSERT_EQ(run({"file.export " + path("surface.vtp"), "file.export " + path("surface.ply")}), "");
  std::ifstream vtp(path("surface.vtp"), std::ios::binary), ply(path("surface.ply"), std::ios::binary);
  const std::string vtp_text((std::istreambuf_iterator<char>(vtp)), {}),
      ply_text((std::istreambuf_iterator<char>(ply)), {});
  EXPECT_NE(vtp_text.find("\"Potential / kT/e\""), std::string::npos);
  EXPECT_NE(ply_text.find("comment value is Potential / kT/e\n"), std::string::npos);
}

TEST_F(ElectrostaticsLabTest, AMapIsComparedWithThatOfHalfTheSpacing) {
  ASSERT_EQ(
      run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 2",
           "file.export " + path("whole.dx"), "parameter.set colour-range usual",
           "parameter.set compare half-spacing", "file.export " + path("difference.dx"),
           "parameter.set spacing 1", "parameter.set compare nothing", "file.export " + path("half.dx")}),
      "");
  const auto whole = science::read_opendx(path("whole.dx")), half = science::read_opendx(path("half.dx")),
             difference = science::read_opendx(path("difference.dx"));
  ASSERT_EQ(difference.grid.dimensions, whole.grid.dimensions);
  // Grids of both spacings are centred in the box: their faces may lie elsewhere, by which the potential far from the
  // molecule hardly changes.
  const auto place = whole.grid.position(2, 8, 8);
  const double there = grid::interpolate(half, place);
  EXPECT_NEAR(difference.at(2, 8, 8), whole.at(2, 8, 8) - there, 0.05 * std::abs(there) + 0.01);
  double largest = 0;
  for (const float value : difference.values)
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  EXPECT_GT(largest, 1) << "spacings of 2 angstrom are coarse";
}

TEST_F(ElectrostaticsLabTest, SlidersAreRememberedBySessions) {
  ASSERT_EQ(run({"file.open " + references + "1FAS.pqr", "parameter.set spacing 2", "parameter.set salt 0.5",
                 "electrostatics.slice.toggle", "session.save " + path("one.isolume"),
                 "parameter.set salt 0.1", "file.open " + path("one.isolume")}),
            "");
  EXPECT_EQ(value("salt"), "0.5");
  EXPECT_EQ(value("slice"), "true");
}

}  // namespace
}  // namespace isolume::labs::electrostatics
