// Atoms and residues chosen with the mouse, in the table and by commands.
#include <QHelpEvent>
#include <QTableView>
#include <QTest>
#include <QToolTip>
#include <QUndoStack>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <utility>

#include <gtest/gtest.h>
#include <vtkRenderer.h>

#include "app/labs/electrostatics/panels/residue_table.h"
#include "app/scene/view/view_widget.h"
#include "core/electrostatics/maps/opendx.h"
#include "core/structures/pqr.h"
#include "tests/app/labs/electrostatics/lab_window.h"

namespace isolume::labs::electrostatics {
namespace {

const std::string fasciculin = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/1FAS.pqr";

class SelectionLabTest : public ElectrostaticsLabTest {
 protected:
  scene::ViewWidget& view() { return *window->findChild<scene::ViewWidget*>(); }

  /// Where in the view a place is seen, and how far away, from 0 to 1.
  std::pair<QPoint, double> seen(const Eigen::Vector3d& place) {
    auto& renderer = *view().renderer();
    renderer.SetWorldPoint(place.x(), place.y(), place.z(), 1);
    renderer.WorldToDisplay();
    const double* at = renderer.GetDisplayPoint();
    const int* size = renderer.GetSize();
    return {{static_cast<int>(std::lround(at[0] / size[0] * view().width())),
             static_cast<int>(std::lround((1 - at[1] / size[1]) * view().height()))},
            at[2]};
  }
  /// Of all atoms, the one that is nearest to the eye: nothing lies before it.
  std::size_t nearest_atom(bool farthest = false) {
    std::size_t found = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < charges.size(); ++i) {
      const double depth = (farthest ? -1 : 1) * seen(charges.place(i)).second;
      if (depth < least) std::tie(found, least) = std::pair(i, depth);
    }
    return found;
  }
  void click_on(const QPoint& place, Qt::KeyboardModifiers keys = {}) {
    QTest::mouseClick(&view(), Qt::LeftButton, keys, place);
    // Refused until the job has ended.
    ASSERT_TRUE(QTest::qWaitFor([&] { return run({"electrostatics.selection"}).empty(); }, patience_ms));
  }
  std::string residue_expression(std::size_t atom) const {
    return "chain A and number " + std::to_string(charges.labels[atom].number);
  }
  QString tip_at(const QPoint& place) {
    QToolTip::hideText();
    EXPECT_TRUE(QTest::qWaitFor([] { return !QToolTip::isVisible(); }, patience_ms));
    QHelpEvent help(QEvent::ToolTip, place, view().mapToGlobal(place));
    QApplication::sendEvent(&view(), &help);
    return QToolTip::text();
  }
  QPoint corner() { return {3, view().height() - 4}; }

  const structures::Charges charges = structures::read_pqr(fasciculin);
};

TEST_F(SelectionLabTest, AClickSelectsAnAtomOrItsResidue) {
  ASSERT_EQ(run({"file.open " + fasciculin, "parameter.set spacing 1", "electrostatics.show nothing",
                 "parameter.set pick atom"}),
            "");
  const std::size_t atom = nearest_atom();
  const auto place = seen(charges.place(atom)).first;
  click_on(place);
  EXPECT_EQ(value("selection"), "atom " + std::to_string(atom + 1));
  ASSERT_EQ(run({"electrostatics.selection", "parameter.set pick residue"}), "");
  click_on(place);
  EXPECT_EQ(value("selection"), residue_expression(atom));
  const auto& label = charges.labels[atom];
  const auto told =
      QString::fromStdString(label.residue + " A " + std::to_string(label.number) + ", " + label.atom);
  // A picture that comes late may move the camera, and takes tips with it.
  const auto tip = [&] { return tip_at(seen(charges.place(atom)).first); };
  EXPECT_TRUE(QTest::qWaitFor([&] { return tip().startsWith(told); }, patience_ms)) << tip().toStdString();
  keep_window("halos");
  click_on(corner());
  EXPECT_EQ(value("selection"), "");
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("selection"), residue_expression(atom));
}

TEST_F(SelectionLabTest, WithControlResiduesComeAndGo) {
  ASSERT_EQ(run({"file.open " + fasciculin, "parameter.set spacing 1", "electrostatics.show nothing"}), "");
  const std::size_t first = nearest_atom();
  std::size_t second = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const auto [there, depth] = seen(charges.place(i));
    const bool apart = (there - seen(charges.place(first)).first).manhattanLength() > 60;
    if (apart && charges.labels[i].number != charges.labels[first].number && depth < least)
      std::tie(second, least) = std::pair(i, depth);
  }
  click_on(seen(charges.place(first)).first);
  click_on(seen(charges.place(second)).first, Qt::ControlModifier);
  EXPECT_EQ(value("selection"), residue_expression(first) + " or " + residue_expression(second));
  click_on(corner(), Qt::ShiftModifier);
  EXPECT_NE(value("selection"), "") << "a click that adds, adds nothing here";
  click_on(seen(charges.place(first)).first, Qt::ShiftModifier);
  EXPECT_EQ(value("selection"), residue_expression(second));
  ASSERT_EQ(run({"electrostatics.select all"}), "");
  click_on(seen(charges.place(first)).first, Qt::ControlModifier);
  EXPECT_EQ(value("selection"), "all and not (" + residue_expression(first) + ")");
}

TEST_F(SelectionLabTest, TheSurfaceHidesWhatIsBehindIt) {
  ASSERT_EQ(run({"file.open " + fasciculin, "parameter.set spacing 1", "view.panel residues"}), "");
  auto* const table = window->findChild<ResidueTable*>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return table->values() != nullptr; }, patience_ms));
  const auto place = seen(charges.place(nearest_atom(true))).first;
  click_on(place);
  const std::string chosen = value("selection");
  ASSERT_TRUE(chosen.starts_with("chain A and number ")) << chosen;
  // The residue is on this side: some atom of it is nearer to the eye than the molecule's middle.
  const int number = std::stoi(chosen.substr(19));
  double nearest = 1, sum = 0;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double depth = seen(charges.place(i)).second;
    sum += depth;
    if (charges.labels[i].number == number) nearest = std::min(nearest, depth);
  }
  EXPECT_LT(nearest, sum / static_cast<double>(charges.size()));
  EXPECT_NE(status().find("at this point of the surface"), std::string::npos) << status();
  EXPECT_NE(status().find("kT/e"), std::string::npos) << status();
  // Its row is the table's; and a row is what is selected.
  EXPECT_EQ(table->chosen(), number - 1);
  keep_window("picked");
  table->view()->setFocus();
  QTest::mouseClick(table->view()->viewport(), Qt::LeftButton, {},
                    table->view()->visualRect(table->view()->model()->index(number - 2, 0)).center());
  EXPECT_EQ(value("selection"), "chain A and number " + std::to_string(number - 1));
}

TEST_F(SelectionLabTest, ThePointerTellsThePotentialOfTheMap) {
  ASSERT_EQ(run({"file.open " + fasciculin, "parameter.set spacing 1", "electrostatics.show nothing",
                 "file.export " + path("map.dx")}),
            "");
  const auto map = isolume::electrostatics::read_opendx(path("map.dx"));
  const std::size_t atom = nearest_atom();
  const QString tip = tip_at(seen(charges.place(atom)).first);
  // "... Potential: −12.3 kT/e at its centre, ..."
  const auto start = tip.indexOf("Potential: ") + 11;
  QString number = tip.mid(start, tip.indexOf(" kT/e") - start).replace(QChar(0x2212), '-');
  EXPECT_NEAR(number.toDouble(), grid::interpolate(map, charges.place(atom)),
              1e-3 * std::abs(number.toDouble()) + 1e-3)
      << tip.toStdString();
  EXPECT_TRUE(tip_at(corner()).isEmpty());
}

TEST_F(SelectionLabTest, ResiduesThatAreCalledTheSameAreToldByAnAtom) {
  std::ofstream(path("twice.pqr")) << "ATOM 1 OW HOH W 1 0 0 0 -0.8 1.8\n"
                                      "ATOM 2 HW HOH W 1 1 0 0 0.8 0.5\n"
                                      "ATOM 3 OW HOH W 1 9 0 0 -0.8 1.8\n"
                                      "ATOM 4 HW HOH W 1 10 0 0 0.8 0.5\n";
  ASSERT_EQ(run({"file.open " + path("twice.pqr"), "parameter.set spacing 1",
                 "electrostatics.residue HOH W 1 (2)"}),
            "");
  EXPECT_EQ(value("selection"), "residues of atom 3");
  EXPECT_NE(status().find("2 atoms of HOH W 1 (2) selected, charge 0.00 e"), std::string::npos) << status();
}

}  // namespace
}  // namespace isolume::labs::electrostatics
