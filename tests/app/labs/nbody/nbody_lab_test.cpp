// The lab in a window.
#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QOpenGLWidget>
#include <QSlider>
#include <QTest>
#include <QXmlStreamReader>
#include <array>
#include <cmath>
#include <fstream>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include <gtest/gtest.h>
#include <vtkCamera.h>
#include <vtkRenderer.h>

#include "app/labs/nbody/bodies_drawer.h"
#include "app/labs/nbody/diagnostics_panel.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/window/main_window.h"
#include "core/base/text_file.h"
#include "core/nbody/files/csv.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "core/nbody/scenes/scenes.h"
#include "tests/app/lab_window_test.h"
#include "tests/app/pictures/decoded_movie.h"

namespace isolume::labs::nbody {

workbench::LabEntry lab_entry();

namespace {

namespace science = isolume::nbody;

class NBodyLabTest : public LabWindowTest {
 protected:
  NBodyLabTest() : LabWindowTest({lab_entry()}) {}
  /// Few bodies that everything is quick with.
  std::vector<std::string> small() { return {"lab.show nbody", "nbody.scene plummer 500 7"}; }
  science::Bodies exported(const char* name) {
    EXPECT_EQ(run({"file.export " + path(name)}), "");
    return science::read_bodies_csv(path(name));
  }
};

TEST_F(NBodyLabTest, StartsWithTwoGalaxiesAndNoFile) {
  ASSERT_EQ(run({"lab.show nbody"}), "");
  EXPECT_EQ(value("scene"), "encounter");
  const auto shown = [&] { return status().starts_with("Step 0, t = 0 Myr | 20000 bodies"); };
  EXPECT_TRUE(QTest::qWaitFor(shown, patience_ms)) << status();
}

TEST_F(NBodyLabTest, TheIntegratorIsChosenInThePanelWhichHidesTheSolver) {
  ASSERT_EQ(run(small()), "");
  auto* integrator = window->findChild<QComboBox*>("integrator.choice");
  auto* solver = window->findChild<QComboBox*>("solver.choice");
  ASSERT_TRUE(integrator != nullptr && solver != nullptr);
  EXPECT_EQ(solver->itemText(0), "Fastest: Direct sum");
  integrator->setFocus();
  QTest::keyClick(integrator, Qt::Key_Down);
  QCoreApplication::processEvents();
  EXPECT_EQ(value("integrator"), "hermite");
  EXPECT_FALSE(solver->isVisible());
  QTest::keyClick(integrator, Qt::Key_Up);
  QCoreApplication::processEvents();
  EXPECT_EQ(value("integrator"), "leapfrog");
  EXPECT_TRUE(solver->isVisible());
}

/// A scene that was there before begins anew with what is set now, and undo brings back what was set then.
TEST_F(NBodyLabTest, ValuesOfARunComeBackByUndoAndByNothingElse) {
  ASSERT_EQ(run(small()), "");
  const std::string first_seed = value("seed"), first_step = value("dt");
  ASSERT_EQ(run({"nbody.step 2", "parameter.set seed 8", "parameter.set dt 0.02",
                 "parameter.set collisions merge", "parameter.set softening 0.3"}),
            "");
  ASSERT_EQ(run({"parameter.set seed " + first_seed}), "");
  EXPECT_EQ(value("dt"), "0.02") << "as it is set now";
  EXPECT_TRUE(status().starts_with("Step 0,")) << status();
  ASSERT_EQ(run({"parameter.set dt 0.03", "edit.undo", "edit.undo"}), "");
  EXPECT_EQ(value("seed"), "8");
  EXPECT_EQ(value("dt"), "0.02") << "no step of that run was computed";
  EXPECT_EQ(value("collisions"), "merge");
  EXPECT_EQ(value("softening"), "0.3");
  ASSERT_EQ(run({"edit.undo", "edit.undo", "edit.undo", "edit.undo"}), "");
  EXPECT_EQ(value("seed"), first_seed);
  EXPECT_EQ(value("dt"), first_step);
  EXPECT_EQ(value("collisions"), "none");
  ASSERT_EQ(run({"edit.redo", "edit.redo"}), "");
  EXPECT_EQ(value("seed"), "8");
  EXPECT_EQ(value("dt"), "0.02");
}

TEST_F(NBodyLabTest, EndsWhereTheSameStepsEndWithoutAWindow) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.step 12"}), "");
  EXPECT_TRUE(status().starts_with("Step 12,")) << status();
  const science::Bodies shown = exported("shown.csv");
  science::SceneOptions scene;
  parameters::StructParameters scene_set(science::scene_schema(), scene);
  science::RunOptions options;
  parameters::StructParameters run_set(science::run_schema(), options);
  for (auto* set : {static_cast<parameters::ParameterSet*>(&scene_set),
                    static_cast<parameters::ParameterSet*>(&run_set)}) {
    for (const auto& each : set->descriptions())
      set->set(each.key, window->lab().parameters()->get(each.key));
  }
  science::NBodySimulation same(science::make_scene(scene), options);
  same.advance(12);
  ASSERT_EQ(shown.size(), 500U);
  EXPECT_EQ(shown.x, same.bodies().x);
  EXPECT_EQ(shown.vz, same.bodies().vz);
}

TEST_F(NBodyLabTest, ACosmologicalBoxBringsItsSolverAndTellsTheRedshift) {
  ASSERT_EQ(run({"lab.show nbody", "parameter.set particles-per-side 8", "nbody.scene cosmological-box"}),
            "");
  EXPECT_EQ(value("solver"), "particle-mesh");
  EXPECT_TRUE(status().starts_with("Step 0, redshift 49 (scale factor 0.02) | 512 bodies")) << status();
  ASSERT_EQ(run({"nbody.step 5"}), "");
  EXPECT_TRUE(status().starts_with("Step 5, redshift 44.")) << status();
  for (const double x : exported("box.csv").x) {
    EXPECT_GE(x, 0);
    EXPECT_LT(x, 100);
  }
  EXPECT_NE(run({"parameter.set solver direct"}), "") << "which does not know the box";
  ASSERT_EQ(run({"nbody.scene plummer 500"}), "");
  EXPECT_EQ(value("solver"), "best") << "as the bodies are alone";
  ASSERT_EQ(run({"nbody.step 2"}), "");
}

TEST_F(NBodyLabTest, TimeRunsAndIsSoughtAgain) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.step 5"}), "");
  const auto fifth = exported("5.csv");
  ASSERT_TRUE(window->run("nbody.play"));
  EXPECT_TRUE(window->lab().moving());
  EXPECT_TRUE(QTest::qWaitFor([&] { return std::stoi(status().substr(5)) > 20; }, patience_ms)) << status();
  ASSERT_EQ(run({"nbody.stop", "nbody.seek 5"}), "");
  EXPECT_TRUE(status().starts_with("Step 5,")) << status();
  EXPECT_EQ(exported("again.csv").x, fifth.x);
  EXPECT_EQ(window->undo_stack().count(), 1) << "the scene that was chosen";
}

/// Bar and status line show the picture's step, and the handle stands at the left where there is one step.
TEST_F(NBodyLabTest, TheBarAndTheStatusLineShowTheSameStep) {
  ASSERT_EQ(run(small()), "");
  auto* bar = window->findChild<QLabel*>("playback.time");
  auto* slider = window->findChild<QSlider*>("playback.slider");
  EXPECT_EQ(bar->text(), "0 of 0 steps");
  EXPECT_EQ(slider->value(), slider->minimum());
  ASSERT_TRUE(window->run("nbody.play"));
  int compared = 0;
  const bool ran = QTest::qWaitFor(
      [&] {
        const std::string step = status().substr(5, status().find(',') - 5);
        EXPECT_EQ(bar->text().section(' ', 0, 0).toStdString(), step);
        return ++compared > 20 && std::stoi(step) > 10;
      },
      patience_ms);
  EXPECT_TRUE(ran) << status();
  ASSERT_EQ(run({"nbody.stop"}), "");
  EXPECT_EQ(bar->text().section(' ', 0, 0).toStdString(), status().substr(5, status().find(',') - 5));
}

TEST_F(NBodyLabTest, UndoneScenesHaveTheirRunAgain) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"parameter.set dt 0.005", "nbody.step 6", "nbody.seek 4"}), "");
  const auto fourth = exported("4.csv");
  ASSERT_EQ(run({"nbody.scene king 300", "nbody.step 2"}), "");
  EXPECT_TRUE(status().starts_with("Step 2,")) << status();
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_TRUE(status().starts_with("Step 4,")) << status();
  EXPECT_EQ(window->findChild<QLabel*>("playback.time")->text(), "4 of 6 steps");
  EXPECT_EQ(exported("undone.csv").x, fourth.x);
  EXPECT_EQ(value("dt"), "0.005");
  ASSERT_EQ(run({"edit.redo"}), "");
  EXPECT_TRUE(status().starts_with("Step 2,")) << status();
  ASSERT_EQ(run({"nbody.scene plummer 500"}), "");
  EXPECT_TRUE(status().starts_with("Step 0,")) << "a scene that is chosen begins anew: " << status();
}

TEST_F(NBodyLabTest, ASecondUndoHasTheRunBeforeAgain) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.step 4", "nbody.add-body 2 0 0 0 0.7 0 0.001", "nbody.seek 8"}), "");
  const std::string added = value("added-bodies");
  ASSERT_TRUE(added.ends_with("@4")) << added;
  const auto first = exported("first.csv");
  ASSERT_EQ(run({"nbody.scene king 300", "nbody.step 2"}), "");
  const auto second = exported("second.csv");
  ASSERT_EQ(run({"nbody.scene hernquist 200", "nbody.step 3"}), "");
  const auto third = exported("third.csv");
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(exported("a.csv").x, second.x);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_TRUE(status().starts_with("Step 8,")) << status();
  EXPECT_EQ(exported("b.csv").x, first.x);
  EXPECT_EQ(value("added-bodies"), added);
  ASSERT_EQ(run({"edit.redo"}), "");
  EXPECT_EQ(exported("c.csv").x, second.x);
  ASSERT_EQ(run({"edit.redo"}), "");
  EXPECT_EQ(exported("d.csv").x, third.x);
}

TEST_F(NBodyLabTest, ASceneThatIsUndoneBeforeItsBodiesAreThereLeavesTheRunAsItWas) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.step 6", "nbody.seek 4"}), "");
  const auto fourth = exported("4.csv");
  EXPECT_TRUE(window->run("parameter.set scene king"));  // returns before the bodies are made
  EXPECT_TRUE(window->run("edit.undo"));
  ASSERT_EQ(run({"nbody.stop"}), "");
  EXPECT_TRUE(status().starts_with("Step 4,")) << status();
  EXPECT_EQ(window->findChild<QLabel*>("playback.time")->text(), "4 of 6 steps");
  EXPECT_EQ(exported("undone.csv").x, fourth.x);
}

TEST_F(NBodyLabTest, TheSliderOfTheChosenBodyEndsAtTheLastOne) {
  ASSERT_EQ(run({"nbody.scene solar-system"}), "");
  const auto last = [this] { return window->lab().parameters()->description("body").usual->high; };
  const double before = last();
  EXPECT_EQ(before, static_cast<double>(exported("all.csv").x.size()));
  ASSERT_EQ(run({"nbody.add-body 2 0 0 0 0.7 0 0.001"}), "");
  EXPECT_EQ(last(), before + 1);
}

TEST_F(NBodyLabTest, TheMenuHasGroups) {
  ASSERT_EQ(run(small()), "");
  QMenu* menu = nullptr;
  for (QMenu* each : window->menuBar()->findChildren<QMenu*>()) {
    if (each->title().remove('&') == "N-body") menu = each;
  }
  ASSERT_NE(menu, nullptr);
  const auto rows = [](const QMenu& of) {
    return std::ranges::count_if(of.actions(), [](const QAction* each) { return !each->isSeparator(); });
  };
  EXPECT_LE(rows(*menu), 12);
  std::vector<std::string> titles;
  for (const QMenu* part : menu->findChildren<QMenu*>()) {
    titles.push_back(part->title().remove('&').toStdString());
    EXPECT_GE(rows(*part), 3) << titles.back();
    EXPECT_LE(rows(*part), 12) << titles.back();
  }
  std::ranges::sort(titles);
  EXPECT_EQ(titles,
            (std::vector<std::string>{"Bodies", "Branch", "Diagnostics", "Playback", "Recording", "View"}));
}

/// The file names no units, and the window has no flags.
TEST_F(NBodyLabTest, ABannerNamesTheParameterInThePlaceOfItsFlag) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"file.export " + path("bodies.tipsy"), "file.open " + path("bodies.tipsy")}), "");
  EXPECT_NE(warning().find("\"Units of files\""), std::string::npos) << warning();
  EXPECT_EQ(warning().find("--"), std::string::npos) << warning();
}

TEST_F(NBodyLabTest, SpacePlaysAndPausesAlsoFromAField) {
  ASSERT_EQ(run(small()), "");
  auto* number = window->findChild<QWidget*>("dt.number");
  ASSERT_NE(number, nullptr);
  for (const bool plays : {true, false, true, false}) {
    plays ? number->setFocus() : window->view().setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
    EXPECT_EQ(window->lab().moving(), plays);
  }
  ASSERT_EQ(run({}), "");
}

TEST_F(NBodyLabTest, RunsBackBeforeItsStart) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.step -4"}), "");
  EXPECT_TRUE(status().starts_with("Step −4,")) << status();
  EXPECT_NE(status().find("t = −"), std::string::npos) << status();
  EXPECT_EQ(window->findChild<QLabel*>("playback.time")->text(), "−4 of −4 to 0 steps");
}

TEST_F(NBodyLabTest, ANewSceneBeginsForwards) {
  ASSERT_EQ(run(small()), "");
  const auto reversed = [&] { return window->commands().part("nbody.reverse").checked(); };
  ASSERT_EQ(run({"nbody.reverse", "nbody.step -2"}), "");
  ASSERT_TRUE(reversed());
  ASSERT_EQ(run({"nbody.scene king 300"}), "");
  EXPECT_FALSE(reversed());
  ASSERT_EQ(run({"nbody.reverse", "nbody.scene king 200"}), "");
  EXPECT_FALSE(reversed()) << "the same scene with other bodies";
}

TEST_F(NBodyLabTest, GoesToWholeStepsOnly) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.step 7", "nbody.seek 3"}), "");
  const std::string error = run({"nbody.seek 1.2"});
  EXPECT_NE(error.find("1.2"), std::string::npos) << error;
  EXPECT_NE(error.find("whole number"), std::string::npos) << error;
  EXPECT_TRUE(status().starts_with("Step 3,")) << status();
  ASSERT_NE(window->commands().find("nbody.seek"), nullptr);
  EXPECT_EQ(window->commands().find("nbody.seek")->title, "Go to step");
  window->findChild<QSlider*>("playback.slider")->setValue(333);  // 2.331 of 7
  EXPECT_TRUE(QTest::qWaitFor([&] { return status().starts_with("Step 2,"); }, patience_ms)) << status();
}

TEST_F(NBodyLabTest, GoesOnFromAnEarlierMomentWithAnotherParameter) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"parameter.set dt 0.01", "nbody.step 8"}), "");
  const auto far = exported("far.csv");
  ASSERT_EQ(run({"parameter.set dt 0.02", "nbody.step 4", "nbody.seek 4", "nbody.rewind"}), "");
  EXPECT_EQ(value("dt"), "0.01") << "as it was then";
  ASSERT_EQ(run({"nbody.step 4"}), "");
  EXPECT_EQ(exported("same.csv").x, far.x);
  ASSERT_EQ(run({"nbody.seek 4", "nbody.rewind", "parameter.set dt 0.02", "nbody.step 4"}), "");
  EXPECT_NE(exported("other.csv").x, far.x);
}

TEST_F(NBodyLabTest, WhatCannotBeIsRefusedAndChangesNothing) {
  ASSERT_EQ(run(small()), "");
  const std::string error = run({"parameter.set solver fmm", "parameter.set softening-kind spline"});
  EXPECT_NE(error.find("Spline softening"), std::string::npos) << error;
  EXPECT_EQ(value("softening-kind"), "plummer");
  EXPECT_NE(run({"nbody.scene nebula"}).find("nebula"), std::string::npos);
  EXPECT_EQ(value("scene"), "plummer");
}

TEST_F(NBodyLabTest, ThePictureShowsLightWhereBodiesAre) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"parameter.set colour-by origin",  // which needs no bar beside the picture
                 "file.export-image " + path("picture.png") + " 640x480"}),
            "");
  const QImage picture(QString::fromStdString(path("picture.png")));
  ASSERT_EQ(picture.size(), QSize(640, 480));
  constexpr int scale_bar = 48;  // as high as it is with its number
  double light = 0, x = 0, y = 0;
  for (int row = scale_bar; row < picture.height() - scale_bar; ++row) {
    for (int column = 0; column < picture.width(); ++column) {
      const double here = qGray(picture.pixel(column, row));
      light += here;
      x += here * column;
      y += here * row;
    }
  }
  ASSERT_GT(light, 0);
  // A Plummer sphere at rest about the origin, which the camera looks at.
  EXPECT_NEAR(x / light, 320, 25);
  EXPECT_NEAR(y / light, 240, 25);
  EXPECT_EQ(qGray(picture.pixel(3, 3)), 0);
}

TEST_F(NBodyLabTest, AMovieIsTheImagesOfTheSteps) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.step 8", "nbody.seek 6"}), "");
  ASSERT_EQ(run({"file.export-movie " + path("a.webm") + " size=320x240"}), "");
  EXPECT_TRUE(status().starts_with("Written: " + path("a.webm"))) << status();
  EXPECT_EQ(window->lab().passage()->now, 6) << "as before";
  const auto movie = test::decode_movie(path("a.webm"));
  ASSERT_EQ(movie.frames.size(), 9U) << "the steps 0 to 8";
  EXPECT_NEAR(movie.seconds, 9 / 30.0, 0.01);
  for (const auto& [step, frame] : {std::pair{0, 0}, std::pair{8, 8}}) {
    ASSERT_EQ(run({"nbody.seek " + std::to_string(step), "file.export-image " + path("p.png") + " 320x240"}),
              "");
    const QImage picture =
        QImage(QString::fromStdString(path("p.png"))).convertToFormat(QImage::Format_RGB888);
    std::vector<std::uint8_t> rgb;
    for (int y = 0; y < picture.height(); ++y)
      rgb.insert(rgb.end(), picture.constScanLine(y), picture.constScanLine(y) + 3 * picture.width());
    EXPECT_LT(test::mean_difference(movie.frames[static_cast<std::size_t>(frame)], rgb), 2) << step;
  }
}

TEST_F(NBodyLabTest, AMovieRunsThroughNumbersOfThePictureOnly) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.step 3"}), "");
  for (const char* key : {"bodies", "seed", "opening-angle", "dt"}) {
    const std::string error =
        run({"file.export-movie " + path("a.webm") + " parameter name=" + key + " size=64x48"});
    EXPECT_NE(error.find("exposure"), std::string::npos) << key << ": " << error;
    EXPECT_EQ(error.find(key), std::string::npos) << error;
  }
  ASSERT_EQ(run({"file.export-movie " + path("b.webm") +
                 " parameter name=exposure from=0.5 to=2 seconds=0.2 fps=10 size=64x48"}),
            "");
  EXPECT_EQ(window->lab().passage()->now, 3);
}

class BodiesDrawerTest : public testing::Test {
 protected:
  DrawingRequest request() const { return {{frame, {}, {}, {}}, 1}; }
  std::shared_ptr<const science::NBodyFrame> frame =
      science::NBodySimulation(science::make_scene({.scene = science::SceneKind::plummer, .bodies = 10}), {})
          .frame(science::frame_positions | science::frame_speeds, {});
};

TEST_F(BodiesDrawerTest, SaysWhyADrawingCannotBeMade) {
  std::promise<std::string> complaint;
  std::promise<jobs::Outcome> ended;
  BodiesDrawer drawer([](const auto&, const auto&) { throw std::bad_alloc(); },
                      [&](const std::string& error) { complaint.set_value(error); },
                      [] { ADD_FAILURE() << "nothing is lost"; });
  drawer.ask(request(), std::make_shared<jobs::Activity>(
                            [&](jobs::Outcome outcome) { ended.set_value(std::move(outcome)); }));
  const std::string error = complaint.get_future().get();
  EXPECT_NE(error.find("Memory ran out"), std::string::npos) << error;
  EXPECT_EQ(ended.get_future().get().error, error);
}

TEST_F(BodiesDrawerTest, DrawsNothingThatNobodyWillSee) {
  int drawn = 0;
  std::promise<void> begun, go_on;
  std::jthread later;
  {
    BodiesDrawer drawer(
        [&](const auto&, const auto&) {
          if (++drawn > 1) return;
          begun.set_value();
          go_on.get_future().wait();
        },
        [](const auto&) {}, [] {});
    drawer.ask(request());
    begun.get_future().wait();
    drawer.ask(request());
    later = std::jthread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));  // by then it has been told to stop
      go_on.set_value();
    });
  }
  EXPECT_EQ(drawn, 1);
}

/// Numbers of a device that is gone.
class LostValues final : public dispatch::DeviceValues {
 public:
  std::size_t size() const override { return 30; }
  bool readable() const override { return false; }
  void to_host(std::span<float>) const override { throw Error("It is gone."); }
  std::vector<float> at(std::span<const std::uint32_t>) const override { throw Error("It is gone."); }
};

TEST_F(BodiesDrawerTest, WhoeverWaitsForAFrameThatIsLostWaitsForTheNext) {
  std::promise<void> lost, drawn;
  std::promise<jobs::Outcome> ended;
  BodiesDrawer drawer([&](const auto&, const auto&) { drawn.set_value(); },
                      [](const std::string& error) { ADD_FAILURE() << error; }, [&] { lost.set_value(); });
  auto gone = std::make_shared<science::NBodyFrame>(*frame);
  gone->positions = dispatch::LazyValues(std::make_shared<const LostValues>());
  DrawingRequest wanted = request();
  wanted.frame = gone;
  drawer.ask(wanted, std::make_shared<jobs::Activity>(
                         [&](jobs::Outcome outcome) { ended.set_value(std::move(outcome)); }));
  lost.get_future().wait();
  auto outcome = ended.get_future();
  EXPECT_EQ(outcome.wait_for(std::chrono::seconds(0)), std::future_status::timeout) << "it still waits";
  drawer.ask(request());
  drawn.get_future().wait();
  EXPECT_EQ(outcome.get().error, "");
}

/// Two bodies on a circle about each other, and a third far away that hardly matters.
class TwoBodies : public NBodyLabTest {
 protected:
  void open() {
    std::ofstream(path("two.csv")) << "mass,x,y,z,vx,vy,vz\n0.5,0.5,0,0,0,0.5,0\n0.5,-0.5,0,0,0,-0.5,0\n";
    ASSERT_EQ(run({"file.open " + path("two.csv"), "parameter.set integrator hermite",
                   "parameter.set dt 0.02", "view.preset top", "parameter.set colour-by origin"}),
              "");
  }
  vtkRenderer& renderer() { return *window->view().renderer(); }
  /// Where a place is seen: parts of the view's width and height from the lower left corner, by VTK's own reckoning.
  std::array<double, 2> seen(double x, double y) {
    renderer().SetWorldPoint(x, y, 0, 1);
    renderer().WorldToDisplay();
    const double* there = renderer().GetDisplayPoint();
    return {there[0] / renderer().GetSize()[0], there[1] / renderer().GetSize()[1]};
  }
  void click(const std::array<double, 2>& place) {
    auto* surface = window->view().findChild<QOpenGLWidget*>();
    QWidget* target = surface != nullptr ? static_cast<QWidget*>(surface) : &window->view();
    QTest::mouseClick(target, Qt::LeftButton, Qt::NoModifier,
                      QPoint(static_cast<int>(place[0] * target->width()),
                             static_cast<int>((1 - place[1]) * target->height())));
  }
};

TEST_F(TwoBodies, AClickChoosesABodyAndReadsIt) {
  open();
  const int changes = window->undo_stack().count();
  click(seen(-0.5, 0));
  ASSERT_TRUE(QTest::qWaitFor([&] { return value("body") == "2"; }, patience_ms)) << value("body");
  ASSERT_TRUE(QTest::qWaitFor([&] { return run({"nbody.body"}).empty(); }, patience_ms));
  const auto reading = answer("nbody.body");
  EXPECT_EQ(reading["id"], 2);
  EXPECT_NEAR(reading["mass"].get<double>(), 0.5, 1e-7);
  EXPECT_NEAR(reading["position"][0].get<double>(), -0.5, 1e-6);
  EXPECT_NEAR(reading["velocity"][1].get<double>(), -0.5, 1e-6);
  EXPECT_NEAR(reading["speed"].get<double>(), 0.5, 1e-6);
  EXPECT_NEAR(reading["potential"].get<double>(), -0.5, 1e-6) << "of 0.5 at a distance of 1";
  EXPECT_NEAR(reading["energy"].get<double>(), 0.5 * 0.125 - 0.25, 1e-6);
  EXPECT_NEAR(reading["acceleration"][0].get<double>(), 0.5, 1e-6);
  EXPECT_NEAR(reading["exact_acceleration"][0].get<double>(), 0.5, 1e-12);
  EXPECT_LT(reading["force_error"].get<double>(), 1e-12) << "Hermite sums in double precision";
  EXPECT_EQ(window->undo_stack().count(), changes + 1);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("body"), "-1");
  EXPECT_NE(run({"nbody.body"}).find("No body is chosen"), std::string::npos);
  EXPECT_NE(run({"nbody.pick 7"}).find("There is no body 7"), std::string::npos);
  click(seen(0.3, 0.9));
  EXPECT_EQ(value("body"), "-1") << "there is none";
}

TEST_F(TwoBodies, TheCameraFollowsAndTrailsShowWhereABodyWas) {
  open();
  ASSERT_EQ(run({"nbody.pick 1", "nbody.follow body"}), "");
  const auto focus = [&] {
    std::array<double, 3> place{};
    renderer().GetActiveCamera()->GetFocalPoint(place.data());
    return place;
  };
  EXPECT_NEAR(focus()[0], 0.5, 1e-6);
  ASSERT_EQ(run({"nbody.step 40"}), "");
  // At the time 0.8 of an angular speed of 1.
  EXPECT_NEAR(focus()[0], 0.5 * std::cos(0.8), 1e-5);
  EXPECT_NEAR(focus()[1], 0.5 * std::sin(0.8), 1e-5);
  ASSERT_EQ(run({"nbody.follow centre-of-mass"}), "");
  EXPECT_NEAR(focus()[0], 0, 1e-6);
  ASSERT_EQ(run({"nbody.follow nothing"}), "");

  const auto light_near = [&](const std::string& image, const std::array<double, 2>& place) {
    const QImage picture = QImage(QString::fromStdString(image));
    int brightest = 0;
    for (int dx = -2; dx <= 2; ++dx) {
      for (int dy = -2; dy <= 2; ++dy) {
        brightest = std::max(brightest,
                             qGray(picture.pixel(static_cast<int>(place[0] * picture.width()) + dx,
                                                 static_cast<int>((1 - place[1]) * picture.height()) + dy)));
      }
    }
    return brightest;
  };
  const auto& size = renderer().GetSize();
  const std::string export_it =
      "file.export-image " + path("p.png") + " " + std::to_string(size[0]) + "x" + std::to_string(size[1]);
  ASSERT_EQ(run({export_it}), "");
  const auto where = seen(0.5 * std::cos(0.4), 0.5 * std::sin(0.4));  // at step 20
  EXPECT_LT(light_near(path("p.png"), where), 8);
  ASSERT_EQ(run({"nbody.trails body", export_it}), "");
  EXPECT_GT(light_near(path("p.png"), where), 60);
  ASSERT_EQ(run({"nbody.trails body 10", export_it}), "");
  EXPECT_LT(light_near(path("p.png"), where), 8) << "it does not reach so far back";
}

TEST_F(NBodyLabTest, DiagnosticsAreThoseOfTheMoment) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.step 6", "file.export " + path("run.diagnostics.csv")}), "");
  std::ifstream table(path("run.diagnostics.csv"));
  std::string line, last;
  int lines = 0;
  for (; std::getline(table, line); ++lines) last = line;
  EXPECT_EQ(lines, 8) << "names, and the steps 0 to 6";
  EXPECT_TRUE(last.starts_with("6,")) << last;
}

TEST_F(NBodyLabTest, TheCurveIsAFigure) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.step 6", "file.export " + path("run.diagnostics.svg")}), "");
  QFile file(QString::fromStdString(path("run.diagnostics.svg")));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  QXmlStreamReader xml(&file);
  QStringList points, texts;
  while (!xml.atEnd()) {
    xml.readNext();
    if (xml.isStartElement() && xml.name() == QLatin1String("path") && points.isEmpty())
      points = xml.attributes().value("d").toString().simplified().split(' ');
    if (xml.isStartElement() && xml.name() == QLatin1String("text")) texts += xml.readElementText();
  }
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  ASSERT_EQ(points.size(), 7) << "the steps 0 to 6";
  EXPECT_TRUE(points[0].startsWith('M') && points[1].startsWith('L'));
  const auto x = [&](int i) { return points[i].mid(1).section(',', 0, 0).toDouble(); };
  EXPECT_NEAR(x(1) - x(0), (x(6) - x(0)) / 6, 0.02) << "at even distances";
  EXPECT_TRUE(texts.contains("Step") && texts.contains("Energy error (relative)"))
      << texts.join("; ").toStdString();
}

class BranchTest : public NBodyLabTest {
 protected:
  /// Where the bodies are that left `scene` with one opening angle and went on with another from a step on.
  science::Bodies followed(const char* before, std::int64_t branch, const char* after, std::int64_t end,
                           const char* dt_after = nullptr) {
    science::SceneOptions scene;
    parameters::StructParameters scene_set(science::scene_schema(), scene);
    science::RunOptions options;
    parameters::StructParameters run_set(science::run_schema(), options);
    for (auto* set : {static_cast<parameters::ParameterSet*>(&scene_set),
                      static_cast<parameters::ParameterSet*>(&run_set)}) {
      for (const auto& each : set->descriptions())
        set->set(each.key, window->lab().parameters()->get(each.key));
    }
    run_set.set_text("opening-angle", before);
    science::NBodySimulation simulation(science::make_scene(scene), options);
    simulation.advance(branch);
    run_set.set_text("opening-angle", after);
    if (dt_after != nullptr) run_set.set_text("dt", dt_after);
    for (const char* key : {"opening-angle", "dt"}) simulation.set_parameter(key, run_set.get(key));
    simulation.advance(end - branch);
    return simulation.bodies();
  }
  std::vector<scene::ViewWidget*> views() {
    std::vector<scene::ViewWidget*> shown;
    for (auto* each : window->findChildren<scene::ViewWidget*>()) {
      if (each->isVisible()) shown.push_back(each);
    }
    return shown;
  }
  nlohmann::json state() { return window->lab().state()(); }
};

TEST_F(BranchTest, GoesItsOwnWayFromTheMomentThatIsShown) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"parameter.set solver barnes-hut", "parameter.set opening-angle 0.3", "nbody.step 9"}), "");
  const auto first = exported("first.csv");
  ASSERT_EQ(run({"nbody.seek 4", "nbody.branch opening-angle=1.2", "nbody.seek 9"}), "");
  EXPECT_EQ(views().size(), 2U);
  EXPECT_EQ(exported("again.csv").x, first.x) << "the first run is what it was";
  const auto expected = followed("0.3", 4, "1.2", 9);
  EXPECT_NE(expected.x, first.x) << "the parameter would matter";
  ASSERT_EQ(run({"nbody.branch-keep"}), "");
  EXPECT_EQ(views().size(), 1U);
  EXPECT_TRUE(status().starts_with("Step 9,")) << status();
  EXPECT_EQ(value("opening-angle"), "1.2");
  const auto kept = exported("kept.csv");
  EXPECT_EQ(kept.x, expected.x);
  EXPECT_EQ(kept.vz, expected.vz);
}

TEST_F(BranchTest, IsShownAtTheSameTimeThoughItsStepsAreOthers) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"parameter.set dt 0.01", "nbody.step 10", "nbody.seek 4", "nbody.branch dt=0.02",
                 "nbody.seek 10", "nbody.branch-keep"}),
            "");
  // 0.06 later: three of its steps.
  EXPECT_TRUE(status().starts_with("Step 7, t = 0.1 ")) << status();
}

TEST_F(BranchTest, ASessionKeepsABranchWhoseFirstRunHasChangedSince) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"parameter.set softening 0.2", "nbody.branch", "parameter.set softening 0.4",
                 "session.save " + path("work.isolume")}),
            "");
  const auto soft = [this] { return state()["branch"]["changes"].value("softening", std::string()); };
  EXPECT_EQ(soft(), "0.2");
  open_window();
  ASSERT_EQ(run({"session.open " + path("work.isolume")}), "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return views().size() == 2; }, patience_ms));
  EXPECT_EQ(value("softening"), "0.4");
  EXPECT_EQ(soft(), "0.2");
}

TEST_F(BranchTest, AChangeStartsItAgainAndIsUndone) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"parameter.set opening-angle 0.3", "nbody.step 8", "nbody.seek 3"}), "");
  const int changes = window->undo_stack().count();
  ASSERT_EQ(run({"nbody.branch", "nbody.branch-set opening-angle 0.9", "nbody.branch-set opening-angle 1.1"}),
            "");
  EXPECT_EQ(window->undo_stack().count(), changes + 3);
  EXPECT_EQ(state()["branch"]["changes"]["opening-angle"], "1.1");
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(state()["branch"]["changes"]["opening-angle"], "0.9");
  ASSERT_EQ(run({"edit.undo", "edit.undo"}), "");
  EXPECT_FALSE(state().contains("branch"));
  EXPECT_EQ(views().size(), 1U);
  ASSERT_EQ(run({"edit.redo", "edit.redo", "nbody.seek 8"}), "");
  EXPECT_EQ(views().size(), 2U);
  ASSERT_EQ(run({"nbody.branch-keep"}), "");
  EXPECT_EQ(exported("kept.csv").x, followed("0.3", 3, "0.9", 8).x);
}

TEST_F(BranchTest, WhatCannotBeIsRefused) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.step 5"}), "");
  EXPECT_NE(run({"nbody.branch-close"}).find("There is no branch"), std::string::npos);
  EXPECT_NE(run({"nbody.branch opening-angle"}).find("NAME=VALUE"), std::string::npos);
  EXPECT_NE(run({"nbody.branch brightness=2"}).find("brightness"), std::string::npos);
  EXPECT_NE(run({"nbody.branch softening-kind=spline solver=fmm"}).find("Spline softening"),
            std::string::npos);
  EXPECT_EQ(views().size(), 1U);
  ASSERT_EQ(run({"nbody.branch softening-kind=spline solver=direct"}), "") << "they go together";
  EXPECT_EQ(views().size(), 2U);
  ASSERT_EQ(run({"nbody.seek 2"}), "");
  EXPECT_NE(run({"nbody.rewind"}).find("begins at step 5"), std::string::npos);
  ASSERT_EQ(run({"nbody.branch-close", "nbody.rewind"}), "");
}

TEST_F(BranchTest, BothAreSeenFromTheSamePlaceAndBesideEachOtherInAnImage) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"parameter.set colour-by origin", "nbody.step 3", "nbody.branch", "nbody.step 2"}), "");
  ASSERT_EQ(views().size(), 2U);
  ASSERT_EQ(run({"view.preset top", "file.export-image " + path("both.png") + " 640x300"}), "");
  EXPECT_EQ(views()[0]->renderer()->GetActiveCamera(), views()[1]->renderer()->GetActiveCamera());
  const QImage picture(QString::fromStdString(path("both.png")));
  ASSERT_EQ(picture.size(), QSize(640, 300));
  double left = 0, difference = 0;
  for (int row = 60; row < picture.height(); ++row) {  // below the captions
    for (int column = 0; column < 320; ++column) {
      left += qGray(picture.pixel(column, row));
      difference += std::abs(qGray(picture.pixel(column, row)) - qGray(picture.pixel(column + 320, row)));
    }
  }
  EXPECT_GT(left, 1000);
  EXPECT_LT(difference, 0.01 * left) << "with the same parameters they are the same";
  ASSERT_EQ(run({"nbody.branch-set dt 0.1", "nbody.step 60",
                 "file.export-image " + path("apart.png") + " 640x300"}),
            "");
  const QImage apart(QString::fromStdString(path("apart.png")));
  double now = 0;
  for (int row = 60; row < apart.height(); ++row) {
    for (int column = 0; column < 320; ++column)
      now += std::abs(qGray(apart.pixel(column, row)) - qGray(apart.pixel(column + 320, row)));
  }
  EXPECT_GT(now, 0.05 * left);
}

TEST_F(BranchTest, ASessionBringsItBack) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"parameter.set opening-angle 0.3", "nbody.step 8", "nbody.seek 3",
                 "nbody.branch opening-angle=0.9", "nbody.seek 8", "session.save " + path("work.isolume")}),
            "");
  const auto expected = followed("0.3", 3, "0.9", 8);
  open_window();
  ASSERT_EQ(run({"session.open " + path("work.isolume")}), "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return views().size() == 2; }, patience_ms));
  ASSERT_EQ(run({"nbody.seek 8", "nbody.branch-keep"}), "");
  EXPECT_EQ(exported("kept.csv").x, expected.x);
}

/// Columns of a plot that was exported, without names; what is left out is none.
std::vector<std::vector<std::optional<double>>> columns_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<std::vector<std::optional<double>>> columns;
  while (std::getline(file, line)) {
    const QStringList cells = QString::fromStdString(line).split(',');
    columns.resize(static_cast<std::size_t>(cells.size()));
    for (qsizetype i = 0; i < cells.size(); ++i)
      columns[static_cast<std::size_t>(i)].push_back(cells[i].isEmpty() ? std::nullopt
                                                                        : std::optional(cells[i].toDouble()));
  }
  return columns;
}

TEST_F(BranchTest, TheChartShowsBothRuns) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"parameter.set opening-angle 0.3", "nbody.step 6", "nbody.seek 2",
                 "nbody.branch opening-angle=1.2", "nbody.seek 6", "nbody.plot kinetic-energy",
                 "file.export " + path("a.plot.csv"), "file.export " + path("a.diagnostics.svg")}),
            "");
  const auto columns = columns_of(path("a.plot.csv"));
  ASSERT_EQ(columns.size(), 3U) << "steps, and a column for each run";
  ASSERT_EQ(columns[0].size(), 7U);
  const auto kinetic = [](const science::Bodies& bodies) {
    double sum = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      sum += bodies.mass[i] / 2 *
             (bodies.vx[i] * bodies.vx[i] + bodies.vy[i] * bodies.vy[i] + bodies.vz[i] * bodies.vz[i]);
    return sum;
  };
  EXPECT_FALSE(columns[2][1].has_value()) << "it begins at step 2";
  EXPECT_EQ(columns[2][2], columns[1][2]) << "where both are one";
  EXPECT_NEAR(columns[1][6].value(), kinetic(followed("0.3", 2, "0.3", 6)), 1e-9);
  EXPECT_NEAR(columns[2][6].value(), kinetic(followed("0.3", 2, "1.2", 6)), 1e-9);
  const std::string figure = read_text_file(path("a.diagnostics.svg"));
  EXPECT_NE(figure.find("Opening angle 0.3"), std::string::npos) << figure;
  EXPECT_NE(figure.find("Opening angle 1.2"), std::string::npos);
}

/// Energies are compared with step 0 also where earlier steps are recorded.
TEST_F(NBodyLabTest, EnergyErrorsBackwardsAreSinceTheStart) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"parameter.set dt 0.05", "nbody.step 6", "nbody.seek 0", "nbody.step -3", "nbody.step -2",
                 "file.export " + path("back.diagnostics.csv"), "nbody.plot energy-error",
                 "file.export " + path("back.plot.csv")}),
            "");
  const auto table = columns_of(path("back.diagnostics.csv")), plot = columns_of(path("back.plot.csv"));
  ASSERT_EQ(table[0].front(), -5);
  const auto row = [&](double step) { return std::ranges::find(table[0], step) - table[0].begin(); };
  const auto energy = [&](double step) { return table[4].at(static_cast<std::size_t>(row(step))).value(); };
  for (const double step : {-5., -3., 0., 1., 6.}) {
    const double error = (energy(step) - energy(0)) / std::abs(energy(0));
    EXPECT_NEAR(table[5].at(static_cast<std::size_t>(row(step))).value(), error, 1e-12) << step;
    const auto plotted = plot[1].at(static_cast<std::size_t>(step + 5));
    EXPECT_NEAR(plotted.value(), error, 1e-5 * std::abs(error) + 1e-12) << step;
    EXPECT_EQ(std::abs(error) > 1e-9, step != 0) << "energies differ, and are compared: " << step;
  }
}

TEST_F(NBodyLabTest, ARunWhoseEnergyChangesIsNotReliable) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.step 2"}), "");
  EXPECT_EQ(warning().find("not reliable"), std::string::npos) << warning();
  ASSERT_EQ(run({"parameter.set dt 2", "nbody.step 6"}), "");
  EXPECT_NE(warning().find("The energy has changed by"), std::string::npos) << warning();
  EXPECT_NE(warning().find("the run is not reliable"), std::string::npos) << warning();
  ASSERT_EQ(run({"nbody.scene king 300"}), "");
  EXPECT_EQ(warning().find("not reliable"), std::string::npos) << warning();
}

TEST_F(NBodyLabTest, TheTimeOfAStepIsSplitByPhase) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.step 4", "nbody.plot phases", "file.export " + path("phases.plot.csv"),
                 "nbody.plot step-time", "file.export " + path("whole.plot.csv")}),
            "");
  const auto phases = columns_of(path("phases.plot.csv")), whole = columns_of(path("whole.plot.csv"));
  ASSERT_EQ(phases.size(), 6U) << "steps, tree, forces, integration, diagnostics, drawing";
  ASSERT_EQ(phases[0].size(), 5U);
  for (std::size_t step = 1; step < 5; ++step) {
    EXPECT_NEAR(phases[1][step].value() + phases[2][step].value() + phases[3][step].value(),
                whole[1][step].value(), 1e-9);
    EXPECT_GT(phases[2][step].value(), 0);
    EXPECT_GT(phases[4][step].value(), 0);
  }
  EXPECT_GT(phases[5][4].value(), 0) << "it has been drawn";
}

TEST_F(NBodyLabTest, ForceErrorsAreMeasuredWhileTimeRuns) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"parameter.set error 1e-3", "nbody.plot force-errors"}), "");
  const auto measured = [&] {
    if (!run({"nbody.step 1", "file.export " + path("e.plot.csv")}).empty()) return false;
    const auto columns = columns_of(path("e.plot.csv"));
    return columns.size() == 4 && columns[3].back().has_value();
  };
  ASSERT_TRUE(QTest::qWaitFor(measured, patience_ms));
  const auto columns = columns_of(path("e.plot.csv"));
  const double median = columns[1].back().value(), p90 = columns[2].back().value(),
               p99 = columns[3].back().value();
  EXPECT_LT(0, median);
  EXPECT_LT(median, p90);
  EXPECT_LT(p90, p99);
  EXPECT_LT(p99, 1e-3) << "that was asked for";
  // The table has it at its step, and at others nothing.
  ASSERT_EQ(run({"file.export " + path("e.diagnostics.csv")}), "");
  const auto table = columns_of(path("e.diagnostics.csv"));
  ASSERT_EQ(table.size(), 24U);
  std::vector<double> errors;
  for (const auto& each : table[23]) {
    if (each) errors.push_back(*each);
  }
  ASSERT_FALSE(errors.empty());
  EXPECT_LT(errors.size(), table[23].size());
  EXPECT_NEAR(errors.back() / p99, 1, 1e-6);
}

TEST_F(NBodyLabTest, TheSolversAreMeasuredAgainstEachOther) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.crossover 0.01 2048", "file.export " + path("c.plot.csv")}), "");
  const auto columns = columns_of(path("c.plot.csv"));
  ASSERT_EQ(columns.size(), 4U) << "bodies and three solvers";
  ASSERT_EQ(columns[0].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(columns[0][i].value(), 512 << i, 1e-3);
  for (std::size_t solver = 1; solver < 4; ++solver) {
    for (const auto& seconds : columns[solver]) EXPECT_GT(seconds.value(), 0);
  }
}

TEST_F(NBodyLabTest, AFileDoesNotTakeTheChoicesOfWhatWasShownBefore) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"file.export " + path("alone.csv")}), "");
  ASSERT_EQ(run({"file.open " + path("alone.csv")}), "");
  const std::vector<const char*> keys{"dt",          "softening", "exposure",     "trails",
                                      "trail-steps", "body",      "opening-angle"};
  std::vector<std::string> alone;
  for (const char* key : keys) alone.push_back(value(key));
  open_window();
  ASSERT_EQ(run({"lab.show nbody", "nbody.scene solar-system", "parameter.set dt 0.0005",
                 "parameter.set exposure 3", "nbody.trails all", "parameter.set trail-steps 77",
                 "nbody.pick 3", "parameter.set opening-angle 0.4"}),
            "");
  ASSERT_EQ(run({"file.open " + path("alone.csv")}), "");
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(value(keys[i]), alone[i]) << keys[i];
}

TEST_F(NBodyLabTest, AFileOpensAndASessionBringsItsMomentBack) {
  ASSERT_EQ(run(small()), "");
  exported("start.csv");
  ASSERT_EQ(run({"file.open " + path("start.csv"), "parameter.set dt 0.015", "nbody.step 7"}), "");
  EXPECT_FALSE(window->lab().parameters()->has("scene"));
  const auto seventh = exported("7.csv");
  ASSERT_EQ(run({"session.save " + path("work.isolume")}), "");
  open_window();
  ASSERT_EQ(run({"session.open " + path("work.isolume")}), "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return status().starts_with("Step 7,"); }, patience_ms)) << status();
  EXPECT_EQ(value("dt"), "0.015");
  EXPECT_EQ(exported("back.csv").x, seventh.x);
}

/// "size" is what that parameter was called before.
TEST_F(NBodyLabTest, ASessionOfBeforeKeepsTheSizeOfItsBodies) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"parameter.set body-size 3", "session.save " + path("work.isolume")}), "");
  std::string session = read_text_file(path("work.isolume"));
  const std::size_t key = session.find("\"body-size\"");
  ASSERT_NE(key, std::string::npos);
  session.replace(key, std::string("\"body-size\"").size(), "\"size\"");
  std::ofstream(path("before.isolume")) << session;
  open_window();
  ASSERT_EQ(run({"session.open " + path("before.isolume")}), "");
  EXPECT_EQ(value("body-size"), "3");
}

}  // namespace
}  // namespace isolume::labs::nbody
