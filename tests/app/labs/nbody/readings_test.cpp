// What the lab tells of the bodies while they move: forces on one and at a place, and how fast and exact the runs are.
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QHeaderView>
#include <QImage>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QTreeWidget>
#include <atomic>
#include <cmath>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <vtkPropCollection.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkTextActor.h>

#include "app/labs/nbody/read_out.h"
#include "app/scene/drawing/overlays.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/window/main_window.h"
#include "core/base/shown_number.h"
#include "core/nbody/files/csv.h"
#include "core/nbody/files/trajectory.h"
#include "tests/app/lab_window_test.h"

namespace isolume::labs::nbody {

workbench::LabEntry lab_entry();

namespace {

using Eigen::Vector3d;
using isolume::nbody::Bodies;

class NBodyReadingsTest : public LabWindowTest {
 protected:
  NBodyReadingsTest() : LabWindowTest({lab_entry()}) {}
  Bodies exported(const char* name) {
    EXPECT_EQ(run({"file.export " + path(name)}), "");
    return isolume::nbody::read_bodies_csv(path(name));
  }
  /// In the Body panel; nothing where there is no such table or line.
  std::optional<std::string> shown(const char* table, const char* quantity, int column = 1) {
    for (auto* each : window->findChildren<QTreeWidget*>()) {
      if (each->accessibleName() != table || !each->isVisible()) continue;
      for (int i = 0; i < each->topLevelItemCount(); ++i) {
        if (each->topLevelItem(i)->text(0) == quantity)
          return each->topLevelItem(i)->text(column).toStdString();
      }
    }
    return std::nullopt;
  }
  std::optional<std::string> unit(const char* table, const char* quantity) {
    return shown(table, quantity, 2);
  }
  bool comes_to_show(const char* table, const char* quantity, const std::string& value) {
    return QTest::qWaitFor([&] { return shown(table, quantity) == value; }, patience_ms);
  }
  /// The run's, and the branch's where there is one.
  std::vector<scene::ViewWidget*> views() {
    std::vector<scene::ViewWidget*> found{&window->view()};
    for (auto* each : window->findChildren<scene::ViewWidget*>()) {
      if (each->isVisible() && each != found.front()) found.push_back(each);
    }
    return found;
  }
  /// What is written in the lower left corner of a view.
  static std::string read_out(const scene::ViewWidget& view) {
    auto* props = view.renderer()->GetViewProps();
    props->InitTraversal();
    while (vtkProp* prop = props->GetNextProp()) {
      auto* text = vtkTextActor::SafeDownCast(prop);
      if (text == nullptr || text->GetVisibility() == 0) continue;
      if (std::string(text->GetInput()).find("Energy error") != std::string::npos) return text->GetInput();
    }
    return {};
  }
  QImage picture(const char* name) {
    EXPECT_EQ(run({"file.export-image " + path(name) + " 480x360"}), "");
    return QImage(QString::fromStdString(path(name)));
  }
};

Vector3d vector_of(const nlohmann::json& numbers) {
  return {numbers.at(0).get<double>(), numbers.at(1).get<double>(), numbers.at(2).get<double>()};
}

/// In double precision, as Plummer's softening is defined; the body at the place is left out.
Vector3d pull_at(const Bodies& bodies, const Vector3d& at, double softening,
                 std::optional<std::size_t> on = {}) {
  Vector3d pull(0, 0, 0);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (i == on) continue;
    const Vector3d to = Vector3d(bodies.x[i], bodies.y[i], bodies.z[i]) - at;
    pull += bodies.mass[i] * to / std::pow(to.squaredNorm() + softening * softening, 1.5);
  }
  return pull;
}

TEST_F(NBodyReadingsTest, TheForceOnABodyIsBesideTheExactOne) {
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene plummer 2000 7", "parameter.set opening-angle 1",
                 "nbody.step 3", "nbody.pick 17", "view.panel Body"}),
            "");
  const auto reading = answer("nbody.body");
  EXPECT_EQ(reading["step"], 3);
  const Bodies bodies = exported("bodies.csv");
  constexpr std::size_t on = 16;  // numbers begin with 1
  const Vector3d here(bodies.x[on], bodies.y[on], bodies.z[on]);
  const double softening = std::stod(value("softening"));
  ASSERT_GT(softening, 0);
  const Vector3d expected = pull_at(bodies, here, softening, on),
                 exact = vector_of(reading["exact_acceleration"]), found = vector_of(reading["acceleration"]);
  EXPECT_LT((exact - expected).norm(), 1e-5 * expected.norm()) << "frames are in single precision";
  const auto error = reading["force_error"].get<double>();
  EXPECT_NEAR(error, (found - exact).norm() / exact.norm(), 1e-12);
  EXPECT_GT(error, 1e-8);
  EXPECT_LT(error, 0.05);
  EXPECT_NEAR(reading["potential"].get<double>(), reading["exact_potential"].get<double>(),
              0.01 * std::abs(reading["exact_potential"].get<double>()));
  EXPECT_TRUE(comes_to_show("The chosen body", "Forces at step", "3"));
  EXPECT_EQ(shown("The chosen body", "Force error"), shown_reading(error, 4));
  ASSERT_EQ(run({"nbody.step 2"}), "");
  EXPECT_TRUE(comes_to_show("The chosen body", "Forces at step", "5")) << "it follows what is shown";
  ASSERT_EQ(run({"nbody.pick -1"}), "");
  EXPECT_TRUE(comes_to_show("The chosen body", "Forces at step", ""));
}

TEST_F(NBodyReadingsTest, InAComovingBoxTheyArePeculiar) {
  ASSERT_EQ(run({"lab.show nbody", "parameter.set particles-per-side 8", "nbody.scene cosmological-box"}),
            "");
  constexpr double a = 1 / 50.0, near = 0.2;  // it begins at a redshift of 49; Mpc/h
  const auto at = [&](double x) { return answer("nbody.probe " + std::to_string(x) + " 40 50"); };
  const auto reading = at(31);
  EXPECT_NEAR(reading["scale_factor"].get<double>(), a, 1e-9);
  // Minus the gradient of the potential by physical lengths.
  const double slope =
      (at(31 + near)["exact_potential"].get<double>() - at(31 - near)["exact_potential"].get<double>()) /
      (2 * near * a);
  const Vector3d exact = vector_of(reading["exact_acceleration"]), found = vector_of(reading["acceleration"]);
  EXPECT_NEAR(exact.x(), -slope, 0.01 * std::abs(slope));
  EXPECT_LT((found - exact).norm(), 0.01 * exact.norm());
  EXPECT_NEAR(reading["potential"].get<double>(), reading["exact_potential"].get<double>(),
              0.03 * std::abs(reading["exact_potential"].get<double>()))
      << "near a lattice little is left of it";
  ASSERT_EQ(run({"nbody.pick 100"}), "");
  const auto body = answer("nbody.body");
  EXPECT_NEAR(body["potential"].get<double>(), body["exact_potential"].get<double>(),
              0.01 * std::abs(body["exact_potential"].get<double>()));
}

/// By E. M. Standish's elements of 2000 January 1 (JPL Solar System Dynamics, table 1), and Kepler's third law with the
/// masses of both.
TEST_F(NBodyReadingsTest, TheOrbitOfJupiterIsThePublishedOne) {
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system", "nbody.pick 6", "view.panel Body"}), "");
  const char* table = "The chosen body";
  ASSERT_TRUE(comes_to_show(table, "Orbit about", "Sun (body 1)"));
  EXPECT_EQ(shown(table, "Semi-major axis"), "5.203");
  EXPECT_EQ(shown(table, "Eccentricity"), "0.04839");
  EXPECT_EQ(shown(table, "Inclination"), "1.304");
  EXPECT_EQ(shown(table, "Longitude of ascending node"), "100.5");
  EXPECT_EQ(shown(table, "Argument of pericentre"), "274.3");
  EXPECT_EQ(shown(table, "Mean anomaly"), "19.67");
  EXPECT_EQ(shown(table, "Period"), "11.86");
  EXPECT_EQ(shown(table, "Pericentre distance"), "4.951");
  EXPECT_EQ(shown(table, "Apocentre distance"), "5.455");
  EXPECT_EQ(unit(table, "Period"), "yr");
  EXPECT_EQ(unit(table, "Semi-major axis"), "au");
  EXPECT_EQ(unit(table, "Speed"), "km/s");
  EXPECT_NEAR(std::stod(shown(table, "Speed").value()), 13.4, 0.4) << "13.07 on average, faster near the Sun";
  const auto orbit = answer("nbody.body").at("orbit");
  EXPECT_EQ(orbit.at("kind"), "ellipse");
  EXPECT_NEAR(orbit.at("semi_major_axis").get<double>(), 5.20288700, 1e-5);
  ASSERT_EQ(run({"nbody.orbit-about barycentre"}), "");
  EXPECT_TRUE(comes_to_show(table, "Orbit about", "barycentre of\nall other\nbodies"));
  EXPECT_NEAR(answer("nbody.body")["orbit"]["about_mass"].get<double>(),
              1 + 1 / 3497.9018 + 1 / 22902.98 + 1 / 19412.26, 1e-5)
      << "the Sun, Saturn, Uranus, Neptune and light ones";
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_TRUE(comes_to_show(table, "Orbit about", "Sun (body 1)"));
  ASSERT_EQ(run({"nbody.pick -1"}), "");
  EXPECT_TRUE(comes_to_show(table, "Orbit about", ""));
}

TEST_F(NBodyReadingsTest, NumbersOfTheRunHaveTheUnitsOfTheBodies) {
  const auto unit = [&](const char* key) { return window->lab().parameters()->description(key).unit; };
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene plummer 50"}), "");
  EXPECT_EQ(unit("dt"), "") << "G = 1";
  ASSERT_EQ(run({"nbody.scene solar-system"}), "");
  EXPECT_EQ(unit("dt"), "units of 0.1592 yr") << "Kepler's third law: a year divided by 2 pi";
  EXPECT_EQ(unit("softening"), "au");
  EXPECT_EQ(unit("probe-x"), "au");
}

TEST_F(NBodyReadingsTest, AGalaxyHasTheUnitsOfGalaxies) {
  ASSERT_EQ(
      run({"lab.show nbody", "nbody.scene galaxy 500", "nbody.step 5", "nbody.pick 7", "view.panel Body"}),
      "");
  // 0.02 units of 10.956 Myr for each of five steps, as a year is 2 pi units for planets.
  EXPECT_TRUE(status().starts_with("Step 5, t = 1.0956 Myr | 500 bodies")) << status();
  const auto reading = answer("nbody.body");  // with G = 1
  const char* table = "The chosen body";
  EXPECT_TRUE(comes_to_show(table, "Mass", shown_reading(5 * reading["mass"].get<double>())));
  EXPECT_EQ(unit(table, "Mass"), "10¹⁰ M⊙");
  EXPECT_EQ(shown(table, "Speed"), shown_reading(267.731 * reading["speed"].get<double>(), 4));
  EXPECT_EQ(unit(table, "Speed"), "km/s");
  EXPECT_EQ(unit(table, "Position x, y, z"), "kpc");
  EXPECT_EQ(shown(table, "Name"), "disc");
  const auto* set = window->lab().parameters();
  EXPECT_EQ(set->description("dt").unit, "units of 10.96 Myr");
  EXPECT_EQ(set->description("softening").unit, "units of 3 kpc");
  EXPECT_EQ(set->description("new-body-mass").unit, "units of 5e10 solar masses");
}

TEST_F(NBodyReadingsTest, NoChosenBodyIsSaidInWords) {
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene plummer 50"}), "");
  const auto text = [&](const char* name) {
    const auto* box = window->findChild<QDoubleSpinBox*>(name);
    return box == nullptr ? std::string("no such box") : box->text().toStdString();
  };
  EXPECT_EQ(text("body.number"), "None");
  EXPECT_EQ(text("tree-levels.number"), "None");
  EXPECT_EQ(text("threads.number"), "All processors");
  ASSERT_EQ(run({"nbody.pick 3"}), "");
  EXPECT_EQ(text("body.number"), "3");
}

/// The ring's colour and its rim contrast with any background, whatever was drawn before.
TEST_F(NBodyReadingsTest, TheRingAboutAPlanetIsBright) {
  ASSERT_EQ(
      run({"lab.show nbody", "nbody.scene solar-system", "view.preset top", "nbody.pick 6", "nbody.step 3"}),
      "");
  for (const bool draft : {false, true}) {
    window->view().render_window()->SetDesiredUpdateRate(draft ? 10 : 1e-4);
    const QImage image = window->view().grabFramebuffer();
    int bright = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        const QColor at = image.pixelColor(x, y);
        bright += at.red() > 180 && at.green() > 120 && at.blue() < 110 ? 1 : 0;  // #f0b840
      }
    }
    // About a circle of 22 points and 2.4 points thick, 166 pixels.
    EXPECT_GT(bright, 80) << draft;
  }
}

/// At the width that the panels ask for.
TEST_F(NBodyReadingsTest, UnitsAreNotCutOff) {
  window->resize(1280, 800);
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system", "nbody.pick 6", "view.panel Body"}), "");
  ASSERT_TRUE(comes_to_show("The chosen body", "Orbit about", "Sun (body 1)"));
  EXPECT_EQ(unit("The chosen body", "Mass"), "M⊙");
  EXPECT_EQ(unit("The chosen body", "Energy"), "M⊙ · (km/s)²");
  for (const auto& [scene, panel] :  // with units and without
       {std::pair("solar-system", "Body"), std::pair("plummer 50", "Body"),
        std::pair("solar-system", "Diagnostics"), std::pair("plummer 50", "Diagnostics")}) {
    ASSERT_EQ(run({std::string("nbody.scene ") + scene, "nbody.pick 6", std::string("view.panel ") + panel,
                   "nbody.step 4"}),
              "");
    for (auto* table : window->findChildren<QTreeWidget*>()) {
      if (!table->isVisible()) continue;
      QWidget* asks = table->parentWidget();
      window->resizeDocks({qobject_cast<QDockWidget*>(asks->parentWidget())}, {asks->sizeHint().width()},
                          Qt::Horizontal);
      EXPECT_TRUE(QTest::qWaitFor([&] { return table->header()->length() <= table->viewport()->width(); },
                                  patience_ms))
          << scene;
      for (int i = 0; i < table->topLevelItemCount(); ++i) {
        for (const int column : {0, 1, 2}) {
          const int end =
              column < 2 ? table->header()->sectionViewportPosition(column + 1) : table->viewport()->width();
          const int room = end - table->header()->sectionViewportPosition(column);
          for (const QString& line : table->topLevelItem(i)->text(column).split('\n'))
            EXPECT_LT(table->fontMetrics().horizontalAdvance(line), room)
                << scene << ": " << line.toStdString();
        }
      }
    }
  }
}

/// A name is next to its body, or left out; not on the bar of the colours, however bodies are seen.
TEST_F(NBodyReadingsTest, NamesLeaveTheColourBarFree) {
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system", "view.preset top"}), "");
  auto& renderer = *window->view().renderer();
  int seen = 0;
  for (int zoom = 0; zoom < 12; ++zoom) {
    ASSERT_EQ(run({"view.zoom-in"}), "");
    window->view().grabFramebuffer();
    const auto overlays = scene::overlays_of(renderer);
    ASSERT_GT(overlays.size(), 7U);
    vtkCollectionSimpleIterator place;
    renderer.GetViewProps()->InitTraversal(place);
    while (auto* prop = renderer.GetViewProps()->GetNextProp(place)) {
      auto* text = vtkTextActor::SafeDownCast(prop);
      if (text == nullptr || !text->GetVisibility() || text->GetLayerNumber() < scene::label_layer) continue;
      const auto box = scene::box_of(*text, renderer);
      if (!scene::picture_of(renderer).intersects(box)) continue;
      ++seen;
      for (const auto& other : overlays) EXPECT_FALSE(box.intersects(other)) << text->GetInput();
    }
  }
  EXPECT_GT(seen, 12);
}

/// Forces are computed for whoever sees them.
TEST_F(NBodyReadingsTest, ForcesBehindAnotherTabAreComputedWhenItIsRaised) {
  const char* table = "The chosen body";
  const auto hidden = [&] {  // as shown(), of a table that cannot be seen
    for (auto* each : window->findChildren<QTreeWidget*>()) {
      if (each->accessibleName() != table) continue;
      const auto found = each->findItems("Force error", Qt::MatchExactly);
      return found.at(0)->text(1).toStdString();
    }
    return std::string("no table");
  };
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene plummer 200 7", "view.panel Parameters", "nbody.step 3",
                 "nbody.pick 17"}),
            "");
  QTest::qWait(300);
  EXPECT_EQ(hidden(), "") << "out of sight";
  ASSERT_EQ(run({"view.panel Body"}), "");
  EXPECT_TRUE(QTest::qWaitFor([&] { return shown(table, "Force error") != ""; }, patience_ms));
}

TEST_F(NBodyReadingsTest, AnExportSaysWhatTheFileCannotHold) {
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system", "file.export " + path("planets.csv")}), "");
  EXPECT_EQ(warning(), "") << "it holds all";
  ASSERT_EQ(run({"file.export " + path("planets.tipsy")}), "");
  EXPECT_TRUE(QTest::qWaitFor([&] { return warning().find("radi") != std::string::npos; }, patience_ms))
      << warning();
  EXPECT_NE(warning().find("components"), std::string::npos) << warning();
}

TEST_F(NBodyReadingsTest, AnUnboundOrbitSaysSo) {
  std::ofstream(path("flyby.csv")) << "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n0.001,1,0,0,0,2,0\n";
  ASSERT_EQ(run({"file.open " + path("flyby.csv"), "nbody.pick 2", "view.panel Body"}), "");
  const char* table = "The chosen body";
  ASSERT_TRUE(comes_to_show(table, "Period", "none:\nhyperbolic,\nunbound"));
  EXPECT_EQ(shown(table, "Apocentre distance"), "none:\nhyperbolic,\nunbound");
  EXPECT_EQ(shown(table, "Orbit about"), "barycentre of\nall other\nbodies") << "nothing binds it";
  // v^2 / 2 - 1.001 = 0.999, and h = 2.
  EXPECT_EQ(shown(table, "Semi-major axis"), "−0.501");
  EXPECT_EQ(shown(table, "Eccentricity"), "2.996");
  EXPECT_EQ(shown(table, "Pericentre distance"), "1");
}

TEST_F(NBodyReadingsTest, PlanetsHaveNamesAndOrbits) {
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system"}), "");
  const QImage whole = picture("whole.png");
  for (const char* command : {"nbody.names", "nbody.orbits", "nbody.sizes light"}) {
    ASSERT_EQ(run({command}), "");
    EXPECT_NE(picture("without.png"), whole) << command;
    ASSERT_EQ(run({"edit.undo"}), "");
  }
  EXPECT_EQ(picture("again.png"), whole);
}

/// Two bodies that fall onto each other, in the window: fewer bodies, the energy that was lost, and a session that has it.
TEST_F(NBodyReadingsTest, BodiesMergeInTheWindow) {
  std::ofstream(path("pair.csv")) << "mass,x,y,z,vx,vy,vz,radius\n1,0,0,0,0,0,0,0.2\n1,1,0,0,0,0,0,0.2\n";
  ASSERT_EQ(run({"file.open " + path("pair.csv"), "parameter.set collisions merge", "nbody.step 120"}), "");
  EXPECT_EQ(exported("one.csv").mass, (std::vector<double>{2}));
  ASSERT_EQ(run({"file.export " + path("run.diagnostics.csv"), "session.save " + path("m.isolume")}), "");
  std::ifstream table(path("run.diagnostics.csv"));
  std::string names, line, last;
  std::getline(table, names);
  while (std::getline(table, line)) last = line;
  const auto cell = [&](const char* name) {
    return QString::fromStdString(last)
        .split(',')
        .at(QString::fromStdString(names).split(',').indexOf(name))
        .toDouble();
  };
  EXPECT_EQ(cell("collisions"), 1);
  EXPECT_NEAR(cell("potential_energy_change") - cell("kinetic_energy_lost"), 1, 0.05)
      << "of two masses of 1 at rest at a distance of 1";
  EXPECT_GT(cell("kinetic_energy_lost"), 1 / 0.4 - 1 - 0.05) << "they touch at a distance of 0.4";
  EXPECT_LT(std::abs(cell("energy_error")), 0.05);
  ASSERT_EQ(run({"nbody.seek 0"}), "");
  EXPECT_EQ(exported("two.csv").size(), 2U) << "time goes back";
  ASSERT_EQ(run({"session.open " + path("m.isolume")}), "");
  EXPECT_EQ(exported("again.csv").size(), 1U);
}

/// As a screenshot after the last command shows it.
TEST_F(NBodyReadingsTest, TheBodyPanelIsFilledForAPictureOfTheWindow) {
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system"}), "");
  ASSERT_EQ(run({"view.panel Parameters", "nbody.pick 4", "view.panel Body"}), "");
  EXPECT_EQ(unit("The chosen body", "Semi-major axis"), "au") << "while it waits for its value";
  bool rests = false;
  window->when_at_rest([&] {
    rests = true;
    EXPECT_NE(shown("The chosen body", "Semi-major axis").value_or(""), "");
    EXPECT_NE(shown("The chosen body", "Force error").value_or(""), "");
  });
  EXPECT_TRUE(QTest::qWaitFor([&] { return rests; }, patience_ms));
}

/// What is written in pictures is of their step, and nothing of another moment.
TEST(ReadOutInPictures, HasNoSpeedAndTheErrorsOfItsStep) {
  const DiagnosticsPanel::EnergyError error{.value = 2e-5, .since = {}};
  EXPECT_EQ(ReadOut::text_in_pictures(error, std::nullopt).toStdString(), "Energy error 2e-5");
  const auto both =
      ReadOut::text_in_pictures(error, isolume::nbody::SampledErrors{100, 1e-5, 2e-4, 3e-3}).toStdString();
  EXPECT_EQ(both, "99 % of force errors below 0.003\nEnergy error 2e-5") << "which stays where it is";
}

/// The error of a session that is opened again is that of the run so far, and not of what is drawn first.
TEST_F(NBodyReadingsTest, ASessionKeepsWhatTheEnergyIsComparedWith) {
  const auto energy_error = [this] {
    const std::string text = read_out(window->view());
    return text.substr(std::min(text.find("Energy error"), text.size()));
  };
  const auto expect_kept = [&](const char* words) {
    ASSERT_TRUE(QTest::qWaitFor([&] { return energy_error().find(words) != std::string::npos; }, 10'000))
        << words;
    const std::string before = energy_error();
    EXPECT_EQ(run({"session.save " + path("run.isolume"), "session.open " + path("run.isolume")}), "");
    EXPECT_TRUE(QTest::qWaitFor([&] { return energy_error() == before; }, 10'000))
        << before << ", then " << energy_error();
  };
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene plummer 300", "parameter.set softening 0.1", "nbody.step 1"}),
            "");
  expect_kept("e-");
  ASSERT_EQ(run({"parameter.set softening 0.2"}), "");
  expect_kept("at step 1");
  ASSERT_EQ(run({"nbody.step 3"}), "");
  expect_kept("at step 1");
}

TEST_F(NBodyReadingsTest, AddedAndChosenBodiesBelongToTheirScene) {
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system", "nbody.pick 6",
                 "nbody.add-body 30 -60 0 -0.1 0.4 0 0.5"}),
            "");
  const std::string added = "0.5 30 -60 0 -0.1 0.4 0 @0";
  ASSERT_EQ(value("added-bodies"), added);
  EXPECT_EQ(value("body"), "11") << "the added one";
  const std::size_t planets = exported("planets.csv").size();
  ASSERT_EQ(run({"nbody.scene plummer 100"}), "");
  EXPECT_EQ(value("added-bodies"), "");
  EXPECT_EQ(value("body"), "-1");
  EXPECT_EQ(exported("sphere.csv").size(), 100U);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("added-bodies"), added);
  EXPECT_EQ(value("body"), "11");
  EXPECT_EQ(exported("again.csv").size(), planets);
}

/// The run after an added body is undone is the one that never had it, to the last bit, and redone the one that had.
TEST_F(NBodyReadingsTest, UndoOfAnAddedBodyRestoresTheRun) {
  const auto expect_same = [](const Bodies& one, const Bodies& other, const char* what) {
    EXPECT_EQ(one.x, other.x) << what;
    EXPECT_EQ(one.vy, other.vy) << what;
    EXPECT_EQ(one.mass, other.mass) << what;
  };
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system", "nbody.step 60"}), "");
  const Bodies without = exported("without.csv");
  ASSERT_EQ(run({"nbody.seek 20", "nbody.add-body 1.2 0 0 0 0.9 0 0.01"}), "");
  EXPECT_NE(status().find("Step 21"), std::string::npos) << status();
  ASSERT_EQ(run({"nbody.step 39"}), "");
  const Bodies with = exported("with.csv");
  ASSERT_EQ(with.size(), without.size() + 1);
  EXPECT_NE(with.x[3], without.x[3]) << "its mass acts on the Earth";
  EXPECT_NE(read_out(window->view()).find("since the change"), std::string::npos);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_NE(status().find("Step 20"), std::string::npos) << "what was shown before: " << status();
  EXPECT_EQ(read_out(window->view()).find("since the change"), std::string::npos) << read_out(window->view());
  ASSERT_EQ(run({"nbody.step 40"}), "");
  expect_same(exported("undone.csv"), without, "as if it had never been added");
  ASSERT_EQ(run({"nbody.seek 21"}), "");
  EXPECT_EQ(exported("early.csv").size(), without.size());
  ASSERT_EQ(run({"edit.redo", "nbody.step 39"}), "");
  expect_same(exported("redone.csv"), with, "it joins where it did");
  // Two of them, of which the first is taken out of the list: the second still joins at its step.
  ASSERT_EQ(run({"nbody.add-body 0 30 0 0 0 0 0"}), "");
  const std::string both = value("added-bodies");
  const std::string second = both.substr(both.find(';') + 2);
  EXPECT_TRUE(second.ends_with("@60")) << second;
  ASSERT_EQ(run({"parameter.set added-bodies \"" + second + "\""}), "");
  EXPECT_EQ(value("added-bodies"), second);
  ASSERT_EQ(run({"nbody.seek 60"}), "");
  const Bodies light = exported("light.csv");
  ASSERT_EQ(light.size(), with.size()) << "the second one";
  EXPECT_EQ(light.y.back(), 30) << "which has not moved yet";
  EXPECT_EQ(light.x[3], without.x[3]) << "without the first one's mass";
  ASSERT_EQ(run({"edit.undo", "edit.undo"}), "");
  expect_same(exported("back.csv"), with, "both undone");
}

/// As with added bodies: the run continues from the shown step, and undo and redo restore it to the last bit.
TEST_F(NBodyReadingsTest, ADeletedBodyComesBackWithUndo) {
  const auto expect_same = [](const Bodies& one, const Bodies& other, const char* what) {
    EXPECT_EQ(one.x, other.x) << what;
    EXPECT_EQ(one.vy, other.vy) << what;
    EXPECT_EQ(one.mass, other.mass) << what;
  };
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system", "nbody.step 40"}), "");
  EXPECT_NE(run({"nbody.delete-body"}), "") << "none is chosen";
  const Bodies all = exported("all.csv");
  ASSERT_EQ(run({"nbody.seek 20", "nbody.pick 6"}), "");
  auto* const button = window->findChild<QPushButton*>("nbody.delete-body.button");
  ASSERT_EQ(run({"view.panel Body"}), "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return button->isVisible(); }, 30000));
  const std::string name = *shown("The chosen body", "Name");
  QTest::mouseClick(button, Qt::LeftButton);
  ASSERT_EQ(run({"nbody.seek 40"}), "");
  EXPECT_EQ(value("added-bodies"), "#6 @20");
  EXPECT_EQ(value("body"), "-1");
  const Bodies without = exported("without.csv");
  ASSERT_EQ(without.size(), all.size() - 1);
  EXPECT_EQ(without.mass[4], all.mass[4]);
  EXPECT_EQ(without.mass[5], all.mass[6]) << name << " is gone";
  EXPECT_NE(without.x[6 - 1], all.x[6]) << "its mass no longer acts on the next planet";
  ASSERT_EQ(run({"session.save " + path("s.isolume"), "session.open " + path("s.isolume")}), "");
  expect_same(exported("session.csv"), without, "a session restores the run");
  ASSERT_EQ(run({"nbody.record " + path("run.h5")}), "");
  const isolume::nbody::Trajectory recorded(path("run.h5"));
  EXPECT_EQ(recorded.moment(0).bodies.size(), all.size());
  EXPECT_EQ(recorded.moment(recorded.moments() - 1).bodies.x, without.x);
}

TEST_F(NBodyReadingsTest, BodiesOfTheStartKeepTheirStepInSessionsAndUndo) {
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system", "nbody.step 20", "nbody.seek 0",
                 "nbody.pick 6", "nbody.delete-body", "nbody.seek 20"}),
            "");
  ASSERT_EQ(value("added-bodies"), "#6 @0");
  const Bodies without = exported("without.csv");
  ASSERT_EQ(run({"session.save " + path("s.isolume"), "session.open " + path("s.isolume")}), "");
  EXPECT_EQ(value("added-bodies"), "#6 @0");
  ASSERT_EQ(run({"parameter.set added-bodies \"\"", "nbody.seek 20"}), "");
  EXPECT_EQ(exported("all.csv").size(), without.size() + 1);
  ASSERT_EQ(run({"edit.undo", "nbody.seek 20"}), "");
  EXPECT_EQ(value("added-bodies"), "#6 @0") << "and not from the last step on";
  EXPECT_EQ(exported("undone.csv").x, without.x);
}

TEST_F(NBodyReadingsTest, UndoOfDeletedAndChangedBodiesRestoresTheRun) {
  for (const char* change :
       {"nbody.delete-body", "nbody.change-body 0.5", "nbody.change-body 0.5 1 2 0 0.1 0.2 0"}) {
    for (const int at : {0, 20}) {
      ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system", "nbody.restart", "nbody.step 30"}), "");
      const Bodies before = exported("before.csv");
      const std::string seek = "nbody.seek " + std::to_string(at);
      ASSERT_EQ(run({seek, "nbody.pick 6", change, "nbody.seek 30"}), "") << change;
      const Bodies after = exported("after.csv");
      EXPECT_NE(after.x, before.x) << change << " at step " << at;
      ASSERT_EQ(run({"edit.undo", "nbody.seek 30"}), "") << change;
      EXPECT_EQ(value("added-bodies"), "");
      EXPECT_EQ(value("body"), "6") << change;
      const Bodies undone = exported("undone.csv");
      EXPECT_EQ(undone.x, before.x) << change << " at step " << at;
      EXPECT_EQ(undone.mass, before.mass) << change << " at step " << at;
      ASSERT_EQ(run({"edit.redo", "nbody.seek 30"}), "");
      EXPECT_EQ(exported("redone.csv").x, after.x) << change << " at step " << at;
      ASSERT_EQ(run({"edit.undo", "nbody.pick -1"}), "");
    }
  }
}

/// In the unit that the panel names.
TEST_F(NBodyReadingsTest, TheMassIsTypedInTheBodyPanel) {
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system", "nbody.pick 6", "view.panel Body"}), "");
  const auto mass = [&] { return shown("The chosen body", "Mass").value_or(""); };
  ASSERT_TRUE(QTest::qWaitFor([&] { return !mass().empty(); }, 30000));
  const Bodies before = exported("before.csv");
  QTreeWidget* table = nullptr;
  for (auto* each : window->findChildren<QTreeWidget*>())
    if (each->accessibleName() == "The chosen body") table = each;
  const auto type = [&](const char* text) {
    QTreeWidgetItem* const item = table->topLevelItem(2);
    table->scrollToItem(item);
    const QRect cell = table->visualItemRect(item);
    const QPoint at(table->header()->sectionViewportPosition(1) + 5, cell.center().y());
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, at);
    auto* const editor = table->findChild<QLineEdit*>();
    ASSERT_NE(editor, nullptr);
    editor->selectAll();
    QTest::keyClicks(editor, text);
    QTest::keyClick(editor, Qt::Key_Return);
  };
  ASSERT_NO_FATAL_FAILURE(type("0.25"));
  ASSERT_EQ(run({"nbody.step 1"}), "");
  const Bodies after = exported("after.csv");
  EXPECT_NEAR(after.mass[5], 0.25 * before.mass[0], 1e-6 * before.mass[0]) << "solar masses";
  EXPECT_EQ(mass(), "0.25");
  ASSERT_NO_FATAL_FAILURE(type("heavy"));
  EXPECT_EQ(mass(), "0.25") << "a refused text gives way";
  EXPECT_EQ(exported("still.csv").mass[5], after.mass[5]);
  ASSERT_EQ(run({"edit.undo", "nbody.step 1"}), "");
  EXPECT_EQ(exported("undone.csv").mass, before.mass);
}

/// A press and a drag in the view, in pixels from its middle.
class AddedByMouse : public NBodyReadingsTest {
 protected:
  void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers keys = {}) {
    auto& view = window->view();
    const QPoint middle = view.rect().center();
    QTest::mousePress(&view, Qt::LeftButton, {}, middle + from);
    QTest::mouseMove(&view, middle + (from + to) / 2);
    QTest::mouseMove(&view, middle + to);
    during_ = view.grab().toImage();
    QTest::mouseRelease(&view, Qt::LeftButton, keys, middle + to);
  }
  bool adds() { return window->commands().part("nbody.add-by-mouse").checked(); }
  QImage during_;  ///< the view before the button is released
};

TEST_F(AddedByMouse, ABodyIsWhereItIsPressedAndMovesAsItIsDragged) {
  std::ofstream(path("star.csv")) << "mass,x,y,z\n1,0,0,0\n0,0,4,0\n0,0,-4,0\n0,4,0,0\n0,-4,0,0\n";
  ASSERT_EQ(run({"file.open " + path("star.csv"), "view.preset top", "nbody.step 2",
                 "parameter.set new-body-mass 0.5"}),
            "");
  drag({100, 0}, {100, -50});
  EXPECT_EQ(value("added-bodies"), "") << "the mouse turns the view";
  ASSERT_EQ(run({"view.preset top", "nbody.add-by-mouse"}), "");
  drag({100, 0}, {100, -50});
  ASSERT_TRUE(QTest::qWaitFor([&] { return value("added-bodies") != ""; }, patience_ms));
  // The arrow is upon the picture between the press and the pointer.
  int drawn = 0;
  const double scale = static_cast<double>(during_.width()) / window->view().width();
  const QPointF middle = scale * QPointF(window->view().rect().center());
  for (int up = 0; up < 50; ++up) {
    const QPoint at = (middle + scale * QPointF(100, -up)).toPoint();
    int brightest = 0;
    for (int beside = -2; beside <= 2; ++beside)
      brightest = std::max(brightest, qGray(during_.pixel(at + QPoint(beside, 0))));
    drawn += brightest > 60 ? 1 : 0;
  }
  EXPECT_GT(drawn, 40);
  const QColor body = during_.pixelColor((middle + scale * QPointF(100, 0)).toPoint());
  EXPECT_EQ(body, QColor(0xf0, 0xb8, 0x40));
  EXPECT_TRUE(QTest::qWaitFor(
      [&] { return window->view().findChild<QWidget*>("nbody.dragged-body") == nullptr; }, patience_ms))
      << "one body is added";
  EXPECT_FALSE(adds());
  const auto numbers = QString::fromStdString(value("added-bodies")).split(' ');
  ASSERT_EQ(numbers.size(), 8);
  EXPECT_EQ(numbers[7], "@2") << "the step at which it joins";
  const Vector3d place(numbers[1].toDouble(), numbers[2].toDouble(), numbers[3].toDouble()),
      velocity(numbers[4].toDouble(), numbers[5].toDouble(), numbers[6].toDouble());
  EXPECT_EQ(numbers[0], "0.5");
  EXPECT_EQ(value("body"), "6") << "it is the chosen one";
  EXPECT_GT(place.x(), 0.1);
  EXPECT_NEAR(place.y(), 0, 0.02 * place.x());
  EXPECT_NEAR(place.z(), 0, 1e-6) << "in the plane of the middle";
  // An arrow half as long as the distance to the star: half of the circular speed, upwards.
  EXPECT_NEAR(velocity.y(), 0.5 * std::sqrt(1 / place.x()), 0.03 * velocity.y());
  EXPECT_NEAR(velocity.x(), 0, 0.03 * velocity.y());
  ASSERT_EQ(run({"nbody.step 1"}), "");
  EXPECT_EQ(exported("six.csv").size(), 6U);
  ASSERT_EQ(run({"edit.undo", "nbody.step 1"}), "");
  EXPECT_EQ(value("added-bodies"), "");
  EXPECT_EQ(exported("five.csv").size(), 5U);
  EXPECT_EQ(value("body"), "-1");
  ASSERT_EQ(run({"nbody.add-body 2 0 0 0 0.7 0 1e-3", "nbody.step 1", "session.save " + path("s.isolume")}),
            "");
  const Bodies before = exported("before.csv");
  ASSERT_EQ(before.size(), 6U);
  EXPECT_EQ(before.mass[5], 1e-3);
  ASSERT_EQ(run({"session.open " + path("s.isolume")}), "");
  const Bodies after = exported("after.csv");
  EXPECT_EQ(after.x, before.x) << "a session brings it back";
  EXPECT_EQ(after.mass, before.mass);
  ASSERT_EQ(run({"nbody.record " + path("run.h5")}), "");
  const isolume::nbody::Trajectory recorded(path("run.h5"));
  EXPECT_EQ(recorded.moment(0).bodies.size(), 5U);
  const auto last = recorded.moment(recorded.moments() - 1);
  EXPECT_EQ(last.bodies.x, before.x) << "it is there from its step on";
  EXPECT_EQ(last.id.back(), 6U);
}

TEST_F(AddedByMouse, ShiftAddsSeveral) {
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system", "view.preset top", "nbody.add-by-mouse"}), "");
  const auto added = [&](int count) {
    return QTest::qWaitFor([&] { return QString::fromStdString(value("added-bodies")).count('@') == count; },
                           patience_ms);
  };
  drag({100, 0}, {100, -50}, Qt::ShiftModifier);
  ASSERT_TRUE(added(1));
  EXPECT_TRUE(adds());
  ASSERT_EQ(run({}), "");
  drag({-100, 0}, {-100, 50});
  ASSERT_TRUE(added(2));
  EXPECT_FALSE(adds());
  EXPECT_EQ(value("body"), "12") << "the last one of ten and two";
}

TEST_F(AddedByMouse, EscCancelsADragAndThenTheMode) {
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system", "view.preset top", "nbody.add-by-mouse"}), "");
  auto& view = window->view();
  EXPECT_TRUE(view.hasFocus()) << "keys go there";
  const QPoint middle = view.rect().center(), there = middle + QPoint(100, -50);
  QTest::mousePress(&view, Qt::LeftButton, {}, middle + QPoint(100, 0));
  QTest::mouseMove(&view, there);
  const auto* mark = view.findChild<QWidget*>("nbody.dragged-body");
  ASSERT_TRUE(mark != nullptr && mark->isVisible());
  QTest::keyClick(&view, Qt::Key_Escape);
  EXPECT_FALSE(mark->isVisible());
  QTest::mouseMove(&view, there + QPoint(0, -10));
  QTest::mouseRelease(&view, Qt::LeftButton, {}, there);
  ASSERT_EQ(run({}), "");
  EXPECT_EQ(value("added-bodies"), "");
  EXPECT_TRUE(adds()) << "for another drag";
  ASSERT_EQ(run({"nbody.play"}), "");
  QTest::keyClick(&view, Qt::Key_Escape);
  EXPECT_FALSE(adds());
  EXPECT_TRUE(window->lab().moving()) << "the next Esc stops that";
  ASSERT_EQ(run({"nbody.stop"}), "");
}

class ProbeOfTwo : public NBodyReadingsTest {
 protected:
  void open() {
    std::ofstream(path("two.csv")) << "mass,x,y,z,vx,vy,vz\n0.5,0.5,0,0,0,0.5,0\n0.5,-0.5,0,0,0,-0.5,0\n";
    ASSERT_EQ(run({"file.open " + path("two.csv"), "view.panel Body", "parameter.set colour-by origin"}), "");
  }
};

TEST_F(ProbeOfTwo, APlaceHasTheFieldOfBoth) {
  open();
  EXPECT_EQ(shown("At the probe", "Potential"), std::nullopt);
  const auto reading = answer("nbody.probe 1.5 0 0");
  // Of 0.5 at distances of 1 and 2.
  EXPECT_NEAR(reading["acceleration"][0].get<double>(), -0.625, 1e-6);
  EXPECT_NEAR(reading["potential"].get<double>(), -0.75, 1e-6);
  EXPECT_NEAR(reading["exact_acceleration"][0].get<double>(), -0.625, 1e-14);
  EXPECT_NEAR(reading["exact_potential"].get<double>(), -0.75, 1e-14);
  EXPECT_LT(reading["force_error"].get<double>(), 1e-6);
  EXPECT_EQ(vector_of(reading["place"]), Vector3d(1.5, 0, 0));
  EXPECT_TRUE(comes_to_show("At the probe", "Exact potential", "−0.75"));
  EXPECT_TRUE(answer("nbody.probe 0 0 0")["force_error"].is_null()) << "nothing pulls in the middle";
  EXPECT_TRUE(comes_to_show("At the probe", "Force error", ""));
  EXPECT_TRUE(comes_to_show("At the probe", "Exact potential", "−2"));
  ASSERT_EQ(run({"edit.undo", "edit.undo"}), "");
  EXPECT_EQ(value("probe"), "false");
  EXPECT_TRUE(QTest::qWaitFor([&] { return !shown("At the probe", "Potential").has_value(); }, patience_ms));
  for (const char* wrong : {"nbody.probe 1 2", "nbody.probe nan 0 0", "nbody.probe 1 2 1e300"})
    EXPECT_NE(run({wrong}), "") << wrong;
  EXPECT_EQ(value("probe"), "false");
}

/// In the instant before it runs, of which it is told and would not answer.
TEST_F(ProbeOfTwo, ACancelledJobIsNotTheLast) {
  open();
  struct Seen {
    std::atomic<int> left = 1, cancelled = 0;
  };
  const auto seen = std::make_shared<Seen>();  // jobs end after this test
  window->jobs().observe([seen, &jobs = window->jobs()](const jobs::JobStatus& status) {
    if (status.channel != "nbody.force-probe") return;
    if (status.state == jobs::JobState::running && seen->left.exchange(0) == 1) jobs.cancel(status.id);
    if (status.state == jobs::JobState::cancelled) ++seen->cancelled;
  });
  answer("nbody.probe 1.5 0 0");
  EXPECT_TRUE(QTest::qWaitFor([&] { return seen->cancelled == 1; }, patience_ms));
  answer("nbody.probe 0 0 0");
  EXPECT_TRUE(comes_to_show("At the probe", "Exact potential", "−2"));
  answer("nbody.probe 1.5 0 0");
  EXPECT_TRUE(comes_to_show("At the probe", "Exact potential", "−0.75"));
  EXPECT_EQ(seen->cancelled, 1);
}

TEST_F(ProbeOfTwo, APlaceIsMarkedInThePicture) {
  open();
  ASSERT_EQ(run({"view.preset top"}), "");
  const QImage plain = picture("plain.png");
  /// The mean column of what is drawn besides.
  const auto marked = [&plain](const QImage& image) {
    int pixels = 0;
    double column = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        if (image.pixel(x, y) == plain.pixel(x, y)) continue;
        ++pixels;
        column += x;
      }
    }
    return pixels > 20 ? column / pixels : -1;
  };
  ASSERT_EQ(run({"nbody.probe 0 0.3 0"}), "");
  EXPECT_NEAR(marked(picture("middle.png")), 240, 3);
  ASSERT_EQ(run({"nbody.probe 0.4 0.3 0"}), "");
  EXPECT_GT(marked(picture("right.png")), 260);
  ASSERT_EQ(run({"edit.undo", "edit.undo"}), "");
  EXPECT_EQ(picture("again.png"), plain);
}

TEST_F(NBodyReadingsTest, ACornerTellsTheErrorsOfBothRuns) {
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene plummer 500 7", "parameter.set solver barnes-hut",
                 "parameter.set error 1e-3", "nbody.step 6"}),
            "");
  const auto lines_of = [](const std::string& text) { return QString::fromStdString(text).split('\n'); };
  /// The last number of a column of the table of moments.
  const auto last_of = [&](const char* column) {
    EXPECT_EQ(run({"file.export " + path("run.diagnostics.csv")}), "");
    std::ifstream file(path("run.diagnostics.csv"));
    std::string names, line, last;
    std::getline(file, names);
    while (std::getline(file, line)) last = line;
    const auto number = QString::fromStdString(names).split(',').indexOf(column);
    return QString::fromStdString(last).split(',').at(number).toDouble();
  };
  const auto energy_of = [](double error) {
    return QString("Energy error %1").arg(QString::fromStdString(shown_reading(error, 2)));
  };
  EXPECT_TRUE(lines_of(read_out(window->view())).contains(energy_of(last_of("energy_error"))))
      << read_out(window->view());
  const auto force_error = [&](const scene::ViewWidget& view) -> std::optional<double> {
    for (const QString& line : lines_of(read_out(view))) {
      if (line.startsWith("99 % of force errors below ")) return line.section(' ', -1).toDouble();
    }
    return std::nullopt;
  };
  const auto is_measured = [&](std::size_t view) {
    return QTest::qWaitFor(
        [&] { return run({"nbody.step 1"}).empty() && view < views().size() && force_error(*views()[view]); },
        patience_ms);
  };
  ASSERT_TRUE(is_measured(0)) << read_out(window->view());
  EXPECT_GT(force_error(window->view()).value(), 0);
  EXPECT_LT(force_error(window->view()).value(), 1e-3) << "that was asked for";
  ASSERT_EQ(run({"nbody.branch solver=direct dt=0.1", "nbody.step 8"}), "");
  ASSERT_EQ(views().size(), 2U);
  ASSERT_TRUE(is_measured(1)) << read_out(*views()[1]);
  EXPECT_LT(force_error(*views()[1]).value(), 2e-5) << "of the direct sum";
  EXPECT_GT(force_error(*views()[0]).value(), 2e-5) << "the first one's";
  const auto drift = last_of("energy_error");
  EXPECT_TRUE(lines_of(read_out(*views()[0])).contains(energy_of(drift))) << read_out(*views()[0]);
  EXPECT_FALSE(lines_of(read_out(*views()[1])).contains(energy_of(drift))) << "its steps are longer";
  // Of other parameters nothing has been measured yet.
  ASSERT_EQ(run({"parameter.set error 0.05", "nbody.step 1"}), "");
  EXPECT_FALSE(force_error(window->view())) << read_out(window->view());
  ASSERT_EQ(run({"nbody.read-out off"}), "");
  for (const auto* each : views()) EXPECT_EQ(read_out(*each), "");
}

TEST_F(NBodyReadingsTest, TheCornerIsInPicturesWhereItIsAskedFor) {
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene plummer 500 7", "nbody.step 2"}), "");
  EXPECT_EQ(value("read-out"), "window");
  EXPECT_NE(read_out(window->view()), "");
  const QImage plain = picture("plain.png");
  ASSERT_EQ(run({"nbody.read-out off"}), "");
  EXPECT_EQ(picture("off.png"), plain);
  ASSERT_EQ(run({"nbody.read-out pictures"}), "");
  const QImage written = picture("written.png");
  int changed = 0;
  for (int y = 0; y < plain.height(); ++y) {
    for (int x = 0; x < plain.width(); ++x) {
      if (plain.pixel(x, y) == written.pixel(x, y)) continue;
      ++changed;
      EXPECT_TRUE(x < 240 && y > 280) << x << ' ' << y;
    }
  }
  EXPECT_GT(changed, 100);
  ASSERT_EQ(run({"edit.undo", "edit.undo"}), "");
  EXPECT_EQ(value("read-out"), "window");
}

}  // namespace
}  // namespace isolume::labs::nbody
