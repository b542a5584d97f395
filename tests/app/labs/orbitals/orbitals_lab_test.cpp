#include "app/labs/orbitals/orbitals_lab.h"

#include <QApplication>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QSlider>
#include <QStyle>
#include <QStyleOptionSlider>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include <gtest/gtest.h>
#include <vtkCommand.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGReader.h>
#include <vtkRenderer.h>

#include "app/fields/chart.h"
#include "app/fields/field_panel.h"
#include "app/labs/orbitals/level_diagram.h"
#include "app/labs/orbitals/molecule_info.h"
#include "app/labs/orbitals/orbital_table.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/files/image.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/commands/palette_search.h"
#include "app/workbench/window/main_window.h"
#include "core/base/resources.h"
#include "core/base/units.h"
#include "core/grid/scalar_field.h"
#include "core/molecules/document.h"
#include "gpu/machine.h"
#include "tests/app/menu_letters.h"
#include "tests/app/patience.h"

namespace isolume::labs::orbitals {
namespace {

struct FrameCount {
  int frames = 0;
  void count() { ++frames; }
};

/// The lab in the real window, driven by command lines.
class OrbitalsLabTest : public testing::Test {
 protected:
  OrbitalsLabTest() {
    QSettings().clear();  // recent files of the test before, too
    workbench::LabEntry entry = lab_entry();
    entry.make = [this, make = entry.make](workbench::LabContext& context) {
      context.show_warning = [this, show = context.show_warning](const QString& text) {
        warning = text;
        show(text);
      };
      return make(context);
    };
    window = std::make_unique<workbench::MainWindow>(std::vector{entry}, gpu::make_device_pool);
    window->resize(1000, 700);
    window->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get(), patience_ms));
  }

  /// Runs the lines one after the other, each when the work of the one before has ended; gives the error, or
  /// nothing.
  QString run(const std::vector<std::string>& lines) {
    settle();
    std::optional<std::string> end;
    std::vector<commands::ScriptLine> script;
    for (const std::string& line : lines) script.push_back({"", line});
    window->run_script(script, [&end](const std::string& error) { end = error; });
    if (!QTest::qWaitFor([&] { return end.has_value(); }, patience_ms)) return QStringLiteral("no end");
    return QString::fromStdString(*end);
  }
  /// Until what the hand has begun has ended: what a job hands over may start the next.
  void settle() {
    for (int quiet = 0; quiet < 3; ++quiet) {
      if (window->busy()) quiet = -1;
      QTest::qWait(10);
    }
  }
  QString open_sample(const char* name) {
    return run({"file.open " + commands::quote(resource(name).string())});
  }
  QString open(const std::filesystem::path& path) {
    return run({"file.open " + commands::quote(path.string())});
  }
  std::filesystem::path file(const char* name, const std::string& content = {}) {
    const std::filesystem::path path = folder.filePath(QString::fromLatin1(name)).toStdString();
    if (!content.empty()) std::ofstream(path) << content;
    return path;
  }
  std::string export_line(const std::filesystem::path& path) const {
    return "file.export " + commands::quote(path.string());
  }
  std::string status() const { return window->findChild<QLabel*>("status")->text().toStdString(); }
  std::string value(std::string_view key) {
    return parameters::to_text(window->lab().parameters()->get(key));
  }
  /// How many pixels of the view are clearly blue or clearly orange: the lobes.
  std::pair<int, int> lobe_pixels() {
    const QImage image = window->view().grabFramebuffer().convertToFormat(QImage::Format_RGB32);
    int blue = 0, orange = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        const QColor colour = image.pixelColor(x, y);
        blue += colour.blue() > colour.red() + 60;
        orange += colour.red() > colour.blue() + 60;
      }
    }
    return {blue, orange};
  }
  /// The same of a picture in which this holds of them; of the last picture if there is none.
  std::pair<int, int> lobe_pixels_when(const std::function<bool(int blue, int orange)>& holds) {
    std::pair<int, int> pixels;
    (void)QTest::qWaitFor(
        [&] {
          pixels = lobe_pixels();
          return holds(pixels.first, pixels.second);
        },
        patience_ms);
    return pixels;
  }
  static bool both_are_large(int blue, int orange) { return blue > 2000 && orange > 2000; }

  QTemporaryDir folder;
  QString warning;
  std::unique_ptr<workbench::MainWindow> window;
};

TEST_F(OrbitalsLabTest, ASampleShowsItsHomoAtOnce) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  EXPECT_NE(status().find("HOMO (21)"), std::string::npos) << status();
  EXPECT_NE(status().find("0.1 Å (refined)"), std::string::npos) << status();
  EXPECT_NE(status().find("encloses 85 %"), std::string::npos) << status();
  EXPECT_TRUE(warning.isEmpty());
  const auto [blue, orange] = lobe_pixels_when(both_are_large);
  EXPECT_GT(blue, 2000);
  EXPECT_GT(orange, 2000);
  EXPECT_LT(std::abs(blue - orange), (blue + orange) / 2);  // an orbital that changes sign under inversion
}

TEST_F(OrbitalsLabTest, SteppingIsFollowedByTableAndDiagramAndCanBeUndone) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  auto* table = window->findChild<OrbitalTable*>("orbital-table");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->view()->currentIndex().row(), 20);
  ASSERT_EQ(run({"orbitals.next"}), QString());
  EXPECT_NE(status().find("LUMO (22)"), std::string::npos) << status();
  EXPECT_EQ(table->view()->currentIndex().row(), 21);
  ASSERT_EQ(run({"orbitals.previous", "orbitals.previous"}), QString());
  EXPECT_EQ(value("orbital"), "20");
  ASSERT_EQ(run({"edit.undo", "edit.undo", "edit.undo"}), QString());
  EXPECT_EQ(value("orbital"), "homo");
  EXPECT_NE(status().find("HOMO (21)"), std::string::npos) << status();
  EXPECT_EQ(table->view()->currentIndex().row(), 20);
}

TEST_F(OrbitalsLabTest, ArrowKeysInTheTableAndClicksInTheDiagramChoose) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  auto* table = window->findChild<OrbitalTable*>("orbital-table")->view();
  QTest::keyClick(table, Qt::Key_Down);
  ASSERT_EQ(run({}), QString());
  EXPECT_EQ(value("orbital"), "22");
  auto* diagram = window->findChild<LevelDiagram*>("level-diagram");
  QTest::mouseClick(diagram, Qt::LeftButton, {}, diagram->bar(19).center().toPoint());
  ASSERT_EQ(run({}), QString());
  EXPECT_EQ(value("orbital"), "20");
  EXPECT_EQ(table->currentIndex().row(), 19);
}

TEST_F(OrbitalsLabTest, AHeldKeyShowsWhatItPassesOfALargeMolecule) {
  ASSERT_EQ(open_sample("samples/c60.molden.gz"), QString());
  FrameCount drawn;
  auto* renderer = window->view().renderer();
  const auto tag = renderer->AddObserver(vtkCommand::EndEvent, &drawn, &FrameCount::count);
  auto* table = window->findChild<OrbitalTable*>("orbital-table")->view();
  std::set<std::string> shown;
  constexpr int most_steps = 150, repeat_ms = 33;
  int steps = 0;
  // The key never rests: what is shown meanwhile is shown in passing.
  for (; steps < most_steps && (shown.size() < 5 || drawn.frames < 5); ++steps) {
    QTest::keyClick(table, Qt::Key_Up);
    QTest::qWait(repeat_ms);
    shown.insert(status().substr(0, status().find(" |")));
  }
  renderer->RemoveObserver(tag);
  EXPECT_LT(steps, most_steps) << shown.size() << " orbitals in " << drawn.frames << " frames";
  ASSERT_EQ(run({}), QString());
  EXPECT_EQ(std::stoi(value("orbital")), 180 - steps);
  EXPECT_NE(status().find("(refined)"), std::string::npos) << status();
}

TEST_F(OrbitalsLabTest, AfterOpeningTheArrowKeysStepAtOnce) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  ASSERT_NE(window->focusWidget(), nullptr);
  QTest::keyClick(window->focusWidget(), Qt::Key_Down);
  ASSERT_EQ(run({}), QString());
  EXPECT_EQ(value("orbital"), "22");
}

TEST_F(OrbitalsLabTest, TheIsovalueTurnsTheModeAndUndoTurnsItBack) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  const auto* reset = window->findChild<QToolButton*>("isovalue.reset");
  ASSERT_NE(reset, nullptr);
  EXPECT_FALSE(reset->isEnabled()) << "a computed isovalue is not the user's";
  ASSERT_EQ(run({"parameter.set isovalue 0.05"}), QString());
  EXPECT_TRUE(reset->isEnabled());
  EXPECT_EQ(value("isovalue-mode"), "value");
  EXPECT_NE(status().find("isovalue 0.05 bohr⁻³ᐟ²"), std::string::npos) << status();
  const double enclosed = std::stod(value("enclosed"));
  EXPECT_LT(enclosed, 0.85);  // a larger isovalue encloses less
  // Beyond what may be chosen, the panel shows what is, as the status line.
  ASSERT_EQ(run({"parameter.set isovalue 9"}), QString());
  EXPECT_NE(status().find("encloses 0 %"), std::string::npos) << status();
  const auto* box = window->findChild<QDoubleSpinBox*>("enclosed.number");
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(box->value(), 0);
  ASSERT_EQ(run({"parameter.set isovalue 0.04", "edit.undo"}), QString())
      << "what was computed comes back, too";
  EXPECT_EQ(value("isovalue"), "9");
  ASSERT_EQ(run({"edit.undo"}), QString());
  EXPECT_NEAR(box->value(), enclosed, 1e-12);
  ASSERT_EQ(run({"edit.undo"}), QString());
  EXPECT_EQ(value("isovalue-mode"), "enclosed");
  EXPECT_NE(status().find("encloses 85 %"), std::string::npos) << status();
  ASSERT_EQ(run({"parameter.set isovalue 0.05", "parameter.reset"}), QString());
  EXPECT_EQ(value("isovalue-mode"), "enclosed");
  EXPECT_NE(status().find("encloses 85 %"), std::string::npos) << status();
}

TEST_F(OrbitalsLabTest, DraggingTheIsovalueEndsAtTheLastValueWithTheSameField) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  // The field's own time stands in the readings; a field computed anew would have another.
  const auto field_time = [this] {
    const std::string text = status();
    const auto end = text.find(" ms field");
    return text.substr(text.rfind('|', end), end - text.rfind('|', end));
  };
  const std::string before = field_time();
  const std::string points = status().substr(0, status().find(" points"));
  window->history().begin_gesture();
  for (int i = 0; i <= 40; ++i) {
    window->history().set_text("isovalue", std::to_string(0.02 + 0.002 * i));
    QCoreApplication::processEvents();
  }
  window->history().end_gesture();
  ASSERT_EQ(run({}), QString());
  EXPECT_NE(status().find("isovalue 0.1 bohr⁻³ᐟ²"), std::string::npos) << status();
  EXPECT_NE(status().find("(refined)"), std::string::npos) << status();
  EXPECT_EQ(field_time(), before);
  EXPECT_EQ(status().substr(0, status().find(" points")), points);
  EXPECT_LE(window->undo_stack().count(), 2);  // the mode and the value
}

TEST_F(OrbitalsLabTest, TheIsovalueIsDraggedWithTheMouse) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  const double before = std::stod(value("isovalue"));
  auto* slider = window->findChild<QSlider*>("isovalue.slider");
  ASSERT_NE(slider, nullptr);
  QStyleOptionSlider option;
  option.initFrom(slider);
  option.minimum = slider->minimum();
  option.maximum = slider->maximum();
  option.sliderPosition = option.sliderValue = slider->value();
  const QPoint handle =
      slider->style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, slider).center();
  QTest::mousePress(slider, Qt::LeftButton, {}, handle);
  for (int x = 1; x <= 10; ++x) QTest::mouseMove(slider, handle + QPoint(x, 0), 5);
  QTest::mouseRelease(slider, Qt::LeftButton, {}, handle + QPoint(10, 0));
  ASSERT_EQ(run({}), QString());
  EXPECT_EQ(value("isovalue-mode"), "value");
  EXPECT_GT(std::stod(value("isovalue")), before);
  EXPECT_LT(std::stod(value("enclosed")), 0.85);
  EXPECT_NE(status().find("(refined)"), std::string::npos) << status();
  EXPECT_LE(window->undo_stack().count(), 2);
}

TEST_F(OrbitalsLabTest, TheIsovaluesSliderSpansWhatTheShownFieldHas) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  auto* slider = window->findChild<QSlider*>("isovalue.slider");
  // At both ends something is to be seen, of an orbital as of a density that is a thousand times larger.
  for (const char* field : {"orbital", "density"}) {
    ASSERT_EQ(run({std::string("orbitals.field.show ") + field}), QString());
    slider->setValue(slider->maximum());
    ASSERT_EQ(run({}), QString());
    EXPECT_EQ(status().find("No surface"), std::string::npos) << status();
    EXPECT_LT(std::stod(value("enclosed")), 0.4) << field;
    slider->setValue(slider->minimum());
    ASSERT_EQ(run({}), QString());
    EXPECT_GT(std::stod(value("enclosed")), 0.99) << field;
  }
  EXPECT_EQ(window->findChild<QSlider*>("isovalue.slider"), slider) << "not made anew under the hand";
}

TEST_F(OrbitalsLabTest, FreeColoursBeginWithTheRangeThatIsShown) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  ASSERT_EQ(run({"orbitals.field.show density", "parameter.set colour-by potential"}), QString());
  const double limit = std::stod(value("colour-limit"));
  EXPECT_GT(limit, 1);
  const QImage fitted = window->view().grabFramebuffer();
  ASSERT_EQ(run({"parameter.set colour-range free"}), QString());
  EXPECT_EQ(std::stod(value("colour-low")), -limit);
  EXPECT_EQ(std::stod(value("colour-high")), limit);
  EXPECT_EQ(window->view().grabFramebuffer(), fitted);
  ASSERT_EQ(run({"parameter.set colour-high 3", "edit.undo", "edit.undo"}), QString());
  EXPECT_EQ(value("colour-range"), "usual");
  EXPECT_EQ(std::stod(value("colour-limit")), limit);
}

/// Also what is hidden at that moment: isovalues of other fields, and the range of colours that are not shown.
TEST_F(OrbitalsLabTest, ResettingAllLeavesNothingForLater) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  const std::string first = value("orbital");
  ASSERT_EQ(run({"orbitals.field.show density", "parameter.set colour-by potential"}), QString());
  EXPECT_EQ(value("colour-range"), "usual");
  const auto* reset = window->findChild<QToolButton*>("colour-limit.reset");
  ASSERT_NE(reset, nullptr);
  EXPECT_FALSE(reset->isEnabled()) << "a computed limit is not the user's";
  const std::string computed = value("colour-limit");
  ASSERT_EQ(run({"parameter.set colour-low -7", "parameter.set isovalue 0.002", "orbitals.lumo",
                 "parameter.set isovalue 0.08"}),
            QString());
  const auto all = [this] {
    std::map<std::string, std::string> values;
    for (const auto& each : window->lab().parameters()->descriptions()) values[each.key] = value(each.key);
    return values;
  };
  const auto before = all();
  const int steps = window->undo_stack().count();
  const auto is_reset = [&] {
    EXPECT_EQ(value("orbital"), first);
    EXPECT_EQ(value("colour-range"), "usual");
    EXPECT_EQ(value("isovalue-mode"), "enclosed");
    ASSERT_EQ(run({"orbitals.field.show density", "parameter.set colour-by potential"}), QString());
    EXPECT_EQ(value("isovalue-mode"), "enclosed") << "of the density, which was hidden";
    EXPECT_EQ(value("colour-limit"), computed);
    ASSERT_EQ(run({"edit.undo", "edit.undo"}), QString());
  };
  ASSERT_EQ(run({"parameter.reset"}), QString());
  EXPECT_EQ(window->undo_stack().count(), steps + 1);
  is_reset();
  ASSERT_EQ(run({"edit.undo"}), QString());
  EXPECT_EQ(all(), before);
  ASSERT_EQ(run({"edit.redo"}), QString());
  is_reset();
  ASSERT_EQ(run({"edit.undo"}), QString());
  EXPECT_EQ(all(), before);
  ASSERT_EQ(run({"orbitals.field.show density"}), QString());
  EXPECT_EQ(value("isovalue"), "0.002") << "undo restores what was hidden, too";
}

TEST_F(OrbitalsLabTest, EachKindOfFieldKeepsItsIsovalue) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  ASSERT_EQ(run({"orbitals.field.show density", "parameter.set isovalue 0.002", "orbitals.homo"}), QString());
  EXPECT_EQ(value("isovalue-mode"), "enclosed");
  EXPECT_NE(status().find("encloses 85 %"), std::string::npos) << status();
  ASSERT_EQ(run({"parameter.set isovalue 0.05", "orbitals.field.show superposition"}), QString());
  EXPECT_EQ(value("isovalue"), "0.05") << "of the same kind";
  ASSERT_EQ(run({"orbitals.field.show orbital-density"}), QString());
  EXPECT_NE(status().find("isovalue 0.002 e/bohr³"), std::string::npos) << status();
  const auto session = file("isovalues.isolume");
  ASSERT_EQ(run({"session.save " + commands::quote(session.string()), "edit.undo"}), QString());
  EXPECT_NE(status().find("isovalue 0.05 bohr⁻³ᐟ²"), std::string::npos) << status();
  ASSERT_EQ(run({"edit.redo"}), QString());
  EXPECT_NE(status().find("isovalue 0.002 e/bohr³"), std::string::npos) << status();
  // The session holds the isovalues of all kinds.
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  EXPECT_EQ(value("isovalue-mode"), "enclosed");
  ASSERT_EQ(run({"file.open " + commands::quote(session.string())}), QString());
  EXPECT_NE(status().find("isovalue 0.002 e/bohr³"), std::string::npos) << status();
  ASSERT_EQ(run({"orbitals.field.show orbital"}), QString());
  EXPECT_NE(status().find("isovalue 0.05 bohr⁻³ᐟ²"), std::string::npos) << status();
}

TEST_F(OrbitalsLabTest, TheCameraKeepsItsDistanceAndStepsBackOnlyForWhatLeavesTheView) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  auto& renderer = *window->view().renderer();
  const std::string home = scene::camera_text(renderer);
  const double distance = scene::stand(renderer).distance;
  for (int step = 0; step < 8; ++step) ASSERT_EQ(run({"orbitals.previous"}), QString());
  for (int step = 0; step < 8; ++step) ASSERT_EQ(run({"orbitals.next"}), QString());
  EXPECT_EQ(scene::camera_text(renderer), home);
  ASSERT_EQ(run({"parameter.set isovalue 0.0001"}), QString());
  EXPECT_GT(scene::stand(renderer).distance, 1.1 * distance) << "these lobes are larger than the view";
  ASSERT_EQ(run({"parameter.set isovalue 0.05"}), QString());
  EXPECT_EQ(scene::camera_text(renderer), home) << "and back";
  // A person's own zoom stays.
  scene::zoom(renderer, 2);
  const std::string zoomed = scene::camera_text(renderer);
  ASSERT_EQ(run({"parameter.set isovalue 0.0001", "orbitals.next"}), QString());
  EXPECT_EQ(scene::camera_text(renderer), zoomed);
}

TEST_F(OrbitalsLabTest, EnclosingAFractionGivesTheIsovalue) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  ASSERT_EQ(run({"parameter.set isovalue 0.05", "orbitals.isovalue.enclose 0.5"}), QString());
  EXPECT_EQ(value("isovalue-mode"), "enclosed");
  EXPECT_NE(status().find("encloses 50 %"), std::string::npos) << status();
  EXPECT_GT(std::stod(value("isovalue")), 0.05);
}

TEST_F(OrbitalsLabTest, AnIsovalueOutOfReachIsANormalResultWithAMessage) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  ASSERT_EQ(run({"parameter.set scale-bar false", "parameter.set isovalue 5"}), QString());
  EXPECT_NE(status().find("No surface at 5 bohr⁻³ᐟ². The largest value is 0."), std::string::npos)
      << status();
  EXPECT_LT(lobe_pixels_when([](int blue, int) { return blue < 50; }).first, 50);
}

/// Water is negative at its oxygen and positive at its hydrogens; numbers are checked in field_pipeline_test.cpp.
TEST_F(OrbitalsLabTest, TheDensitysSurfaceIsColouredByThePotential) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  ASSERT_EQ(run({"orbitals.field.show density", "parameter.set isovalue 0.002",
                 "orbitals.surface.colour-by potential", "parameter.set opacity 1",
                 "parameter.set colour-limit 30"}),
            QString());
  EXPECT_NE(status().find("coloured by Electrostatic potential"), std::string::npos) << status();
  const auto [blue, orange] = lobe_pixels_when(both_are_large);
  EXPECT_GT(blue, 2000);
  EXPECT_GT(orange, 2000);
  if (const char* to = std::getenv("ISOLUME_KEEP_PICTURES"))
    window->grab().save(QString("%1/water-potential.png").arg(to));
  // Another unit shows the same colours.
  ASSERT_EQ(run({"parameter.set potential-unit Eh/e"}), QString());
  EXPECT_NEAR(std::stod(value("colour-limit")), 30 / 627.509474, 1e-6);
  ASSERT_EQ(run({"edit.undo"}), QString());
  EXPECT_NEAR(std::stod(value("colour-limit")), 30, 1e-6);
  const auto session = file("potential.isolume"), surface = file("potential.vtp");
  ASSERT_EQ(run({"session.save " + commands::quote(session.string()), export_line(surface),
                 "orbitals.surface.colour-by sign", "edit.undo"}),
            QString());
  EXPECT_EQ(value("colour-by"), "potential");
  ASSERT_EQ(run({"edit.redo"}), QString());
  EXPECT_GT(std::filesystem::file_size(surface), 10'000U);
  EXPECT_EQ(value("colour-by"), "sign");
  ASSERT_EQ(run({"file.open " + commands::quote(session.string())}), QString());
  EXPECT_EQ(value("colour-by"), "potential");
  EXPECT_EQ(value("potential-unit"), "kcal/mol/e");
  EXPECT_NEAR(std::stod(value("colour-limit")), 30, 1e-6);
  EXPECT_NE(status().find("coloured by Electrostatic potential"), std::string::npos) << status();
}

TEST_F(OrbitalsLabTest, SliceIsSwitchedAndMoved) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  ASSERT_EQ(run({"orbitals.slice.toggle", "orbitals.slice.move 0.25"}), QString());
  EXPECT_EQ(value("slice"), "true");
  EXPECT_EQ(value("slice-position"), "0.25");
  EXPECT_TRUE(window->commands().part("orbitals.slice.toggle").checked());
  ASSERT_EQ(run({"edit.undo", "edit.undo"}), QString());
  EXPECT_EQ(value("slice"), "false");
}

TEST_F(OrbitalsLabTest, SpinsOfAnUnrestrictedCalculation) {
  ASSERT_EQ(open_sample("samples/oxygen-triplet.fchk.gz"), QString());
  const auto found = window->commands().run("orbitals.select homo beta");
  EXPECT_EQ(found, (nlohmann::json{{"number", 7}, {"spin", "beta"}})) << found;
  ASSERT_EQ(run({"orbitals.select homo beta"}), QString());
  EXPECT_EQ(value("orbital"), "7");
  EXPECT_EQ(value("spin"), "beta");
  ASSERT_EQ(run({"orbitals.field.show spin-density"}), QString());
  EXPECT_NE(status().find("spin density"), std::string::npos) << status();
  EXPECT_NE(status().find("e/bohr³"), std::string::npos) << status();
  ASSERT_EQ(run({"orbitals.homo"}), QString());  // choosing an orbital shows it
  EXPECT_EQ(value("field"), "orbital");
}

TEST_F(OrbitalsLabTest, TheExportedCubeHoldsTheOrbital) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  const auto cube = file("water.cube");
  ASSERT_EQ(run({"orbitals.select 4", "parameter.set margin 1", export_line(cube)}), QString());
  const auto document = molecules::read_document(cube);
  ASSERT_EQ(document.fields.size(), 1U);
  EXPECT_EQ(document.molecule.atoms.size(), 3U);
  const auto& field = *document.fields.front();
  EXPECT_NEAR(grid::inner_product(field, field), 1.0,
              2e-3);  // a normalised orbital in a box that holds it
}

TEST_F(OrbitalsLabTest, ExportsOfSurfacesSceneAndWavefunction) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  for (const char* name : {"a.stl", "a.ply", "a.vtp", "a.gltf", "a.molden"}) {
    ASSERT_EQ(run({export_line(file(name))}), QString()) << name;
    EXPECT_GT(std::filesystem::file_size(file(name)), 1000U) << name;
  }
  const auto written = molecules::read_document(file("a.molden"));
  EXPECT_EQ(written.orthonormality.name, "as written");
  const auto original = molecules::read_document(resource("samples/water-631gs.fchk.gz"));
  EXPECT_NEAR(written.wavefunction->sets[0].orbitals[4].energy_hartree,
              original.wavefunction->sets[0].orbitals[4].energy_hartree, 1e-9);
  EXPECT_NE(run({export_line(file("a.docx"))}), QString());
}

TEST_F(OrbitalsLabTest, ACubeFileShowsItsField) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  const auto cube = file("water.cube");
  ASSERT_EQ(run({export_line(cube)}), QString());
  ASSERT_EQ(open(cube), QString());
  EXPECT_NE(status().find("(from the file)"), std::string::npos) << status();
  EXPECT_FALSE(window->lab().parameters()->has("orbital"));
  EXPECT_NE(run({"orbitals.next"}), QString());  // there are none
  const auto [blue, orange] = lobe_pixels_when([](int some, int others) { return some + others > 2000; });
  EXPECT_GT(blue + orange, 2000);
}

TEST_F(OrbitalsLabTest, APotentialEnclosesNoDensity) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  const auto cube = file("water.cube"), potential = file("potential.cube");
  ASSERT_EQ(run({export_line(cube)}), QString());
  {
    std::ifstream from(cube);
    std::ofstream to(potential);
    std::string line;
    std::getline(from, line);
    std::getline(from, line);
    to << "water\nESP in Eh/e\n" << from.rdbuf();
  }
  const auto offered = [this](const char* key) {
    return parameters::relevant(window->lab().parameters()->description(key), *window->lab().parameters());
  };
  ASSERT_EQ(open(potential), QString());
  EXPECT_FALSE(offered("enclosed"));
  EXPECT_FALSE(offered("isovalue-mode"));
  EXPECT_EQ(value("isovalue-mode"), "value");
  EXPECT_EQ(window->lab().parameters()->description("isovalue").unit, "Eh/e");
  EXPECT_EQ(status().find("No surface"), std::string::npos) << status();
  EXPECT_EQ(status().find("encloses"), std::string::npos) << status();
  EXPECT_NE(run({"orbitals.isovalue.enclose 0.5"}), QString());
  ASSERT_EQ(open(cube), QString());
  EXPECT_TRUE(offered("enclosed"));
  EXPECT_EQ(value("isovalue-mode"), "enclosed");
}

TEST_F(OrbitalsLabTest, ParametersAreNarrowedToWhatTheFileHolds) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  const auto* set = window->lab().parameters();
  EXPECT_EQ(set->description("set").high, 1);
  EXPECT_EQ(set->description("spin").choices.size(), 1u);
  EXPECT_EQ(set->description("isovalue").unit, "bohr^-3/2");
  EXPECT_NE(run({"parameter.set engine abacus"}), QString());
  ASSERT_EQ(run({"orbitals.field.show density"}), QString());
  EXPECT_EQ(set->description("isovalue").unit, "e/bohr^3");
  ASSERT_EQ(open_sample("samples/oxygen-triplet.fchk.gz"), QString());
  EXPECT_EQ(set->description("spin").choices.size(), 2u);
}

TEST_F(OrbitalsLabTest, WhatMattersOnlySometimesNamesAParameterAndItsValues) {
  ASSERT_EQ(open_sample("samples/oxygen-triplet.fchk.gz"), QString());
  const auto* set = window->lab().parameters();
  for (const auto& each : set->descriptions()) {
    if (each.relevant_when.key.empty()) continue;
    const auto other = set->description(each.relevant_when.key);
    for (const auto& value : each.relevant_when.values) EXPECT_NO_THROW(parse(other, value)) << each.key;
  }
  EXPECT_FALSE(parameters::relevant(set->description("time"), *set));
  ASSERT_EQ(run({"orbitals.field.show superposition"}), QString());
  EXPECT_TRUE(parameters::relevant(set->description("time"), *set));
}

/// Benzene's HOMO is orbital 21 and its LUMO 22; the larger weight is the chosen row.
TEST_F(OrbitalsLabTest, TheTableFollowsASuperposition) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  auto* const view = window->findChild<OrbitalTable*>()->view();
  const auto marked = [&] {
    std::set<int> numbers;
    for (int row = 0; row < view->model()->rowCount(); ++row) {
      const auto index = view->model()->index(row, OrbitalModel::number);
      if (index.data(Qt::BackgroundRole).isValid()) numbers.insert(index.data().toInt());
    }
    return numbers;
  };
  const auto chosen = [&] {
    return view->model()->index(view->currentIndex().row(), OrbitalModel::number).data().toInt();
  };
  EXPECT_TRUE(marked().empty());
  ASSERT_EQ(run({"orbitals.field.show superposition", "parameter.set superposition 20:1,23:2"}), QString());
  EXPECT_EQ(marked(), (std::set<int>{20, 23}));
  EXPECT_EQ(chosen(), 23);
  ASSERT_EQ(run({"orbitals.field.show orbital"}), QString());
  EXPECT_TRUE(marked().empty());
}

TEST_F(OrbitalsLabTest, ClicksOnAtomsMeasureAndEscapeEndsIt) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  ASSERT_EQ(run({"view.preset top", "parameter.set scale-bar false"}), QString());
  auto& view = window->view();
  // The carbons C1 to C4 from the file, seen along z by the view's own camera.
  const auto document = molecules::read_document(resource("samples/benzene.fchk.gz"));
  const auto place = [&](std::size_t atom) {
    const Eigen::Vector3d at = document.molecule.atoms[atom].position_bohr * units::angstrom_per_bohr;
    auto& renderer = *view.renderer();
    renderer.SetWorldPoint(at.x(), at.y(), at.z(), 1);
    renderer.WorldToView();
    const double* seen = renderer.GetViewPoint();
    return QPoint(qRound((seen[0] + 1) / 2 * view.width()), qRound((1 - seen[1]) / 2 * view.height()));
  };
  const char* const expected[] = {"C1 (carbon)", "C1–C2: 1.", "C1–C2–C3: 120.0°", "C1–C2–C3–C4: "};
  for (std::size_t atom = 0; atom < 4; ++atom) {
    QTest::mouseClick(&view, Qt::LeftButton, {}, place(atom));
    EXPECT_EQ(status().find(expected[atom]), 0U) << status();
  }
  const double dihedral = std::stod(status().substr(status().find(": ") + 2));
  EXPECT_NEAR(dihedral, 0, 0.1);
  ASSERT_EQ(run({}), QString());
  const auto marked = [&] {
    const QImage image = view.grabFramebuffer().convertToFormat(QImage::Format_RGB32);
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, y) == QColor("#a85f00");
    }
    return count;
  };
  window->run("view.theme light");
  EXPECT_GT(marked(), 200);
  view.setFocus();
  QTest::keyClick(&view, Qt::Key_Escape);
  EXPECT_EQ(marked(), 0);
  EXPECT_FALSE(window->run("orbitals.measure.clear"));
  EXPECT_TRUE(window->run("orbitals.measure.atoms 1 4"));
  EXPECT_EQ(status().find("C1–C4: 2."), 0U) << status();  // across the ring
  // Each step can be undone, and sessions keep what is measured.
  ASSERT_EQ(run({"orbitals.measure.atoms 1 2 3", "edit.undo"}), QString());
  EXPECT_EQ(status().find("C1–C4: 2."), 0U) << status();
  const auto session = file("measured.isolume");
  ASSERT_EQ(run({"session.save " + commands::quote(session.string()), "orbitals.measure.clear"}), QString());
  ASSERT_EQ(run({"file.open " + commands::quote(session.string())}), QString());
  EXPECT_TRUE(window->run("orbitals.measure.clear"));
  EXPECT_FALSE(window->run("orbitals.measure.atoms 1 99"));
  EXPECT_FALSE(window->run("orbitals.measure.atoms 1 1"));
}

TEST_F(OrbitalsLabTest, ASmallWindowLeavesTheViewItsRoom) {
  for (const char* sample : {"samples/oxygen-triplet.fchk.gz", "samples/benzene.fchk.gz"}) {
    ASSERT_EQ(open_sample(sample), QString());
    window->resize(900, 600);
    (void)QTest::qWaitFor([&] { return window->size() == QSize(900, 600) && window->view().height() >= 400; },
                          patience_ms);
    EXPECT_LE(window->width(), 900) << sample;
    EXPECT_LE(window->height(), 600) << sample;
    EXPECT_GE(window->view().width(), 300) << sample;
    EXPECT_GE(window->view().height(), 400) << sample;
  }
  // A scroll bar reaches the columns for which there is no room.
  const auto* table = window->findChild<OrbitalTable*>("orbital-table")->view();
  EXPECT_FALSE(table->isColumnHidden(OrbitalModel::energy_ev));
  EXPECT_FALSE(table->isColumnHidden(OrbitalModel::occupation));
  const int end =
      table->columnViewportPosition(OrbitalModel::frontier) + table->columnWidth(OrbitalModel::frontier);
  EXPECT_EQ(table->horizontalScrollBar()->maximum() > 0, end > table->viewport()->width());
}

TEST_F(OrbitalsLabTest, ALargeImageHasAFinerSurfaceAndTheStatusSaysSoWhenItIsWritten) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  const auto png = file("large.png");
  ASSERT_EQ(run({"file.export-image " + commands::quote(png.string()) + " 2400x1800"}), QString());
  EXPECT_EQ(status().find("Written: " + png.string()), 0U) << status();
  const auto at = status().find("points at ");
  ASSERT_NE(at, std::string::npos) << status();
  EXPECT_LT(std::stod(status().substr(at + 10)), 0.05);
  EXPECT_EQ(QImage(QString::fromStdString(png.string())).size(), QSize(2400, 1800));
  EXPECT_EQ(value("isovalue-mode"), "enclosed") << "what is shown stays as it is";
}

TEST_F(OrbitalsLabTest, AnImageContainsTheSliceThatTheWindowShowsWhateverTheBarsTitle) {
  window->resize(1500, 800);
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  const auto png = file("slice.png");
  ASSERT_EQ(run({"orbitals.field.show superposition", "orbitals.slice.toggle",
                 "file.export-image " + commands::quote(png.string()) + " 1920x1440"}),
            QString());
  const QImage image(QString::fromStdString(png.string()));
  ASSERT_EQ(image.size(), QSize(1920, 1440));
  for (int y = 0; y < image.height(); ++y)
    ASSERT_EQ(image.pixelColor(2, y), image.pixelColor(2, 0)) << "cut off at the left edge, in row " << y;
}

TEST_F(OrbitalsLabTest, TheImageIsWrittenAtItsSize) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  const auto png = file("water.png");
  window->lab().write_image(png, 320, 200, false, 300);
  window->jobs().wait_idle();
  const QImage image(QString::fromStdString(png.string()));
  EXPECT_EQ(image.size(), QSize(320, 200));
  EXPECT_EQ(qRound(image.dotsPerMeterX() * 0.0254), 300);
}

/// The picture of a fixed camera against one that people have looked at. 1 is the same; renderers that draw
/// edges and highlights a little differently stay above 0.9, a missing lobe, atom or slice falls below.
class OrbitalsLabPictureTest : public OrbitalsLabTest {
 protected:
  double similarity_to_baseline(const std::string& name, const char* camera) {
    window->run("view.theme light");
    scene::set_camera(*window->view().renderer(), camera);
    const auto drawn = file((name + ".png").c_str());
    EXPECT_EQ(run({"file.export-image " + commands::quote(drawn.string()) + " 400x300 72"}), QString());
    const std::filesystem::path baseline = ISOLUME_TEST_REFERENCES "/images/orbitals-lab/" + name + ".png";
    if (std::getenv("ISOLUME_KEEP_IMAGES") != nullptr) {
      std::filesystem::copy_file(drawn,
                                 std::filesystem::path(std::getenv("ISOLUME_KEEP_IMAGES")) / (name + ".png"),
                                 std::filesystem::copy_options::skip_existing);
    }
    const auto read = [](const std::filesystem::path& path) {
      vtkNew<vtkPNGReader> reader;
      reader->SetFileName(path.c_str());
      reader->Update();
      return vtkSmartPointer<vtkImageData>(reader->GetOutput());
    };
    return scene::structural_similarity(*read(drawn), *read(baseline));
  }
};

TEST_F(OrbitalsLabPictureTest, BenzeneHomo) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  EXPECT_GT(similarity_to_baseline("benzene-homo", "6,-7,7,0,0,0,0,0,1"), 0.9);
  ASSERT_EQ(run({"orbitals.lumo"}), QString());
  EXPECT_LT(similarity_to_baseline("benzene-homo", "6,-7,7,0,0,0,0,0,1"),
            0.9);  // another orbital is seen to be another
}

TEST_F(OrbitalsLabPictureTest, OxygenSpinDensityWithSlice) {
  ASSERT_EQ(open_sample("samples/oxygen-triplet.fchk.gz"), QString());
  ASSERT_EQ(run({"orbitals.field.show spin-density", "parameter.set opacity 0.4",
                 "parameter.set slice-axis x", "orbitals.slice.toggle"}),
            QString());
  EXPECT_GT(similarity_to_baseline("oxygen-spin-density-slice", "5,-4,3,0,0,0,0,0,1"), 0.9);
}

TEST_F(OrbitalsLabTest, ABadFileIsExplainedAndTheDocumentStays) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  const QString error = open(file("bad.molden", "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 zero\n"));
  EXPECT_TRUE(error.contains(QLatin1String("bad.molden:3"))) << error.toStdString();
  EXPECT_TRUE(window->lab().parameters()->has("orbital"));
  EXPECT_EQ(run({"orbitals.lumo"}), QString());
  EXPECT_NE(status().find("LUMO (6)"), std::string::npos) << status();
}

TEST_F(OrbitalsLabTest, OrbitalsThatAreNotOrthonormalCarryAWarning) {
  // Two hydrogen atoms with one s function each; both orbitals are the same sum, of norm far from one.
  const auto path =
      file("wrong.molden",
           "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\nH 2 1 0 0 1.4\n[GTO]\n1 0\ns 1 1.0\n0.5 1.0\n\n"
           "2 0\ns 1 1.0\n0.5 1.0\n\n[MO]\nEne= -0.5\nSpin= Alpha\nOccup= 2\n1 1.0\n2 1.0\n"
           "Ene= 0.5\nSpin= Alpha\nOccup= 0\n1 1.0\n2 0.9\n");
  ASSERT_EQ(open(path), QString());
  EXPECT_TRUE(warning.contains(QLatin1String("unproven"))) << warning.toStdString();
  EXPECT_TRUE(warning.contains(QLatin1String("worst deviation"))) << warning.toStdString();
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  EXPECT_TRUE(warning.isEmpty());
}

TEST_F(OrbitalsLabTest, ACorrectedDialectIsReportedInTheBannerAndInThePanel) {
  // Psi4 1.3.2 wrote this file with another norm for xy, xz and yz than the format asks.
  ASSERT_EQ(open(ISOLUME_TEST_REFERENCES "/wavefunctions/water-631gs.molden.gz"), QString());
  EXPECT_TRUE(warning.contains(QLatin1String("functions such as xy"))) << warning.toStdString();
  EXPECT_TRUE(warning.contains(QLatin1String("were corrected"))) << warning.toStdString();
  EXPECT_TRUE(warning.contains(QLatin1String("as written"))) << warning.toStdString();
  bool told = false;
  for (const auto* label : window->findChild<MoleculeInfo*>("molecule-info")->findChildren<QLabel*>()) {
    told = told || label->text().contains(QLatin1String("functions such as xy"));
  }
  EXPECT_TRUE(told);
}

TEST_F(OrbitalsLabTest, ThePanelSaysChargeMultiplicityEnergyDipoleAndGap) {
  ASSERT_EQ(open(ISOLUME_TEST_REFERENCES "/wavefunctions/formats/oh-spherical.log.gz"), QString());
  QStringList texts;
  for (const auto* label : window->findChild<MoleculeInfo*>("molecule-info")->findChildren<QLabel*>()) {
    texts << label->text();
  }
  EXPECT_TRUE(texts.contains("charge 0 e, multiplicity 2"));
  EXPECT_TRUE(texts.contains("\u221275.388251 Eh (SCF)"));
  EXPECT_TRUE(texts.contains("1.909 D"));
  EXPECT_EQ(texts.filter(QRegularExpression("^α \\d+\\.\\d\\d eV, β \\d+\\.\\d\\d eV$")).size(), 1)
      << texts.join('|').toStdString();
}

TEST_F(OrbitalsLabTest, FramesOfATrajectory) {
  const auto path = file("two.xyz", "2\nfirst\nH 0 0 0\nH 0 0 0.74\n2\nsecond\nH 0 0 0\nH 0 0 1.5\n");
  ASSERT_EQ(open(path), QString());
  ASSERT_EQ(run({"orbitals.frame.next"}), QString());
  EXPECT_EQ(status(), "Frame 2 of 2");
  EXPECT_NE(run({"orbitals.frame.next"}), QString());
  ASSERT_EQ(run({"orbitals.frame.previous"}), QString());
  EXPECT_EQ(status(), "Frame 1 of 2");
}

TEST_F(OrbitalsLabTest, AnOrbitalSetThatIsNotThereIsRefused) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  EXPECT_NE(run({"orbitals.choose-set 2"}), QString());
  EXPECT_NE(run({"parameter.set set 2"}), QString());
  EXPECT_EQ(value("set"), "1");
  EXPECT_EQ(run({"orbitals.next"}), QString());
}

TEST_F(OrbitalsLabTest, TheAnimationLetsTimeRunWithoutUndoEntries) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  window->run("orbitals.animation.play");
  EXPECT_EQ(value("field"), "superposition");
  const int entries = window->undo_stack().count();
  ASSERT_TRUE(QTest::qWaitFor([&] { return std::stod(value("time")) > 0.02; }, patience_ms));
  EXPECT_EQ(window->undo_stack().count(), entries);
  EXPECT_TRUE(window->commands().part("orbitals.animation.play").checked());
  ASSERT_EQ(run({"orbitals.animation.stop"}), QString());
  const std::string stopped = value("time");
  QTest::qWait(150);
  EXPECT_EQ(value("time"), stopped);
  EXPECT_NE(status().find("(refined)"), std::string::npos) << status();
}

TEST_F(OrbitalsLabTest, ASuperpositionIsPlayedByItsButtonAndBySpaceAndStoppedByEscape) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  auto* button = window->findChild<QToolButton*>("playback.button");
  ASSERT_NE(button, nullptr);
  EXPECT_FALSE(button->isVisible()) << "there is nothing to play yet";
  ASSERT_EQ(run({"orbitals.field.show superposition"}), QString());
  ASSERT_TRUE(button->isVisible());
  QApplication::setActiveWindow(window.get());
  const auto running = [&] { return window->commands().part("orbitals.animation.play").checked(); };
  for (const auto key : {Qt::Key_Space, Qt::Key_Escape}) {
    QTest::mouseClick(button, Qt::LeftButton);
    EXPECT_EQ(button->text(), "Pause");
    EXPECT_TRUE(running());
    window->findChild<OrbitalTable*>("orbital-table")->view()->setFocus();
    QTest::keyClick(window->focusWidget(), key);
    EXPECT_FALSE(running()) << key;
    EXPECT_EQ(button->text(), "Play");
  }
  auto* number = window->findChild<QWidget*>("isovalue.number");
  ASSERT_NE(number, nullptr);
  for (const bool plays : {true, false}) {
    number->setFocus();
    QTest::keyClick(number, Qt::Key_Space);
    EXPECT_EQ(running(), plays) << "from a field of the panel, too";
  }
  ASSERT_EQ(run({}), QString());
  EXPECT_NE(status().find("(refined)"), std::string::npos) << status();
  ASSERT_EQ(run({"orbitals.homo"}), QString());
  EXPECT_FALSE(button->isVisible());
  QTest::keyClick(&window->view(), Qt::Key_Space);
  EXPECT_FALSE(running()) << "an orbital stands still";
}

TEST_F(OrbitalsLabTest, TimeBeginsAgainAtTheEndOfTheLoop) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  ASSERT_EQ(run({"orbitals.field.show superposition-density"}), QString());
  // HOMO and LUMO, 0.47574 Eh apart by the file, come back after h / 12.9455 eV.
  constexpr double period_femtoseconds = 4.135667696 / 12.9455;
  auto* slider = window->findChild<QSlider*>("time.slider");
  ASSERT_NE(slider, nullptr);
  slider->setValue(slider->maximum());
  const double loop = std::stod(value("time"));
  EXPECT_NEAR(std::remainder(loop, period_femtoseconds), 0, 2e-3) << "the slider ends where the loop does";
  ASSERT_EQ(run({"parameter.set time " + std::to_string(loop - 0.005)}), QString());
  window->run("orbitals.animation.play");
  ASSERT_TRUE(QTest::qWaitFor([&] { return std::stod(value("time")) < 1; }, patience_ms)) << value("time");
  ASSERT_EQ(run({"orbitals.animation.stop"}), QString());
}

TEST_F(OrbitalsLabTest, TheSliderBelowTheViewGoesThroughTheLoop) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  EXPECT_NE(run({"orbitals.animation.seek 0.1"}).indexOf("superposition"), -1);
  ASSERT_EQ(run({"orbitals.field.show superposition"}), QString());
  const int entries = window->undo_stack().count();
  auto* slider = window->findChild<QSlider*>("playback.slider");
  slider->setValue(slider->maximum() / 2);
  const double half = std::stod(value("time"));
  ASSERT_EQ(run({"orbitals.animation.seek 1e9", "orbitals.animation.speed 2"}), QString());
  slider->setValue(slider->maximum());
  const double loop = std::stod(value("time"));
  EXPECT_GT(half, 0);
  EXPECT_NEAR(loop, 2 * half, 1e-9);
  EXPECT_EQ(window->undo_stack().count(), entries);
  ASSERT_EQ(run({"parameter.set time 0"}), QString());
  EXPECT_EQ(slider->value(), 0) << "the line follows the panel";
  EXPECT_NE(status().find("(refined)"), std::string::npos) << status();
}

TEST_F(OrbitalsLabTest, OneTurnOfASuperpositionIsRecorded) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  const QTemporaryDir films;
  const auto command = [&](const char* rest) {
    return run({"orbitals.animation.record " + films.filePath("film").toStdString() + rest});
  };
  EXPECT_NE(command(" 4"), QString()) << "nothing moves";
  ASSERT_EQ(run({"orbitals.field.show superposition", "parameter.set atoms false",
                 "parameter.set scale-bar false"}),
            QString());
  for (const char* wrong : {"", " 0", " four", " 4 12", " 4 320x", " 4 320x240 more"})
    EXPECT_NE(command(wrong), QString()) << wrong;
  const std::string before = value("time");
  ASSERT_EQ(command(" 4 320x240"), QString());
  EXPECT_EQ(value("time"), before);
  std::set<std::string> different;
  for (int i = 1; i <= 4; ++i) {
    const QImage frame(films.filePath(QString("film/frame-000%1.png").arg(i)));
    ASSERT_EQ(frame.size(), QSize(320, 240)) << i;
    different.insert(std::string(reinterpret_cast<const char*>(frame.constBits()),
                                 static_cast<std::size_t>(frame.sizeInBytes())));
  }
  EXPECT_EQ(different.size(), 4U);
  EXPECT_FALSE(QFile::exists(films.filePath("film/frame-0005.png")));
}

TEST_F(OrbitalsLabTest, TheFieldIsReadAtAPlaceAndBetweenTwoAtoms) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  ASSERT_EQ(run({"orbitals.field.show density", "orbitals.field.probe 0 0 50"}), QString());
  EXPECT_EQ(status(), "outside the box at (0.00, 0.00, 50.00) Å");
  ASSERT_EQ(run({"orbitals.field.probe 0 0 0"}), QString());
  EXPECT_NE(status().find(" e/bohr³ at (0.00, 0.00, 0.00) Å"), std::string::npos) << status();
  EXPECT_LT(std::stod(status()), 0.05) << "little in the middle of the ring";
  // The value of the wavefunction, whatever the spacing of the points that are drawn.
  std::vector<double> probed;
  for (const char* spacing : {"parameter.set spacing 0.4", "parameter.set spacing 0.15"}) {
    ASSERT_EQ(run({spacing, "orbitals.field.probe 0.3 1.2 0.1"}), QString());
    probed.push_back(std::stod(status()));
  }
  EXPECT_GT(probed[0], 0.01);
  EXPECT_NEAR(probed[0], probed[1], 2e-4 * probed[0]);
  EXPECT_NE(run({"orbitals.field.probe 0 0"}), QString());
  EXPECT_NE(run({"orbitals.field.probe 0 0 here"}), QString());

  auto* panel = window->findChild<fields::FieldPanel*>("field-panel");
  for (QWidget* dock = panel; dock != nullptr; dock = dock->parentWidget()) {
    if (qobject_cast<QDockWidget*>(dock) != nullptr) dock->raise();
  }
  const auto& line = panel->findChild<fields::Chart*>("field-panel.line")->data();
  const auto& values = panel->findChild<fields::Chart*>("field-panel.values")->data();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !values.values.empty(); }, patience_ms));
  EXPECT_TRUE(line.values.empty());
  ASSERT_EQ(run({"orbitals.measure.atoms 1 2"}), QString());
  ASSERT_FALSE(line.values.empty());
  EXPECT_NEAR(line.high, 1.386, 0.02) << "a bond of benzene";
  // Two carbon atoms alike, of one ring: the same density from either end, least between them.
  EXPECT_NEAR(line.values[100], line.values[299], 0.03 * line.values[100]);
  EXPECT_LT(line.values[200], line.values[50]);
  EXPECT_GT(line.values[200], 0.2);
  // The HOMO is a pi orbital, whose nodal plane holds all atoms.
  ASSERT_EQ(run({"orbitals.field.show orbital", "orbitals.homo"}), QString());
  EXPECT_TRUE(QTest::qWaitFor([&] { return line.values.empty(); }, patience_ms)) << "only rounding errors";
  ASSERT_EQ(run({"orbitals.select 19"}), QString());
  EXPECT_FALSE(line.values.empty());
  ASSERT_EQ(run({"orbitals.measure.clear"}), QString());
  EXPECT_TRUE(line.values.empty());
}

TEST_F(OrbitalsLabTest, ValuesBehindAnotherTabAreCountedWhenItIsRaised) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  const auto& values = window->findChild<fields::FieldPanel*>("field-panel")
                           ->findChild<fields::Chart*>("field-panel.values")
                           ->data();
  ASSERT_EQ(run({"view.panel Parameters", "orbitals.field.show density"}), QString());
  QTest::qWait(300);
  EXPECT_TRUE(values.values.empty()) << "out of sight";
  ASSERT_EQ(run({"view.panel Values"}), QString());
  EXPECT_TRUE(QTest::qWaitFor([&] { return !values.values.empty(); }, patience_ms));
  // What was changed behind the tab is there when it is raised again.
  const auto of_density = values.values;
  ASSERT_EQ(run({"view.panel Parameters", "orbitals.homo"}), QString());
  QTest::qWait(300);
  EXPECT_EQ(values.values, of_density);
  ASSERT_EQ(run({"view.panel Values"}), QString());
  EXPECT_TRUE(QTest::qWaitFor([&] { return values.values != of_density; }, patience_ms));
}

TEST_F(OrbitalsLabTest, TypingInTheFilterLeavesThePictureAlone) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  auto* table = window->findChild<OrbitalTable*>("orbital-table");
  const int entries = window->undo_stack().count();
  for (const char* text : {"lumo", "3", "nothing"}) {
    table->findChild<QLineEdit*>()->setText(QLatin1String(text));
    EXPECT_EQ(value("orbital"), "homo") << text;
  }
  table->findChild<QLineEdit*>()->clear();
  EXPECT_EQ(value("orbital"), "homo");
  EXPECT_EQ(window->undo_stack().count(), entries);
  EXPECT_EQ(table->view()->currentIndex().row(), 20) << "the row of what is shown is marked again";
}

TEST_F(OrbitalsLabTest, EveryMenuHasLettersOfItsOwn) {
  expect_letters_of_their_own(*window->menuBar());
}

TEST_F(OrbitalsLabTest, ThePaletteOffersOrbitalsByTheirNames) {
  ASSERT_EQ(open_sample("samples/benzene.fchk.gz"), QString());
  const auto found = workbench::search_palette(workbench::palette_entries(window->commands()), "lumo+1");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().title, "Select orbital: LUMO+1 (23)");
  EXPECT_EQ(found.front().detail, "4.00 eV");
  ASSERT_EQ(run({found.front().line}), QString());
  EXPECT_EQ(value("orbital"), "23");
  const auto spin =
      workbench::search_palette(workbench::palette_entries(window->commands()), "electron density");
  ASSERT_FALSE(spin.empty());
  EXPECT_EQ(spin.front().line, "parameter.set field density");
}

TEST_F(OrbitalsLabTest, AnOrbitalThatIsNotThereIsRefusedAndNothingChanges) {
  ASSERT_EQ(open_sample("samples/water-631gs.fchk.gz"), QString());
  const QString error = run({"orbitals.select 999"});
  EXPECT_TRUE(error.contains(QLatin1String("1 to"))) << error.toStdString();
  EXPECT_EQ(value("orbital"), "homo");
  EXPECT_NE(run({"parameter.set orbital 999"}), QString());
  EXPECT_EQ(value("orbital"), "homo");
  EXPECT_EQ(window->undo_stack().count(), 0);
}

}  // namespace
}  // namespace isolume::labs::orbitals
