// Models and trajectories in the lab's window.
#include <QTest>
#include <QWidget>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/labs/electrostatics/picture/frame_source.h"
#include "core/base/error.h"
#include "core/electrostatics/maps/opendx.h"
#include "tests/app/labs/electrostatics/lab_window.h"

namespace isolume::labs::electrostatics {
namespace {

using isolume::electrostatics::read_opendx;
const std::string all_charges = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/";
constexpr double angstrom_kt_per_e2 = 560.4592;  // at 298.15 K

class FramesInWindow : public ElectrostaticsLabTest {
 protected:
  /// The places of tests/references/electrostatics/make_trajectories.py, in angstrom.
  static Eigen::Vector3d place_of(int a, int frame) {
    const int m = a / 3, s = a % 3;
    const std::array<double, 3> dx{0, 0.9572, -0.24}, dy{0, 0, 0.927};
    return {3.1 * (m % 3) + dx.at(static_cast<std::size_t>(s)) + 0.3 * std::sin(m + 0.7 * frame),
            3.1 * (m / 3 % 3) + dy.at(static_cast<std::size_t>(s)) + 0.2 * std::cos(2.0 * a + frame),
            3.1 * (m / 9) - 5 + 0.1 * std::sin(3.0 * a - frame)};
  }
  static double charge_of(int a) { return a % 3 == 0 ? -0.5 : 0.3; }
  /// kT/e in vacuum; `frame` counts from 0.
  static double potential(const Eigen::Vector3d& place, int frame) {
    double sum = 0;
    for (int a = 0; a < 60; ++a)
      sum += angstrom_kt_per_e2 * charge_of(a) / (place - place_of(a, frame)).norm();
    return sum;
  }
  /// Of sixty atoms, which are as in the trajectories.
  std::string sixty() {
    std::ofstream file(path("sixty.pqr"));
    for (int a = 0; a < 60; ++a) {
      const auto place = place_of(a, 0);
      file << "ATOM " << a + 1 << (a % 3 == 0 ? " O" : " H") << " WAT " << a / 3 + 1 << ' ' << place.x()
           << ' ' << place.y() << ' ' << place.z() << ' ' << charge_of(a) << " 1.4\n";
    }
    return path("sixty.pqr");
  }
  bool has_bar() {
    auto* slider = window->findChild<QWidget*>("playback.time");
    return slider != nullptr && slider->isVisible();
  }
};

/// A thousand frames of two ions, one of which drifts along x, but for frame 501, where it is far away.
class CountedFrames final : public structures::ChargeFrames {
 public:
  explicit CountedFrames(int& reads) : reads_(reads) {}
  std::size_t size() const override { return 1000; }
  structures::Charges at(std::size_t frame, const jobs::Progress&) const override {
    ++reads_;
    structures::Charges ions;
    structures::add_atom(ions, {0, 0, 0}, 1, 1, {.atom = "NA", .residue = "NA", .chain = ""});
    structures::add_atom(ions, {frame == 500 ? 900.0 : 0.01 * static_cast<double>(frame), 5, 0}, -1, 1,
                         {.atom = "CL", .residue = "CL", .chain = ""});
    return ions;
  }

 private:
  int& reads_;
};

TEST(MoleculeFrames, OfALongTrajectoryFewAreReadWhenItIsOpened) {
  int reads = 0;
  auto counted = std::make_unique<CountedFrames>(reads);
  const auto first = charged_molecule("ions.pqr", counted->at(0, {}), std::nullopt);
  const MoleculeFrames frames(first, std::move(counted), "long.dcd", {});
  EXPECT_LE(reads, 1 + 64);
  const auto grid = frames.grid({.spacing_angstrom = 1, .margin_angstrom = 3});
  EXPECT_NEAR(grid.position(0, 0, 0).x(), -3, 1);
  EXPECT_NEAR(grid.position(grid.dimensions[0] - 1, 0, 0).x(), 9.99 + 3, 1) << "that of the last frame";
  for (const int frame : {1, 302, 1000})
    EXPECT_NO_THROW(frames.require_within(grid, frame, *frames.at(frame, {}))) << frame;
  try {
    frames.require_within(grid, 501, *frames.at(501, {}));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("frame 501 reach beyond the map"), std::string::npos);
  }
}

TEST_F(FramesInWindow, AMapIsOfTheFrameThatIsChosen) {
  ASSERT_EQ(run({"file.open " + sixty(), "parameter.set method direct", "parameter.set solute-dielectric 1",
                 "parameter.set spacing 2"}),
            "");
  EXPECT_FALSE(has_bar());
  EXPECT_NE(run({"electrostatics.frames.step"}).find("several models"), std::string::npos);
  ASSERT_EQ(run({"electrostatics.trajectory " + all_charges + "mdanalysis.dcd"}), "");
  EXPECT_TRUE(has_bar());
  EXPECT_EQ(value("method"), "direct") << "what was chosen stays";
  ASSERT_EQ(run({"parameter.set frame 3", "file.export " + path("third.dx"), "electrostatics.frames.step -1",
                 "file.export " + path("second.dx"), "parameter.set average true",
                 "file.export " + path("mean.dx")}),
            "");
  EXPECT_EQ(value("frame"), "2");
  EXPECT_NE(status().find("mean.dx"), std::string::npos) << status();
  const auto third = read_opendx(path("third.dx")), second = read_opendx(path("second.dx")),
             mean = read_opendx(path("mean.dx"));
  EXPECT_EQ(third.grid, second.grid) << "slices stay where they are";
  int moved = 0;
  for (int i = 0; i < third.grid.dimensions[0]; ++i) {
    const auto place = third.grid.position(i, 2, 3);
    const double at_first = potential(place, 0), at_second = potential(place, 1),
                 at_third = potential(place, 2);
    EXPECT_NEAR(third.at(i, 2, 3), at_third, 1e-3);
    EXPECT_NEAR(second.at(i, 2, 3), at_second, 1e-3);
    EXPECT_NEAR(mean.at(i, 2, 3), (at_first + at_second + at_third) / 3, 1e-3);
    moved += std::abs(at_third - at_second) > 0.01 ? 1 : 0;
  }
  EXPECT_GT(moved, 5) << "frames differ";
  EXPECT_NE(run({"parameter.set compare half-spacing"}).find("cannot be compared"), std::string::npos);
  EXPECT_NE(run({"parameter.set frame 4"}), "");
}

TEST_F(FramesInWindow, ModelsArePlayedAndRefinedWhereTheyStop) {
  ASSERT_EQ(run({"file.open " + all_charges + "1A1P-21-models.pdb.gz", "parameter.set spacing 1"}), "");
  EXPECT_TRUE(has_bar());
  EXPECT_NE(status().find("refined"), std::string::npos) << status();
  EXPECT_EQ(run({"electrostatics.energy"}), "") << "of the map around all frames";
  const QImage first = exported("first.png");
  ASSERT_EQ(run({"electrostatics.frames.step 4"}), "");
  EXPECT_EQ(value("frame"), "5");
  keep_window("model-5");
  EXPECT_NE(exported("fifth.png"), first) << "another model, with its atoms";
  ASSERT_EQ(run({"electrostatics.frames.seek 1"}), "");
  EXPECT_EQ(exported("first-again.png"), first);

  window->run("electrostatics.frames.play");
  ASSERT_TRUE(QTest::qWaitFor([&] { return std::stoi(value("frame")) > 3; }, patience_ms));
  window->run("electrostatics.frames.stop");  // on a fast machine it may have come to its end
  ASSERT_TRUE(QTest::qWaitFor([&] { return status().find("refined") != std::string::npos; }, patience_ms));
  // To the end, where it stops by itself.
  ASSERT_EQ(run({"electrostatics.frames.seek 20"}), "");
  window->run("electrostatics.frames.play");
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return value("frame") == "21" && !window->lab().moving(); }, patience_ms));

  ASSERT_EQ(run({"parameter.set average true"}), "");
  EXPECT_NE(status().find("Mean potential"), std::string::npos) << status();
  keep_window("mean");
  ASSERT_EQ(run({"file.open " + all_charges + "1FAS.pqr", "parameter.set spacing 2"}), "");
  EXPECT_FALSE(has_bar());
}

TEST_F(FramesInWindow, SessionsKeepTrajectoryAndFrame) {
  ASSERT_EQ(run({"file.open " + sixty(), "parameter.set method direct", "parameter.set spacing 2",
                 "file.open " + all_charges + "mdanalysis.xtc", "parameter.set frame 4",
                 "session.save " + path("one.isolume"), "file.open " + all_charges + "born.pqr",
                 "file.open " + path("one.isolume")}),
            "");
  EXPECT_TRUE(window->windowTitle().startsWith("sixty.pqr")) << window->windowTitle().toStdString();
  EXPECT_EQ(value("frame"), "4");
  EXPECT_TRUE(has_bar());
}

TEST_F(FramesInWindow, ModelsOfPqrAndMoleculesOfMol2AreFrames) {
  std::ofstream(path("two.pqr")) << "MODEL 1\nATOM 1 NA NA 1 0 0 0 1 1.5\nENDMDL\n"
                                    "MODEL 2\nATOM 1 NA NA 1 4 0 0 1 1.5\nENDMDL\nEND\n";
  ASSERT_EQ(
      run({"file.open " + path("two.pqr"), "parameter.set method direct", "parameter.set spacing 2",
           "parameter.set solute-dielectric 1", "parameter.set frame 2", "file.export " + path("two.dx")}),
      "");
  const auto map = read_opendx(path("two.dx"));
  const auto place = map.grid.position(1, 1, 1);
  EXPECT_NEAR(map.at(1, 1, 1), angstrom_kt_per_e2 / (place - Eigen::Vector3d(4, 0, 0)).norm(), 1e-3);
  EXPECT_NE(run({"electrostatics.frames.seek nowhere"}), "");
}

TEST_F(FramesInWindow, ATrajectoryThatIsCutOffIsShownAsFarAsItGoes) {
  std::filesystem::copy(all_charges + "mdanalysis.dcd", path("cut.dcd"));
  std::filesystem::resize_file(path("cut.dcd"), std::filesystem::file_size(path("cut.dcd")) - 8);
  ASSERT_EQ(run({"file.open " + sixty(), "parameter.set method direct", "parameter.set spacing 2",
                 "electrostatics.trajectory " + path("cut.dcd"), "electrostatics.frames.step"}),
            "");
  EXPECT_TRUE(is_said("cut.dcd ends within a frame; 2 complete frames can be used."));
  EXPECT_NE(run({"parameter.set frame 3"}), "");
}

TEST_F(FramesInWindow, ATrajectoryOfOtherAtomsOrAloneIsRefused) {
  EXPECT_NE(run({"file.open " + all_charges + "mdanalysis.dcd"}).find("trajectory without charges"),
            std::string::npos);
  ASSERT_EQ(run({"file.open " + all_charges + "born.pqr"}), "");
  EXPECT_NE(run({"electrostatics.trajectory " + all_charges + "mdanalysis.dcd"}).find("60 atoms"),
            std::string::npos);
  EXPECT_FALSE(has_bar());
}

}  // namespace
}  // namespace isolume::labs::electrostatics
