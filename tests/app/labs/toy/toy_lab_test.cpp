// The lab in the window of a program that has it beside those that people get.
#include <QAbstractButton>
#include <QAction>
#include <QImage>
#include <QLabel>
#include <QListWidget>
#include <QRegularExpression>
#include <QTest>
#include <QTreeWidget>
#include <QUndoStack>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "app/fields/computed_field_lab.h"
#include "app/fields/field_panel.h"
#include "app/isolume/labs.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/commands/command_palette.h"
#include "app/workbench/exports/screenshot.h"
#include "app/workbench/manual/manual_window.h"
#include "app/workbench/window/main_window.h"
#include "tests/app/lab_window_test.h"
#include "tests/app/labs/toy/description.h"

namespace isolume::labs::toy {
namespace {

/// The part of the pixels whose brightness is another by more than a quarter of black to white.
double different_pixels(const QImage& a, const QImage& b) {
  if (a.size() != b.size()) return 1;
  int count = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (int x = 0; x < a.width(); ++x) count += std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y))) > 64;
  }
  return static_cast<double>(count) / (a.width() * a.height());
}

class ToyLabTest : public LabWindowTest {
 protected:
  ToyLabTest() : LabWindowTest(workbench::labs()) {}
  double parameter(const char* key) { return std::get<double>(window->lab().parameters()->get(key)); }
  /// Of all parameters, as text.
  std::map<std::string, std::string> all_values() {
    std::map<std::string, std::string> values;
    const auto& set = *window->lab().parameters();
    for (const auto& each : set.descriptions()) values[each.key] = parameters::to_text(set.get(each.key));
    return values;
  }
};

TEST_F(ToyLabTest, StandsInMenuAndOnTheWelcomePageAndStartsWithoutAFile) {
  auto* tile = window->findChild<QAbstractButton*>("welcome.lab.toy");
  ASSERT_NE(tile, nullptr);
  EXPECT_TRUE(tile->isVisible());
  auto* show = window->findChild<QAction*>("lab.show toy");
  ASSERT_NE(show, nullptr);
  const auto labs = window->findChildren<QAction*>(QRegularExpression("^lab\\.show ")).size();
  EXPECT_EQ(show->shortcut(), QKeySequence(QString("Ctrl+%1").arg(labs))) << "after those that people get";
  QTest::mouseClick(tile, Qt::LeftButton);
  EXPECT_TRUE(show->isChecked());
  EXPECT_EQ(window->windowTitle(), "Two pulses - Isolume");
  ASSERT_EQ(run({}), "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return status().find("refined") != std::string::npos; }, patience_ms))
      << status();
  EXPECT_NE(status().find("Two pulses"), std::string::npos) << status();
  EXPECT_EQ(window->findChild<QWidget*>("welcome-page")->isVisible(), false);
  ASSERT_EQ(run({"toy.probe 4 0 0"}), "");
  EXPECT_TRUE(status().starts_with("0.9") || status().starts_with("1")) << status();
  if (const auto wanted = qgetenv("ISOLUME_TOY_SCREENSHOT"); !wanted.isEmpty()) {
    ASSERT_EQ(run({"parameter.set slice true", "parameter.set enclosed 0.6"}), "");
    workbench::write_screenshot(*window, wanted.toStdString());
  }
}

TEST_F(ToyLabTest, ItsParametersAreInThePanelAndItsCommandsInThePalette) {
  ASSERT_EQ(run({"lab.show toy"}), "");
  for (const char* key : {"distance", "width", "time", "spacing", "isovalue", "slice"})
    EXPECT_FALSE(window->findChildren<QWidget*>(QRegularExpression(QString("^%1\\.").arg(key))).isEmpty())
        << key;
  EXPECT_EQ(window->lab().parameters()->description("isovalue").unit, "mV");
  ASSERT_TRUE(window->run("command.palette toy.pro"));
  auto* palette = window->findChild<workbench::CommandPalette*>();
  ASSERT_NE(palette, nullptr);
  EXPECT_TRUE(palette->isVisible());
  const auto* rows = palette->findChild<QTreeWidget*>();
  ASSERT_NE(rows, nullptr);
  ASSERT_GT(rows->topLevelItemCount(), 0);
  EXPECT_TRUE(rows->topLevelItem(0)->text(0).contains("Probe value"))
      << rows->topLevelItem(0)->text(0).toStdString();
}

TEST_F(ToyLabTest, ThePanelOfValuesHasTheHistogramAndTheLine) {
  ASSERT_EQ(run({"lab.show toy", "toy.probe 0 0 0"}), "");
  auto* panel = window->findChild<fields::FieldPanel*>();
  ASSERT_NE(panel, nullptr);
  ASSERT_TRUE(QTest::qWaitFor([&] { return panel->isVisible(); }, patience_ms));
  QTest::qWait(300);
  const QImage without_line = panel->grab().toImage();
  ASSERT_EQ(run({"toy.line -8 0 0 8 0 0"}), "");
  const QImage with_line = panel->grab().toImage();
  EXPECT_NE(with_line, without_line);
  if (const auto wanted = qgetenv("ISOLUME_TOY_SCREENSHOT"); !wanted.isEmpty())
    with_line.save(wanted + ".values.png");
}

TEST_F(ToyLabTest, EveryChangeOfAParameterCanBeUndone) {
  ASSERT_EQ(run({"lab.show toy", "parameter.set distance 6", "parameter.set slice true"}), "");
  EXPECT_EQ(window->undo_stack().count(), 2);
  ASSERT_EQ(run({"edit.undo", "edit.undo"}), "");
  EXPECT_EQ(parameter("distance"), 8);
  ASSERT_EQ(run({"edit.redo"}), "");
  EXPECT_EQ(parameter("distance"), 6);
}

TEST_F(ToyLabTest, MovingTheIsovalueLeavesTheEnclosedFractionBehindUntilItIsUndone) {
  ASSERT_EQ(run({"lab.show toy", "parameter.set isovalue 0.25"}), "");
  const auto mode = [&] { return std::get<std::string>(window->lab().parameters()->get("isovalue-mode")); };
  EXPECT_EQ(mode(), "value");
  // Of a Gaussian's square, what lies where it is above a quarter of its height: r^2 < w^2 2 ln 4, chi-square with three
  // degrees of freedom at 4 ln 4 = 5.545, which is 0.8640.
  EXPECT_NEAR(parameter("enclosed"), 0.864, 0.01);
  ASSERT_EQ(run({"edit.undo"}), "");  // the value, with the mode that it changed
  EXPECT_EQ(mode(), "enclosed");
  EXPECT_NEAR(parameter("enclosed"), 0.85, 1e-3) << "of the isovalue that was there before";
}

TEST_F(ToyLabTest, TimeRunsStepsAndIsSoughtWithoutEntriesInTheUndoList) {
  ASSERT_EQ(run({"lab.show toy", "toy.seek 1"}), "");
  EXPECT_EQ(parameter("time"), 1);
  ASSERT_EQ(run({"toy.probe 0 4 0"}), "");
  EXPECT_TRUE(status().starts_with("0.9") || status().starts_with("1")) << status();
  ASSERT_TRUE(window->run("toy.play"));
  EXPECT_TRUE(window->findChild<QAction*>("toy.play")->isChecked());
  EXPECT_TRUE(QTest::qWaitFor([&] { return parameter("time") > 1.2; }, patience_ms));
  ASSERT_TRUE(window->run("toy.stop"));
  const double stopped = parameter("time");
  QTest::qWait(200);
  EXPECT_EQ(parameter("time"), stopped);
  EXPECT_EQ(window->undo_stack().count(), 0);
}

TEST_F(ToyLabTest, TheLineBelowTheViewRunsItsCommands) {
  ASSERT_EQ(run({"lab.show toy"}), "");
  const auto click = [&](const char* name) {
    QTest::mouseClick(window->page().findChild<QAbstractButton*>(name), Qt::LeftButton);
  };
  ASSERT_EQ(run({"script.record"}), "");
  click("playback.button");
  EXPECT_TRUE(window->lab().moving());
  click("playback.button");
  EXPECT_FALSE(window->lab().moving());
  click("playback.reverse");
  ASSERT_EQ(run({"script.stop"}), "");
  EXPECT_EQ(window->recorder().lines(), (std::vector<std::string>{"toy.play", "toy.stop", "toy.reverse"}));
}

TEST_F(ToyLabTest, AnotherLabInFrontStopsIt) {
  ASSERT_EQ(run({"lab.show toy"}), "");
  ASSERT_TRUE(window->run("toy.play"));
  ASSERT_TRUE(window->lab().moving());
  ASSERT_TRUE(window->run("lab.show orbitals"));
  ASSERT_TRUE(window->run("lab.show toy"));
  EXPECT_FALSE(window->lab().moving());
}

TEST_F(ToyLabTest, ASessionBringsItBackAsItWas) {
  ASSERT_EQ(run({"lab.show toy", "parameter.set width 2.5", "toy.seek 3", "toy.speed 0.5", "toy.reverse",
                 "view.preset top", "session.save " + path("toy.isolume")}),
            "");
  open_window();
  ASSERT_EQ(run({"file.open " + path("toy.isolume")}), "");
  EXPECT_EQ(window->windowTitle(), "Two pulses - Isolume");
  EXPECT_EQ(parameter("width"), 2.5);
  EXPECT_EQ(parameter("time"), 3);
  EXPECT_EQ(window->lab().state()(), nlohmann::json({{"speed", 0.5}, {"reversed", true}}));
}

TEST_F(ToyLabTest, ARecordedScriptGivesTheSamePicture) {
  const auto image = [&](const char* name) {
    EXPECT_EQ(run({"file.export-image " + path(name) + " 320x240"}), "");
    return QImage(QString::fromStdString(path(name)));
  };
  const auto show = [&] {
    EXPECT_EQ(run({"lab.show toy"}), "");
    // Until the docks have their room: a view is fitted to its shape.
    QSize size;
    for (int same = 0; same < 10; ++same) {
      if (std::exchange(size, window->view().size()) != window->view().size()) same = 0;
      QTest::qWait(20);
    }
    return size;
  };
  const QSize size = show();
  ASSERT_EQ(run({"script.record", "parameter.set distance 5", "toy.seek 0.5", "view.preset top",
                 "parameter.set slice true", "script.stop", "script.save " + path("toy.isoscript")}),
            "");
  const QImage before = image("before.png");
  const auto values = all_values();
  const std::string camera = scene::camera_text(*window->view().renderer());
  ASSERT_FALSE(before.isNull());
  open_window();
  ASSERT_EQ(show(), size);
  EXPECT_GT(different_pixels(image("default.png"), before), 0.1);
  ASSERT_EQ(run({"script.run " + path("toy.isoscript")}), "");
  EXPECT_EQ(all_values(), values);
  EXPECT_EQ(scene::camera_text(*window->view().renderer()), camera);
  // An image is framed by what the view has drawn; a frame more or less moves edges by parts of a pixel.
  EXPECT_LT(different_pixels(image("after.png"), before), 0.005);
}

/// Whether the view shows a draft meanwhile or the full picture.
TEST_F(ToyLabTest, TwoImagesOfTheSameViewAreTheSame) {
  ASSERT_EQ(run({"lab.show toy"}), "");
  for (const char* change : {"parameter.set slice true", "view.preset top", "parameter.set distance 5",
                             "parameter.set slice false", "view.zoom-in", "parameter.set slice true"}) {
    ASSERT_EQ(run({change}), "");
    std::vector<QImage> images;
    for (const char* name : {"first.png", "second.png"}) {
      if (!images.empty()) QTest::qWait(500);  // nothing moves the camera later
      ASSERT_EQ(run({"file.export-image " + path(name) + " 320x240"}), "");
      images.emplace_back(QString::fromStdString(path(name)));
    }
    EXPECT_TRUE(images[0] == images[1]) << change;
  }
}

/// The same field without time.
class StillFieldTest : public LabWindowTest {
 protected:
  StillFieldTest() : LabWindowTest({still()}) {}
  static workbench::LabEntry still() {
    auto declared = field();
    declared.name = "still";
    declared.time.clear();
    return fields::lab_of(declared);
  }
};

TEST_F(StillFieldTest, HasParametersAndNoClock) {
  ASSERT_EQ(run({"lab.show still", "parameter.set time 1", "still.probe 0 4 0"}), "");
  EXPECT_TRUE(status().starts_with("0.9") || status().starts_with("1")) << status();
  EXPECT_EQ(window->commands().find("still.play"), nullptr);
  EXPECT_FALSE(window->page().findChild<QAbstractButton*>("playback.button")->isVisible());
}

TEST_F(ToyLabTest, AScriptShowsTheLabWhoseCommandItRuns) {
  ASSERT_EQ(run({"toy.seek 2"}), "");
  EXPECT_TRUE(window->findChild<QAction*>("lab.show toy")->isChecked());
}

TEST_F(ToyLabTest, ItsPageIsInTheManual) {
  ASSERT_TRUE(window->run("help.manual circle each other"));
  auto* manual = window->findChild<workbench::ManualWindow*>("manual");
  ASSERT_NE(manual, nullptr);
  const auto* hits = manual->findChild<QListWidget*>("manual.hits");
  EXPECT_EQ(hits->findItems("The Toy lab", Qt::MatchStartsWith).size(), 1);
}

TEST_F(ToyLabTest, RefusesFilesAndExportsItsSurface) {
  std::ofstream(path("some.xyzzy")) << "what";
  ASSERT_EQ(run({"lab.show toy", "file.export " + path("pulses.stl")}), "");
  EXPECT_GT(QFileInfo(QString::fromStdString(path("pulses.stl"))).size(), 84);
  EXPECT_NE(run({"file.open " + path("some.xyzzy")}).find("opens no files"), std::string::npos);
}

}  // namespace
}  // namespace isolume::labs::toy
