#include "app/labs/orbitals/orbital_table.h"

#include <QComboBox>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <limits>

#include <gtest/gtest.h>

#include "core/base/resources.h"
#include "core/molecules/document.h"

namespace isolume::labs::orbitals {
namespace {

std::shared_ptr<const molecules::Wavefunction> sample(const char* name) {
  return molecules::read_document(resource(name)).wavefunction;
}

QString cell(const QAbstractItemModel& model, int row, int column) {
  return model.index(row, column).data().toString();
}

class OrbitalTableTest : public testing::Test {
 protected:
  std::shared_ptr<const molecules::Wavefunction> benzene = sample("samples/benzene.fchk.gz");
};

// The numbers are those of the FCHK file's "Alpha Orbital Energies" (102 of them, 21 occupied).
TEST_F(OrbitalTableTest, ShowsTheNumbersOfTheFile) {
  OrbitalModel model;
  model.set_orbitals(benzene, 0);
  ASSERT_EQ(model.rowCount(), 102);
  EXPECT_EQ(cell(model, 0, OrbitalModel::energy_hartree), QStringLiteral("−11.23407"));
  EXPECT_EQ(cell(model, 20, OrbitalModel::number), QStringLiteral("21"));
  EXPECT_EQ(cell(model, 20, OrbitalModel::energy_hartree), QStringLiteral("−0.32892"));
  EXPECT_EQ(cell(model, 20, OrbitalModel::energy_ev), QStringLiteral("−8.950"));  // -0.328915832 x 27.211386
  EXPECT_EQ(cell(model, 20, OrbitalModel::occupation), QStringLiteral("2"));
  EXPECT_EQ(cell(model, 20, OrbitalModel::frontier), QStringLiteral("HOMO"));
  EXPECT_EQ(cell(model, 19, OrbitalModel::frontier), QStringLiteral("HOMO-1"));
  EXPECT_EQ(cell(model, 21, OrbitalModel::frontier), QStringLiteral("LUMO"));
  EXPECT_EQ(cell(model, 21, OrbitalModel::energy_hartree), QStringLiteral("0.14681"));
  EXPECT_EQ(cell(model, 21, OrbitalModel::occupation), QStringLiteral("0"));
}

TEST_F(OrbitalTableTest, NarrowTablesAreScrolledToTheirLastColumns) {
  OrbitalTable table;
  auto open_shell = std::make_shared<molecules::Wavefunction>(*sample("samples/oxygen-triplet.fchk.gz"));
  for (auto& each : open_shell->sets[0].orbitals) each.symmetry = "12e1g";
  table.set_orbitals(open_shell, 0);
  table.resize(384, 300);  // the room of a dock in a new window: 30 % of 1280 pixels
  table.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&table));
  const auto* view = table.view();
  for (int column = 0; column < OrbitalModel::column_count; ++column)
    EXPECT_FALSE(view->isColumnHidden(column)) << column;
  const auto end = [&](int column) {
    return view->columnViewportPosition(column) + view->columnWidth(column);
  };
  EXPECT_LE(end(OrbitalModel::energy_ev), view->viewport()->width());
  EXPECT_GT(end(OrbitalModel::frontier), view->viewport()->width());
  view->horizontalScrollBar()->setValue(view->horizontalScrollBar()->maximum());
  EXPECT_LE(end(OrbitalModel::frontier), view->viewport()->width());
}

TEST_F(OrbitalTableTest, SortsNumbersAsNumbers) {
  OrbitalModel model;
  model.set_orbitals(benzene, 0);
  OrbitalFilter filter;
  filter.setSourceModel(&model);
  filter.sort(OrbitalModel::energy_hartree, Qt::DescendingOrder);
  EXPECT_EQ(cell(filter, 0, OrbitalModel::energy_hartree), QStringLiteral("5.09530"));
  EXPECT_EQ(cell(filter, 101, OrbitalModel::number), QStringLiteral("1"));
  filter.sort(OrbitalModel::number, Qt::AscendingOrder);
  EXPECT_EQ(cell(filter, 9, OrbitalModel::number), QStringLiteral("10"));  // as text, 10 would follow 1
}

TEST_F(OrbitalTableTest, OrbitalsWithoutAnEnergyStandLast) {
  auto some = std::make_shared<molecules::Wavefunction>();
  molecules::OrbitalSet set;
  for (const double energy : {0.5, std::numeric_limits<double>::quiet_NaN(), -0.5}) {
    set.orbitals.push_back({molecules::Spin::alpha, 0, energy, ""});
  }
  some->sets.push_back(set);
  OrbitalModel model;
  model.set_orbitals(some, 0);
  OrbitalFilter filter;
  filter.setSourceModel(&model);
  filter.sort(OrbitalModel::energy_ev, Qt::AscendingOrder);
  EXPECT_EQ(cell(filter, 0, OrbitalModel::number), QStringLiteral("3"));
  EXPECT_EQ(cell(filter, 2, OrbitalModel::number), QStringLiteral("2"));
  EXPECT_EQ(cell(filter, 2, OrbitalModel::energy_ev), QStringLiteral("–"));
}

TEST_F(OrbitalTableTest, FiltersByTextOccupationAndSpin) {
  OrbitalModel model;
  model.set_orbitals(benzene, 0);
  OrbitalFilter filter;
  filter.setSourceModel(&model);
  filter.set_occupied(OrbitalFilter::Occupied::yes);
  EXPECT_EQ(filter.rowCount(), 21);
  filter.set_occupied(OrbitalFilter::Occupied::no);
  EXPECT_EQ(filter.rowCount(), 81);
  filter.set_occupied(OrbitalFilter::Occupied::any);
  filter.set_text(QStringLiteral("2"));
  ASSERT_EQ(filter.rowCount(), 1);
  EXPECT_EQ(cell(filter, 0, OrbitalModel::number), QStringLiteral("2"));
  filter.set_text(QStringLiteral("lumo+1"));
  EXPECT_EQ(cell(filter, 0, OrbitalModel::number), QStringLiteral("23"));

  OrbitalModel triplet;
  triplet.set_orbitals(sample("samples/oxygen-triplet.fchk.gz"), 0);
  ASSERT_EQ(triplet.rowCount(), 72);
  filter.set_text({});
  filter.setSourceModel(&triplet);
  filter.set_spin(molecules::Spin::beta);
  filter.set_occupied(OrbitalFilter::Occupied::yes);
  EXPECT_EQ(filter.rowCount(), 7);
  filter.set_spin(molecules::Spin::alpha);
  EXPECT_EQ(filter.rowCount(), 9);
}

TEST_F(OrbitalTableTest, ArrowKeysStepAndSelectionFromElsewhereIsSilent) {
  OrbitalTable table;
  table.set_orbitals(benzene, 0);
  table.show();
  QSignalSpy chosen(&table, &OrbitalTable::orbital_chosen);
  table.set_chosen(20);
  EXPECT_EQ(chosen.count(), 0);
  EXPECT_EQ(table.view()->currentIndex().siblingAtColumn(OrbitalModel::number).data().toString(),
            QStringLiteral("21"));
  QTest::keyClick(table.view(), Qt::Key_Down);
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen.takeFirst().first().toInt(), 21);
  QTest::keyClick(table.view(), Qt::Key_Up);
  QTest::keyClick(table.view(), Qt::Key_Up);
  ASSERT_EQ(chosen.count(), 2);
  EXPECT_EQ(chosen.takeLast().first().toInt(), 19);
}

TEST_F(OrbitalTableTest, ChoosingASetOfTheFile) {
  auto two_sets = std::make_shared<molecules::Wavefunction>(*benzene);
  two_sets->sets.push_back(two_sets->sets.front());
  two_sets->sets.back().name = "localised";
  OrbitalTable table;
  table.set_orbitals(two_sets, 0);
  table.show();
  auto* chooser = table.findChildren<QComboBox*>().front();
  for (auto* each : table.findChildren<QComboBox*>()) {
    if (each->itemText(1).startsWith(QLatin1String("localised"))) chooser = each;
  }
  ASSERT_TRUE(chooser->isVisible());
  QSignalSpy chosen(&table, &OrbitalTable::set_chosen_by_person);
  QTest::keyClick(chooser, Qt::Key_Down);
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen.first().first().toInt(), 1);
}

TEST_F(OrbitalTableTest, TenThousandOrbitals) {
  auto large = std::make_shared<molecules::Wavefunction>();
  molecules::OrbitalSet set;
  for (int i = 0; i < 10000; ++i)
    set.orbitals.push_back({molecules::Spin::alpha, i < 4000 ? 2.0 : 0.0, -10 + 0.002 * i, "a"});
  large->sets.push_back(set);
  OrbitalTable table;
  table.set_orbitals(large, 0);
  table.show();
  table.set_chosen(9999);
  EXPECT_EQ(table.view()->model()->rowCount(), 10000);
  EXPECT_EQ(table.view()->currentIndex().row(), 9999);
  EXPECT_EQ(table.view()->currentIndex().siblingAtColumn(OrbitalModel::frontier).data().toString(),
            QStringLiteral("LUMO+5999"));
}

}  // namespace
}  // namespace isolume::labs::orbitals
