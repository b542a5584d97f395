// The lab in a window.
#include <QApplication>
#include <QDir>
#include <QImage>
#include <QLabel>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include "app/labs/nbody/diagnostics_panel.h"
#include "app/workbench/main_window.h"
#include "core/nbody/csv.h"
#include "core/nbody/nbody_simulation.h"
#include "core/nbody/scenes.h"
#include "gpu/machine.h"

namespace isolume::labs::nbody {

workbench::LabEntry lab_entry();

namespace {

namespace science = isolume::nbody;
constexpr int patience_ms = 60000;

class NBodyLabTest : public testing::Test {
 protected:
  NBodyLabTest() {
    QSettings().clear();
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
    open_window();
  }
  void open_window() {
    window = std::make_unique<workbench::MainWindow>(std::vector{lab_entry()}, gpu::make_device_pool);
    window->resize(1200, 800);
    window->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get(), patience_ms));
    QApplication::setActiveWindow(window.get());
  }
  /// Runs the lines, each when the work of the one before has ended; gives the error, or nothing.
  std::string run(const std::vector<std::string>& lines) {
    std::optional<std::string> end;
    std::vector<commands::ScriptLine> script;
    for (const std::string& line : lines) script.push_back({"", line});
    window->run_script(script, [&end](const std::string& error) { end = error; });
    return QTest::qWaitFor([&] { return end.has_value(); }, patience_ms) ? *end : "no end";
  }
  std::string value(const char* key) { return parameters::to_text(window->lab().parameters()->get(key)); }
  std::string status() { return window->findChild<QLabel*>("status")->text().toStdString(); }
  std::string path(const char* name) const { return folder.filePath(name).toStdString(); }
  /// Few bodies that everything is quick with.
  std::vector<std::string> small() { return {"lab.show nbody", "nbody.scene plummer 500 7"}; }
  science::Bodies exported(const char* name) {
    EXPECT_EQ(run({"file.export " + path(name)}), "");
    return science::read_bodies_csv(path(name));
  }

  QTemporaryDir folder;
  std::unique_ptr<workbench::MainWindow> window;
};

TEST_F(NBodyLabTest, StartsWithTwoGalaxiesAndNoFile) {
  ASSERT_EQ(run({"lab.show nbody"}), "");
  EXPECT_EQ(value("scene"), "encounter");
  EXPECT_TRUE(status().starts_with("Step 0, t = 0 (G = 1) | 20000 bodies")) << status();
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

TEST_F(NBodyLabTest, RunsBackBeforeItsStart) {
  ASSERT_EQ(run(small()), "");
  ASSERT_EQ(run({"nbody.step -4"}), "");
  EXPECT_TRUE(status().starts_with("Step -4,")) << status();
  EXPECT_NE(status().find("t = -"), std::string::npos) << status();
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
  const std::string error = run({"parameter.set softening-kind spline"});
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
  double light = 0, x = 0, y = 0;
  for (int row = 0; row < picture.height(); ++row) {
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

TEST_F(NBodyLabTest, AFileOpensAndASessionBringsItsMomentBack) {
  ASSERT_EQ(run(small()), "");
  exported("start.csv");
  ASSERT_EQ(run({"file.open " + path("start.csv"), "parameter.set dt 0.015", "nbody.step 7"}), "");
  EXPECT_FALSE(window->lab().parameters()->has("scene"));
  const auto seventh = exported("7.csv");
  ASSERT_EQ(run({"session.save " + path("work.isolume")}), "");
  window.reset();
  open_window();
  ASSERT_EQ(run({"session.open " + path("work.isolume")}), "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return status().starts_with("Step 7,"); }, patience_ms)) << status();
  EXPECT_EQ(value("dt"), "0.015");
  EXPECT_EQ(exported("back.csv").x, seventh.x);
}

}  // namespace
}  // namespace isolume::labs::nbody
