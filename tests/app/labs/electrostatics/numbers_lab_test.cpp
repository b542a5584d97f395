/// Numbers of the whole picture, and the range of its colours, as people and scripts have them in the window.
#include <QFile>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/fields/chart.h"
#include "app/fields/field_panel.h"
#include "app/labs/electrostatics/panels/table_numbers.h"
#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"
#include "core/electrostatics/surfaces/grid_around.h"
#include "core/structures/pqr.h"
#include "tests/app/labs/electrostatics/lab_window.h"

namespace isolume::labs::electrostatics {
namespace {

namespace science = isolume::electrostatics;

const std::string fasciculin = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/1FAS.pqr";

class NumbersLabTest : public ElectrostaticsLabTest {
 protected:
  /// What a command tells scripts when all that it began has ended.
  nlohmann::json result(const std::string& line) {
    std::optional<jobs::Outcome> outcome;
    window->commands().start(line, [&](const jobs::Outcome& each) { outcome = each; });
    EXPECT_TRUE(QTest::qWaitFor([&] { return outcome.has_value(); }, patience_ms)) << line;
    EXPECT_EQ(outcome->error, "") << line;
    return outcome->result;
  }
  QString note() { return window->findChild<QLabel*>("field-panel.note")->text(); }
  bool is_noted(const QString& text) {
    return QTest::qWaitFor([&] { return note().contains(text); }, patience_ms);
  }
};

TEST(TableNumbers, AnUncertaintyHasOneDigitAndTheValueItsPlace) {
  for (const auto& [value, uncertainty, wanted] :
       {std::tuple(-1423.2, 3.11, "−1423 ± 3"), std::tuple(-1423.2, 0.034, "−1423.20 ± 0.03"),
        std::tuple(-1423.2, 31.1, "−1420 ± 30"), std::tuple(12.34, 0.96, "12 ± 1"),
        std::tuple(12.34, 0.94, "12.3 ± 0.9"), std::tuple(1234.0, 95.1, "1200 ± 100"),
        std::tuple(-0.2, 3.0, "0 ± 3"), std::tuple(5.0, 0.0, "5.0 ± 0.0")}) {
    EXPECT_EQ(text_with_uncertainty(value, uncertainty).toStdString(), wanted);
  }
}

TEST_F(NumbersLabTest, TheSolvationEnergyComesAfterThePicture) {
  ASSERT_EQ(run({"file.open " + fasciculin, "parameter.set spacing 1", "view.panel values"}), "");
  EXPECT_TRUE(is_noted("kJ/mol (±: difference to twice the spacing)")) << note().toStdString();
  keep_window("solvation-energy");
  const auto energy = result("electrostatics.energy");
  EXPECT_EQ(energy["method"], "pb-linear");
  // The same equation, solved for itself.
  const auto charges = structures::read_pqr(fasciculin);
  science::PotentialOptions how;
  how.method = science::Method::pb_linear;
  how.solute_dielectric = 2;
  const auto alone = science::PoissonBoltzmann(charges, science::grid_around(charges, 1, 10))
                         .solve(how, {.estimate_error = true, .keep = false})
                         .energy;
  const double wanted = alone->kj_per_mol;
  EXPECT_NEAR(energy["kj_per_mol"].get<double>(), wanted, 1e-3 * std::abs(wanted));
  EXPECT_NEAR(energy["error_kj_per_mol"].get<double>(), *alone->error_kj_per_mol, 2e-3 * std::abs(wanted));
  ASSERT_EQ(run({"parameter.set method direct"}), "");
  EXPECT_EQ(note(), "");
  EXPECT_NE(run({"electrostatics.energy"}).find("Only the Poisson-Boltzmann methods"), std::string::npos);
}

TEST_F(NumbersLabTest, TheSizeOfADifferenceIsTold) {
  ASSERT_EQ(run({"file.open " + fasciculin, "parameter.set spacing 1", "view.panel values"}), "");
  EXPECT_NE(run({"electrostatics.comparison"}).find("No comparison is shown"), std::string::npos);
  ASSERT_EQ(run({"parameter.set compare half-spacing"}), "");
  EXPECT_TRUE(is_noted("Difference on the surface: RMS ")) << note().toStdString();
  EXPECT_TRUE(is_noted("Difference in the map: RMS ")) << note().toStdString();
  const auto difference = result("electrostatics.comparison");
  EXPECT_EQ(difference["unit"], "kT/e");
  EXPECT_GT(difference["map"]["rms"].get<double>(), 0);
  EXPECT_GE(std::abs(difference["map"]["largest"].get<double>()), difference["map"]["rms"].get<double>());
  EXPECT_LT(difference["surface"]["rms"].get<double>(), difference["map"]["rms"].get<double>())
      << "away from the charges a grid is good";
}

TEST_F(NumbersLabTest, AFreeRangeIsUndoneAndKept) {
  ASSERT_EQ(run({"file.open " + fasciculin, "parameter.set spacing 1"}), "");
  const QImage locked = exported("locked.png");
  EXPECT_EQ(value("colour-range"), "locked");
  ASSERT_EQ(run({"parameter.set colour-low -1", "parameter.set colour-high 20"}), "");
  EXPECT_EQ(value("colour-range"), "free") << "whoever moves an end wants it";
  const QImage free = exported("free.png");
  EXPECT_NE(free, locked);
  keep_window("free-range");
  ASSERT_EQ(run({"session.save " + path("free.isolume"), "edit.undo", "edit.undo"}), "");
  EXPECT_EQ(value("colour-range"), "locked");
  EXPECT_EQ(exported("again.png"), locked);
  ASSERT_EQ(run({"session.open " + path("free.isolume")}), "");
  EXPECT_EQ(value("colour-range"), "free");
  EXPECT_EQ(value("colour-high"), "20");
  // In another unit the picture is the same.
  ASSERT_EQ(run({"parameter.set unit mV"}), "");
  EXPECT_NEAR(std::stod(value("colour-high")), 20 * 25.693, 0.1);
  EXPECT_NEAR(std::stod(value("colour-low")), -25.693, 0.01);
}

TEST_F(NumbersLabTest, TheFieldIsChartedBetweenTwoSelectedAtoms) {
  ASSERT_EQ(run({"file.open " + fasciculin, "parameter.set spacing 1", "view.panel values",
                 "electrostatics.select atom 1 20"}),
            "");
  const auto charges = structures::read_pqr(fasciculin);
  const auto& chart = window->findChild<fields::Chart*>("field-panel.line")->data();
  EXPECT_NEAR(chart.high, (charges.place(0) - charges.place(19)).norm(), 1e-6);
  EXPECT_EQ(chart.x_name, "From THR A 1, " + QString::fromStdString(charges.labels[0].atom) + " to " +
                              QString::fromStdString(structures::name_of_residue(charges.labels[19]) + ", " +
                                                     charges.labels[19].atom));
  EXPECT_FALSE(chart.values.empty());
  ASSERT_EQ(run({"electrostatics.select atom 1 20 30"}), "");
  EXPECT_TRUE(chart.values.empty());
  // One that was given by its places is nobody's selection.
  ASSERT_EQ(run({"electrostatics.line 0 0 0 10 0 0", "electrostatics.select atom 5"}), "");
  EXPECT_NEAR(chart.high, 10, 1e-9);
}

}  // namespace
}  // namespace isolume::labs::electrostatics
