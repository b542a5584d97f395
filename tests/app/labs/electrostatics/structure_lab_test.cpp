// How a structure gets its charges, what was decided on the way, patches of its surface and energies of its atoms.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFile>
#include <QGroupBox>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>
#include <QUndoStack>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "app/labs/electrostatics/panels/row_table.h"
#include "app/labs/electrostatics/picture/structure_settings.h"
#include "app/scene/view/view_widget.h"
#include "core/base/text_file.h"
#include "core/structures/charged_file.h"
#include "core/structures/pqr.h"
#include "core/structures/structure_choices.h"
#include "tests/app/labs/electrostatics/lab_window.h"

namespace isolume::labs::electrostatics {
namespace {

const std::string folder_of_entries = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/";
const std::string entry = folder_of_entries + "1AJJ.pdb.gz";

class StructureLabTest : public ElectrostaticsLabTest {
 protected:
  RowTable& table(const char* name) { return *window->findChild<RowTable*>(name); }
  QString cell(RowTable& of, int row, int column) {
    return of.view()->model()->index(row, column).data().toString();
  }
  /// The row whose first cells are these; -1: there is none.
  int row_with(RowTable& of, const QString& first, const QString& second) {
    for (int row = 0; row < of.view()->model()->rowCount(); ++row) {
      if (cell(of, row, 0) == first && cell(of, row, 1).contains(second)) return row;
    }
    return -1;
  }
  QString cell_text(QTableView& of, int row, int column) {
    return of.model()->index(row, column).data().toString();
  }
  void click(RowTable& of, int row) {
    const auto index = of.view()->model()->index(row, 0);
    of.view()->scrollTo(index);
    QTest::mouseClick(of.view()->viewport(), Qt::LeftButton, {}, of.view()->visualRect(index).center());
  }
  /// Of the atoms that the expression selects, as the status bar tells it.
  std::string charge_of(const std::string& expression) {
    EXPECT_EQ(run({"electrostatics.select " + expression}), "");
    return status();
  }
};

TEST_F(StructureLabTest, AStructureOpenedAfterAFileWithChargesHasItsChoices) {
  const auto shown = [this](const char* name) { return window->findChild<QWidget*>(name)->isVisible(); };
  ASSERT_EQ(run({"file.open " + folder_of_entries + "1FAS.pqr", "parameter.set spacing 2"}), "");
  EXPECT_FALSE(shown("force-field.choice"));
  ASSERT_EQ(run({"file.open " + entry, "parameter.set spacing 2", "parameter.show force-field"}), "");
  EXPECT_TRUE(shown("force-field.choice"));
  ASSERT_EQ(run({"file.open " + folder_of_entries + "1FAS.pqr"}), "");
  EXPECT_FALSE(shown("force-field.choice"));
}

TEST_F(StructureLabTest, AnotherFileBeginsWithItsOwnForceFieldAndWater) {
  ASSERT_EQ(run({"file.open " + entry, "parameter.set spacing 2", "parameter.set force-field parse",
                 "file.open " + entry}),
            "");
  EXPECT_EQ(value("force-field"), "amber") << "what was chosen belongs to the document";
}

/// Undo restores all that is seen: the colours, too.
TEST_F(StructureLabTest, TheColoursOfTheSurfaceAreUndoneAsOneStep) {
  ASSERT_EQ(run({"file.open " + folder_of_entries + "1FAS.pqr", "parameter.set spacing 2",
                 "parameter.set shown surface", "parameter.set colour-limit 3"}),
            "");
  ASSERT_EQ(value("colour-range"), "locked");
  ASSERT_EQ(value("colour-limit"), "3");
  ASSERT_EQ(run({"parameter.set colour-range usual"}), "");
  const std::string usual = value("colour-limit");
  ASSERT_NE(usual, "3");
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("colour-limit"), "3") << "as it was locked";
  ASSERT_EQ(run({"edit.redo"}), "");
  EXPECT_EQ(value("colour-limit"), usual);
  auto* number = window->findChild<QDoubleSpinBox*>("colour-limit.number");
  ASSERT_NE(number, nullptr);
  const int steps = window->undo_stack().count();
  number->setFocus();
  number->selectAll();
  QTest::keyClicks(number, "50");
  QTest::keyClick(number, Qt::Key_Return);
  EXPECT_EQ(value("colour-limit"), "50");
  EXPECT_EQ(value("colour-range"), "locked");
  EXPECT_EQ(window->undo_stack().count(), steps + 1);
  ASSERT_EQ(run({}), "");
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(value("colour-range"), "usual");
  EXPECT_EQ(value("colour-limit"), usual);
  ASSERT_EQ(run({"parameter.set colour-range locked"}), "");
  EXPECT_EQ(value("colour-limit"), usual) << "what is seen is locked";
  ASSERT_EQ(run({"parameter.set colour-limit 50", "parameter.set colour-range usual"}), "");
  EXPECT_EQ(value("colour-limit"), usual);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("colour-range"), "locked");
  EXPECT_EQ(value("colour-limit"), "50");
}

/// Against the entry's HET and SSBOND records.
TEST_F(StructureLabTest, WhatWasDecidedIsATableThatLeadsToResidues) {
  ASSERT_EQ(run({"file.open " + entry, "parameter.set spacing 2", "view.panel preparation"}), "");
  auto& decisions = table("decision-table");
  EXPECT_TRUE(is_said("Charges and radii of AMBER ff14SB"));
  const int sulphate = row_with(decisions, "Without charge", "SO4 A 72");
  ASSERT_GE(sulphate, 0);
  EXPECT_EQ(cell(decisions, sulphate, 3), "5");
  const int bridge = row_with(decisions, "Disulphide", "CYS A 12, CYS A 30");
  ASSERT_GE(bridge, 0);
  EXPECT_EQ(cell(decisions, bridge, 2), QString::fromUtf8("1.97 Å"));
  keep_window("preparation");
  click(decisions, bridge);
  ASSERT_TRUE(QTest::qWaitFor([&] { return value("selection") != ""; }, patience_ms));
  EXPECT_EQ(value("selection"), "chain A and number 12 or chain A and number 30");
  QTest::keyClick(decisions.view(), Qt::Key_C, Qt::ControlModifier);
  EXPECT_TRUE(QApplication::clipboard()->text().startsWith("Disulphide\tCYS A 12, CYS A 30\t"))
      << QApplication::clipboard()->text().toStdString();
  ASSERT_EQ(run({"electrostatics.preparation.export " + path("decisions.csv")}), "");
  EXPECT_NE(read_text_file(path("decisions.csv")).find("\nWithout charge,SO4 A 72,5,"), std::string::npos);
}

TEST_F(StructureLabTest, ThePreparedStructureIsWrittenAsPQR) {
  ASSERT_EQ(run({"file.open " + entry, "parameter.set spacing 2", "parameter.set force-field charmm",
                 "electrostatics.ligands SO4=none", "electrostatics.charges.export " + path("prepared.pqr")}),
            "");
  const auto written = structures::read_pqr(path("prepared.pqr"));
  structures::StructureChoices choices;
  choices.force_field = structures::ForceField::charmm;
  choices.ligands = "SO4=none";
  const auto expected = structures::read_charged_file(entry, structures::charged_file_options(choices));
  ASSERT_EQ(written.size(), expected.charges.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_NEAR(written.charge[i], expected.charges.charge[i], 1e-6);
    EXPECT_EQ(written.labels[i].atom, expected.charges.labels[i].atom);
    EXPECT_NEAR(written.x[i], expected.charges.x[i], 6e-4);
  }
  EXPECT_NE(read_text_file(path("prepared.pqr")).find("REMARK   5 Disulphide: CYS A 12, CYS A 30: 1.97"),
            std::string::npos);
}

/// At the usual size of the dock, without a scroll bar below: every title and every word of the first rows.
TEST_F(StructureLabTest, TablesFitIntoTheDockAndTheirNumbersAreShort) {
  for (const QSize size : {QSize(1280, 800), QSize(1600, 1000)}) {
    QSettings().clear();
    open_window();
    window->resize(size);
    ASSERT_EQ(run({"file.open " + entry, "parameter.set spacing 1"}), "");
    for (const char* panel : {"residues", "patches", "preparation", "atoms"}) {
      ASSERT_EQ(run({std::string("view.panel ") + panel}), "");
      const QString name = panel == std::string("preparation")
                               ? "decision-table"
                               : QString(panel).chopped(panel[0] == 'p' ? 2 : 1) + "-table";
      auto* of = window->findChild<QWidget*>(name);
      ASSERT_NE(of, nullptr) << panel;
      auto* view = of->findChild<QTableView*>();
      ASSERT_TRUE(QTest::qWaitFor([&] { return view->model()->rowCount() > 3; }, patience_ms)) << panel;
      keep_window((std::string("table-") + panel + std::to_string(size.width())).c_str());
      EXPECT_EQ(view->horizontalScrollBar()->maximum(), 0) << panel << " " << size.width();
      const auto fits = [&](const QString& text, int width, int height) {
        const auto needed = view->fontMetrics().boundingRect(0, 0, width - 4, 1000, Qt::TextWordWrap, text);
        return needed.width() <= width && needed.height() <= height;
      };
      for (int column = 0; column < view->model()->columnCount(); ++column) {
        const QString title = view->model()->headerData(column, Qt::Horizontal).toString();
        EXPECT_TRUE(fits(title, view->columnWidth(column), 1000)) << title.toStdString();
        const bool is_extreme = name == "residue-table" && (column == 4 || column == 5);
        EXPECT_TRUE(!is_extreme || title.startsWith(column == 4 ? "Min. V\n" : "Max. V\n"));
        for (int row = 0; row < 4; ++row) {
          const QString text = cell_text(*view, row, column);
          const bool is_long = name == "patch-table" && column == 4;  // six lines of it
          EXPECT_TRUE(is_long || fits(text, view->columnWidth(column), view->rowHeight(row)))
              << panel << ": " << text.toStdString();
          bool is_number = false;
          QString(text).replace(QChar(0x2212), '-').toDouble(&is_number);
          if (!is_number || !text.contains('.')) continue;
          EXPECT_FALSE(text.contains('-')) << text.toStdString();
          EXPECT_LE(std::ranges::count_if(text, [](QChar c) { return c.isDigit(); }), 4)
              << text.toStdString();
        }
      }
    }
  }
}

TEST_F(StructureLabTest, ItsPanelSaysWhatParametersMean) {
  ASSERT_EQ(run({"file.open " + entry, "parameter.set spacing 2", "parameter.set shown potential"}), "");
  std::set<QString> texts;
  for (const auto* label : window->findChildren<QLabel*>()) texts.insert(label->text());
  for (const auto* box : window->findChildren<QGroupBox*>()) texts.insert(box->title());
  for (const char* expected : {"Method", "Positive surface", "Negative surface"})
    EXPECT_TRUE(texts.contains(expected)) << expected;
  EXPECT_FALSE(texts.contains("Positive lobe"));
  for (const auto& [number, zero] : {std::pair("threads", "All processors"),
                                     {"assembly", "As in the file"},
                                     {"patch", "None"},
                                     {"sample-height", "On the surface"}})
    EXPECT_EQ(window->findChild<QDoubleSpinBox*>(QString(number) + ".number")->text(), zero);
  // What is not there is not offered.
  for (const char* command : {"electrostatics.charge-table.remove", "electrostatics.selection.zoom",
                              "electrostatics.ions.export", "electrostatics.measure.clear"})
    EXPECT_FALSE(window->findChild<QAction*>(command)->isEnabled()) << command;
  ASSERT_EQ(run({"electrostatics.select residue SO4", "electrostatics.ions.toggle"}), "");
  EXPECT_TRUE(window->findChild<QAction*>("electrostatics.selection.zoom")->isEnabled());
  EXPECT_TRUE(window->findChild<QAction*>("electrostatics.ions.export")->isEnabled());
}

TEST_F(StructureLabTest, ItIsPreparedAgainWithOtherChoicesWhichCanBeUndone) {
  ASSERT_EQ(run({"file.open " + entry, "parameter.set spacing 2"}), "");
  ASSERT_EQ(run({"electrostatics.select water"}), "");
  EXPECT_NE(status().find("No atom matches \"water\""), std::string::npos) << status();
  ASSERT_EQ(run({"parameter.set keep-water true", "electrostatics.select water and element O"}), "");
  EXPECT_NE(status().find("30 atoms of 30 residues"), std::string::npos) << status();  // HOH of the entry
  EXPECT_EQ(value("spacing"), "2") << "what people chose stays";
  ASSERT_EQ(run({"parameter.set force-field parse", "edit.undo"}), "");
  EXPECT_EQ(value("force-field"), "amber");
  ASSERT_EQ(run({"session.save " + path("one.isolume"), "edit.undo", "edit.undo"}), "");
  EXPECT_EQ(value("keep-water"), "false");
  ASSERT_EQ(run({"electrostatics.select water"}), "");
  EXPECT_NE(status().find("No atom matches \"water\""), std::string::npos) << status();
  ASSERT_EQ(run({"file.open " + path("one.isolume")}), "");
  EXPECT_EQ(value("keep-water"), "true");
  // Files that have charges have no such choices.
  ASSERT_EQ(run({"file.open " + folder_of_entries + "1FAS.pqr"}), "");
  EXPECT_NE(run({"parameter.set keep-water true"}).find("already has charges"), std::string::npos);
}

/// A proton more is a charge of +1 e more, and undo takes it away.
TEST_F(StructureLabTest, SelectedResiduesAreProtonatedWhichCanBeUndone) {
  ASSERT_EQ(run({"file.open " + entry, "parameter.set spacing 2"}), "");
  EXPECT_NE(run({"electrostatics.protonate ASH"}).find("Select a residue first"), std::string::npos);
  const std::string before = charge_of("all");
  EXPECT_EQ(run({"electrostatics.select residue ASP and number 32"}), "");
  EXPECT_NE(status().find(QString::fromUtf8("charge −1.00 e").toStdString()), std::string::npos) << status();
  EXPECT_NE(run({"electrostatics.protonate HIP"}).find("can be HIP"), std::string::npos);
  ASSERT_EQ(run({"electrostatics.protonate ASH"}), "");
  EXPECT_EQ(value("states"), "ASP A 32=ASH");
  EXPECT_NE(charge_of("residue ASP and number 32").find("charge 0.00 e"), std::string::npos) << status();
  keep_window("protonated");
  ASSERT_EQ(run({"electrostatics.protonate automatic"}), "");
  EXPECT_EQ(value("states"), "");
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("states"), "ASP A 32=ASH");
  EXPECT_NE(charge_of("all"), before);
  // What belongs to this structure goes with it.
  ASSERT_EQ(run({"file.open " + folder_of_entries + "1FAS.cif.gz"}), "");
  EXPECT_EQ(value("states"), "");
}

TEST_F(StructureLabTest, ATableGivesALigandItsCharges) {
  std::ofstream(path("sulphate.csv")) << "residue,atom,charge,radius\n"
                                         "SO4,S,1.2,2\nSO4,O1,-0.8,1.7\nSO4,O2,-0.8,1.7\n"
                                         "SO4,O3,-0.8,1.7\nSO4,O4,-0.8,1.7\n";
  std::ofstream(path("broken.csv")) << "residue,atom,charge,radius\nSO4,S,much,2\n";
  ASSERT_EQ(run({"file.open " + entry, "parameter.set spacing 2", "electrostatics.select residue SO4"}), "");
  EXPECT_NE(status().find("no charge assigned"), std::string::npos) << status();
  const auto* remove = window->findChild<QAction*>("electrostatics.charge-table.remove");
  ASSERT_NE(remove, nullptr);
  EXPECT_FALSE(remove->isEnabled()) << "none is open";
  const int steps = window->undo_stack().count();
  EXPECT_NE(run({"electrostatics.charge-table " + path("broken.csv")}).find("broken.csv"), std::string::npos);
  EXPECT_EQ(window->undo_stack().count(), steps) << "a table that is refused is no step of undo";
  ASSERT_EQ(run({"electrostatics.charge-table " + path("sulphate.csv")}), "");
  EXPECT_NE(charge_of("residue SO4").find(QString::fromUtf8("charge −2.00 e").toStdString()),
            std::string::npos)
      << status();
  ASSERT_EQ(run({"view.panel preparation"}), "");
  EXPECT_TRUE(is_said("those of sulphate.csv take precedence"));
  EXPECT_GE(row_with(table("decision-table"), "Given charges", "SO4 A 72"), 0);
  EXPECT_TRUE(remove->isEnabled());
  ASSERT_EQ(run({"session.save " + path("one.isolume"), "electrostatics.charge-table.remove"}), "");
  EXPECT_FALSE(remove->isEnabled());
  EXPECT_NE(charge_of("residue SO4").find("no charge assigned"), std::string::npos) << status();
  ASSERT_EQ(run({"file.open " + path("one.isolume")}), "");
  EXPECT_NE(charge_of("residue SO4").find("2.00 e"), std::string::npos) << status();
  // Of another file it is not; and a session whose table is gone says so.
  ASSERT_EQ(run({"file.open " + folder_of_entries + "1FAS.cif.gz", "view.panel preparation"}), "");
  EXPECT_FALSE(is_said("sulphate.csv"));
  QFile::remove(QString::fromStdString(path("sulphate.csv")));
  ASSERT_EQ(run({"file.open " + path("one.isolume")}), "");
  EXPECT_TRUE(is_said("sulphate.csv was not found"));
  EXPECT_NE(charge_of("residue SO4").find("no charge assigned"), std::string::npos) << status();
}

/// Sulphate of the entry: asked for in the banner, chosen in the dialogue or by a command, kept and undone.
TEST_F(StructureLabTest, LigandsWithoutChargesAreAskedFor) {
  std::ofstream(path("sulphate.mol2"))
      << "@<TRIPOS>MOLECULE\nsulphate\n5 0\nSMALL\nUSER_CHARGES\n@<TRIPOS>ATOM\n"
         "1 S1 0 0 0 S.o2 1 XXX 1.2\n2 OA 1.49 0 0 O.2 1 XXX -0.8\n3 OB -0.5 1.4 0 O.2 1 XXX -0.8\n"
         "4 OC -0.5 -0.7 1.22 O.3 1 XXX -0.8\n5 OD -0.5 -0.7 -1.22 O.3 1 XXX -0.8\n";
  const std::string minus_two = QString::fromUtf8("charge −2.00 e").toStdString();
  ASSERT_EQ(run({"file.open " + entry, "parameter.set spacing 2"}), "");
  auto* banner = window->findChild<QWidget*>("warning-banner");
  auto* offer = banner->findChild<QPushButton*>("banner-offer");
  ASSERT_NE(offer, nullptr);
  ASSERT_TRUE(offer->isVisible());
  keep_window("ligand-banner");
  QTest::mouseClick(offer, Qt::LeftButton);
  auto* dialog = window->findChild<QDialog*>("ligand-dialog");
  ASSERT_NE(dialog, nullptr);
  auto* from = dialog->findChild<QComboBox*>("from-SO4");
  ASSERT_NE(from, nullptr);
  auto* net = dialog->findChild<QDoubleSpinBox*>("net-SO4");
  EXPECT_EQ(net->value(), -2) << "of the chemical component";
  EXPECT_EQ(net->text(), QString::fromUtf8("−2.00 e"));
  from->setCurrentIndex(1);
  QApplication::setActiveWindow(dialog);  // there is no window manager to do it
  net->setFocus();
  net->selectAll();
  QTest::keyClicks(net, "-3");
  QTest::keyClick(net, Qt::Key_Tab);
  EXPECT_EQ(net->value(), -3);
  EXPECT_EQ(net->text(), QString::fromUtf8("−3.00 e"));
  QTest::keyClick(net, Qt::Key_Up);
  EXPECT_EQ(net->text(), QString::fromUtf8("−2.00 e"));
  if (const char* to = std::getenv("ISOLUME_KEEP_PICTURES"))
    dialog->grab().save(QString("%1/ligand-dialog.png").arg(to));
  dialog->accept();
  int quiet = 0;  // what a job hands over may start the next
  ASSERT_TRUE(QTest::qWaitFor([&] { return (quiet = window->busy() ? 0 : quiet + 1) > 5; }, patience_ms));
  EXPECT_NE(charge_of("residue SO4").find(minus_two), std::string::npos) << status();
  EXPECT_EQ(value("ligands"), "SO4=-2");
  EXPECT_FALSE(offer->isVisible());
  // Of another file, atoms have other names.
  ASSERT_EQ(run({"electrostatics.ligands SO4=" + path("sulphate.mol2")}), "");
  EXPECT_NE(charge_of("residue SO4 and element S").find("charge 1.20 e"), std::string::npos) << status();
  EXPECT_NE(charge_of("residue SO4").find(minus_two), std::string::npos) << status();
  // Selections are steps, too.
  ASSERT_EQ(run({"session.save " + path("one.isolume"), "edit.undo", "edit.undo", "edit.undo"}), "");
  EXPECT_EQ(value("ligands"), "SO4=-2");
  ASSERT_EQ(run({"edit.undo", "edit.undo"}), "");
  EXPECT_EQ(value("ligands"), "");
  EXPECT_TRUE(offer->isVisible());
  EXPECT_NE(charge_of("residue SO4").find("no charge assigned"), std::string::npos) << status();
  ASSERT_EQ(run({"file.open " + path("one.isolume")}), "");
  EXPECT_NE(charge_of("residue SO4 and element S").find("charge 1.20 e"), std::string::npos) << status();
  // None is an answer, too; a residue that is not there is not.
  ASSERT_EQ(run({"electrostatics.ligands SO4=none"}), "");
  EXPECT_NE(charge_of("residue SO4").find("no charge assigned"), std::string::npos) << status();
  EXPECT_FALSE(offer->isVisible());
  EXPECT_NE(run({"electrostatics.ligands ABC=1"}).find("no residue ABC"), std::string::npos);
  EXPECT_EQ(value("ligands"), "SO4=none");
}

TEST_F(StructureLabTest, WhatCannotBeDoneLeavesChoicesAsTheyWere) {
  ASSERT_EQ(run({"file.open " + folder_of_entries + "1A1P-21-models.pdb.gz", "parameter.set spacing 2"}), "");
  EXPECT_NE(run({"parameter.set model 99"}).find("no model 99"), std::string::npos);
  EXPECT_EQ(value("model"), "0");
  ASSERT_EQ(run({"parameter.set model 3", "view.panel preparation"}), "");
  EXPECT_GE(row_with(table("decision-table"), "Charges and radii", ""), 0);
  EXPECT_EQ(cell(table("decision-table"), 0, 2), "AMBER ff14SB, model 3 of 21");
  EXPECT_NE(run({"parameter.set average true"}), "") << "it is one frame now";
  ASSERT_EQ(run({"edit.undo", "parameter.set frame 21"}), "");
  ASSERT_EQ(run({"parameter.set unknown equalise"}), "");
  EXPECT_EQ(value("frame"), "21");
  EXPECT_NE(run({"parameter.set unknown-charge NAP"}).find("NAP=-4"), std::string::npos);
  EXPECT_NE(run({"parameter.set unknown-charge NAP=-4"}).find("NAP"), std::string::npos) << "there is none";
  EXPECT_EQ(value("unknown-charge"), "");
}

TEST_F(StructureLabTest, RefusedStatesAreNoStepAndStayInTheirField) {
  ASSERT_EQ(run({"file.open " + entry, "parameter.set spacing 2", "parameter.set states \"ASP A 32=ASH\""}),
            "");
  auto* field = window->findChild<QLineEdit*>("states.text");
  ASSERT_NE(field, nullptr);
  field->setFocus();
  field->selectAll();
  const QString typed = "ASP A 32=ASH, GLU A 99=GLH";
  QTest::keyClicks(field, typed);
  QTest::keyClick(field, Qt::Key_Return);
  const auto* banner = window->findChild<QWidget*>("warning-banner");
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return banner->isVisible() && value("states") == "ASP A 32=ASH"; }, patience_ms));
  EXPECT_EQ(field->text(), typed) << "to be corrected";
  EXPECT_EQ(window->focusWidget(), field);
  EXPECT_NE(run({"edit.redo"}), "") << "there is nothing";
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("states"), "") << "as before the last step that was possible";
}

TEST_F(StructureLabTest, AGroFileTakesTheTopologyThatIsNamed) {
  std::ofstream(path("b.gro")) << "t\n1\n    1NA      NA    1   0.000   0.000   0.000\n1 1 1\n";
  for (const char* charge : {"0.5", "0.75"}) {
    std::ofstream(path(charge) + ".itp")
        << "[ moleculetype ]\nNA 1\n[ atoms ]\n1 Na 1 NA NA 1 " << charge << "\n";
  }
  EXPECT_NE(run({"file.open " + path("b.gro")}).find("topology"), std::string::npos);
  ASSERT_EQ(run({"lab.show electrostatics", "electrostatics.topology " + path("0.5") + ".itp"}), "");
  EXPECT_NE(charge_of("all").find("charge 0.50 e"), std::string::npos) << status();
  ASSERT_EQ(run({"electrostatics.topology " + path("0.75") + ".itp"}), "");
  EXPECT_NE(charge_of("all").find("charge 0.75 e"), std::string::npos) << status();
  ASSERT_EQ(run({"edit.undo", "edit.undo"}), "");
  EXPECT_NE(charge_of("all").find("charge 0.50 e"), std::string::npos) << status();
  EXPECT_NE(run({"electrostatics.charge-table " + path("0.5.itp")}).find("already has charges"),
            std::string::npos);
}

TEST_F(StructureLabTest, PatchesAreListedOutlinedAndWritten) {
  ASSERT_EQ(run({"file.open " + folder_of_entries + "1FAS.pqr", "parameter.set spacing 1",
                 "parameter.set atoms false", "view.panel patches"}),
            "");
  auto& patches = table("patch-table");
  auto* model = patches.view()->model();
  ASSERT_TRUE(QTest::qWaitFor([&] { return model->rowCount() > 1; }, patience_ms));
  const int at_two = model->rowCount();
  double before = std::numeric_limits<double>::infinity();
  for (int row = 0; row < at_two; ++row) {
    const double area = cell(patches, row, 1).toDouble();
    EXPECT_LE(area, before);
    EXPECT_GE(area, 10);
    before = area;
    EXPECT_GE(std::abs(cell(patches, row, 2).replace(QChar(0x2212), '-').toDouble()), 2);
  }
  const QImage without = exported("without.png");
  click(patches, 0);
  ASSERT_TRUE(QTest::qWaitFor([&] { return exported("outlined.png") != without; }, patience_ms));
  EXPECT_EQ(value("patch"), "1");
  keep_window("patches");
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(exported("again.png"), without);
  // A patch of the threshold in another unit is the same patch.
  ASSERT_EQ(run({"parameter.set unit mV"}), "");
  EXPECT_NEAR(std::stod(value("patch-threshold")), 2 * 25.693, 0.01) << "kT/e at 298.15 K in mV";
  ASSERT_TRUE(QTest::qWaitFor([&] { return cell(patches, 0, 2).remove(QChar(0x2212)).toDouble() > 51; },
                              patience_ms));
  EXPECT_EQ(model->rowCount(), at_two);
  ASSERT_EQ(run({"parameter.set patch-threshold 1000"}), "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return model->rowCount() == 0; }, patience_ms));
  ASSERT_EQ(run({"edit.undo", "electrostatics.patches.export " + path("patches.csv")}), "");
  std::istringstream csv(read_text_file(path("patches.csv")));
  std::string line;
  int lines = 0;
  while (std::getline(csv, line)) lines += line.starts_with('#') ? 0 : 1;
  EXPECT_EQ(lines, at_two + 1);
}

/// Coulomb's sum over all other charges, in kT/e and kJ/mol.
TEST_F(StructureLabTest, AtomsAreATableOfPotentialsAndEnergies) {
  ASSERT_EQ(run({"file.open " + folder_of_entries + "1FAS.pqr", "parameter.set spacing 2",
                 "parameter.set method direct", "parameter.set solute-dielectric 2", "view.panel atoms"}),
            "");
  auto& atoms = table("atom-table");
  const auto charges = structures::read_pqr(folder_of_entries + "1FAS.pqr");
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return atoms.view()->model()->rowCount() == static_cast<int>(charges.size()); }, patience_ms));
  constexpr double kt_angstrom = 560.4592 / 2, kj_angstrom = 1389.35458 / 2;
  for (const int row : {0, 100, 500}) {
    const auto i = static_cast<std::size_t>(row);
    double sum = 0;
    for (std::size_t j = 0; j < charges.size(); ++j)
      sum += i == j ? 0 : charges.charge[j] / (charges.place(i) - charges.place(j)).norm();
    const auto number = [&](int column) {
      return cell(atoms, row, column).replace(QChar(0x2212), '-').toDouble();
    };
    EXPECT_EQ(number(0), row + 1);
    EXPECT_EQ(cell(atoms, row, 1).toStdString(), charges.labels[i].atom);
    EXPECT_NEAR(number(3), charges.charge[i], 6e-4);
    EXPECT_NEAR(number(5), kt_angstrom * sum, 0.06 + 1e-4 * std::abs(kt_angstrom * sum));
    EXPECT_NEAR(number(6), kj_angstrom * charges.charge[i] * sum, 0.06);
  }
  keep_window("charged-atoms");
  click(atoms, 2);
  ASSERT_TRUE(QTest::qWaitFor([&] { return value("selection") == "atom 3"; }, patience_ms))
      << value("selection");
  ASSERT_EQ(run({"electrostatics.atoms.export " + path("atoms.csv"), "parameter.set compare half-spacing"}),
            "");
  EXPECT_NE(read_text_file(path("atoms.csv")).find("\natom,name,residue,charge,radius,potential,energy\n1,"),
            std::string::npos);
  EXPECT_NE(run({"electrostatics.atoms.export " + path("none.csv")}).find("comparison"), std::string::npos);
}

/// On the sphere of a charge in vacuum, E = V / r.
TEST_F(StructureLabTest, ThePointerTellsHowStrongTheFieldIs) {
  std::ofstream(path("ion.pqr")) << "ATOM 1 NA NA A 1 0 0 0 1.0 4.0\n";
  ASSERT_EQ(run({"file.open " + path("ion.pqr"), "parameter.set method direct",
                 "parameter.set solute-dielectric 80", "parameter.set spacing 0.5", "parameter.set form vdw",
                 "parameter.set atoms false"}),
            "");
  auto& view = *window->findChild<scene::ViewWidget*>();
  const QPoint middle = view.rect().center() - QPoint(30, 0);
  QHelpEvent help(QEvent::ToolTip, middle, view.mapToGlobal(middle));
  QString tip;
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {
        QApplication::sendEvent(&view, &help);
        tip = QToolTip::text();
        return tip.contains("|E|: ");
      },
      patience_ms))
      << tip.toStdString();
  keep_window("field-tip");
  const auto number_behind = [&](const QString& what) {
    const auto start = tip.indexOf(what) + what.size();
    return tip.mid(start, tip.indexOf(' ', start) - start).toDouble();
  };
  EXPECT_TRUE(tip.contains(QString::fromUtf8(" kT/e/Å"))) << tip.toStdString();
  constexpr double c = 560.4592 / 80;
  EXPECT_NEAR(number_behind("Potential: "), c / 4, 0.05)
      << "to the digits of interpolation: " << tip.toStdString();
  EXPECT_NEAR(number_behind("|E|: "), c / 16, 0.04 * c / 16) << tip.toStdString();
}

TEST(StructureSettings, FilesMayMoveAlongWithTheMolecule) {
  QTemporaryDir folder;
  const auto at = [&](const char* name) {
    return std::filesystem::path(folder.filePath(name).toStdString());
  };
  ASSERT_TRUE(QDir(folder.path()).mkdir("one"));
  std::ofstream(at("one/table.csv")) << "residue,atom,charge,radius\nSO4,S,1,2\n";
  StructureSettings settings;
  settings.choices.force_field = structures::ForceField::parse;
  settings.choices.unknown_charges = "NAP=-4";
  settings.charges = at("one/table.csv");
  const auto state = state_of(settings, at("one/molecule.pdb"));
  std::filesystem::rename(at("one"), at("two"));
  std::vector<std::string> notes;
  const auto found = settings_of(state, at("two/molecule.pdb"), notes);
  EXPECT_EQ(found.charges, at("two/table.csv"));
  EXPECT_EQ(found.choices, settings.choices);
  EXPECT_TRUE(notes.empty());
  std::ofstream(at("two/table.csv"), std::ios::app) << "SO4,O1,-1,2\n";
  settings_of(state, at("two/molecule.pdb"), notes);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("has changed"), std::string::npos);
  // A session that was written by hand does no harm.
  notes.clear();
  const auto wrong = settings_of({{"force-field", 7}, {"charges", "x"}}, at("two/molecule.pdb"), notes);
  EXPECT_EQ(wrong.choices, structures::StructureChoices());
  EXPECT_EQ(notes.size(), 1U);
}

}  // namespace
}  // namespace isolume::labs::electrostatics
