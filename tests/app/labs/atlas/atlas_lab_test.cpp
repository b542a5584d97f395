// The lab in a window: the average of phantoms and of files, weights, pictures, files, undo, session.
#include <QImage>
#include <QLabel>
#include <QLocale>
#include <QSlider>
#include <QTableWidget>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "app/slices/linked_slices.h"
#include "core/anatomy/image.h"
#include "core/anatomy/phantom.h"
#include "tests/app/lab_window_test.h"

namespace isolume::labs::atlas {

workbench::LabEntry lab_entry();

namespace {

using isolume::anatomy::read_image;

class AtlasLabTest : public LabWindowTest {
 protected:
  static constexpr int side = 32;
  enum Column { in_name, in_age, in_slider, in_weight, in_moved };
  AtlasLabTest() : LabWindowTest({lab_entry()}) {}
  grid::Grid grid() const {
    grid::Grid made = grid::centred({0, 0, 0}, {side, side, side}, 3, grid::LengthUnit::millimetre);
    made.frame = grid::Frame::patient;
    return made;
  }
  /// Balls of radius 24, 30 and 36 mm, with soft edges.
  void write_balls() {
    std::filesystem::create_directory(path("balls"));
    for (const double radius : {24.0, 30.0, 36.0}) {
      FieldValues values;
      const grid::Grid of = grid();
      for (int z = 0; z < side; ++z) {
        for (int y = 0; y < side; ++y) {
          for (int x = 0; x < side; ++x)
            values.push_back(static_cast<float>(
                1 / (1 + std::exp((of.position(Eigen::Vector3d(x, y, z)).norm() - radius) / 2))));
        }
      }
      isolume::anatomy::write_image(of, values,
                                    path("balls/") + std::to_string(static_cast<int>(radius)) + ".nrrd");
    }
  }
  /// From the volume of the mean's ball.
  double radius_of(const char* file) {
    const auto image = read_image(path(file));
    double sum = 0;
    for (const float each : image.values()) sum += static_cast<double>(each);
    return std::cbrt(3 * sum * 27 / (4 * M_PI));
  }
  QTableWidget& table() { return *window->findChild<QTableWidget*>("atlas.subjects.table"); }
};

TEST_F(AtlasLabTest, AveragesThePhantomsThatItStartsWith) {
  ASSERT_EQ(run({"parameter.set linear none", "parameter.set iterations 40"}), "");
  const auto result = answer("atlas.result");
  EXPECT_EQ(result["images"], 6);
  EXPECT_LT(result["spread"]["after"], 0.5 * result["spread"]["before"].get<double>());
  EXPECT_EQ(result["jacobian"]["folded"], 0);
  ASSERT_EQ(table().rowCount(), 6);
  EXPECT_GT(QLocale().toDouble(table().item(0, in_moved)->text()), 0.5) << "mm moved";
  EXPECT_FALSE(table().item(0, 0)->icon().isNull());
}

TEST_F(AtlasLabTest, BallsOfAFolderHaveABallBetweenThemForTheirMean) {
  write_balls();
  ASSERT_EQ(run({"atlas.images.open " + path("balls"), "parameter.set linear none",
                 "parameter.set smoothness 12", "file.export " + path("mean.nrrd"),
                 "atlas.deviation.save " + path("deviation.nrrd"), "atlas.displacements.save " + path("")}),
            "");
  EXPECT_EQ(window->windowTitle(), "24.nrrd and 2 more - Isolume");
  const double mean = radius_of("mean.nrrd");
  EXPECT_NEAR(mean, 30, 1);
  const auto deviation = read_image(path("deviation.nrrd"));
  EXPECT_LT(*std::ranges::max_element(deviation.values()), 0.25) << "the balls lie on each other";
  const auto field = isolume::anatomy::read_displacements(path("3-36-displacements.nii.gz"));
  const double outwards = static_cast<double>(field.field.components[0][26 + 32 * (16 + 32 * 16)]) * 3;
  EXPECT_NEAR(outwards, 6, 1.5) << "the largest ball's edge lies 6 mm outside of the mean's";

  // A weight of 0 leaves an image out; the mean is then that of the others.
  ASSERT_EQ(run({"parameter.set weights \"0 1 1\"", "file.export " + path("two.nrrd")}), "");
  EXPECT_NEAR(radius_of("two.nrrd"), 33, 1);
  EXPECT_NE(run({"parameter.set weights \"1 1 1 1\""}).find("4 weights and 3 images"), std::string::npos);
  EXPECT_NE(run({"parameter.set weights \"1 a\""}).find("expected numbers"), std::string::npos);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("weights"), "");

  // A slider that is dragged is one step of undo.
  auto* slider = window->findChild<QSlider*>("atlas.weight.2");
  slider->setSliderDown(true);
  for (const int position : {60, 70, 80}) slider->setSliderPosition(position);
  slider->setSliderDown(false);
  EXPECT_EQ(value("weights"), "1 1.6 1");
  EXPECT_EQ(table().item(1, in_weight)->text(), QLocale().toString(1.6));
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("weights"), "");

  ASSERT_EQ(run({"parameter.set weights \"1 1 2\"", "session.save-as " + path("three.isolume"),
                 "atlas.image.remove 1", "file.export-image " + path("two.png") + " 200x200"}),
            "");
  EXPECT_EQ(table().rowCount(), 2);
  EXPECT_FALSE(QImage(QString::fromStdString(path("two.png"))).isNull());
  ASSERT_EQ(run({"file.open " + path("three.isolume"), "atlas.result"}), "");
  EXPECT_EQ(table().rowCount(), 3);
  EXPECT_EQ(value("weights"), "1 1 2");
}

TEST_F(AtlasLabTest, TheSliderOfAgesLeadsThroughTheImages) {
  write_balls();
  std::ofstream(path("ages.csv")) << "image,age\n24,40\n30.nrrd,50\n36,60\n";
  ASSERT_EQ(run({"atlas.images.open " + path("balls"), "parameter.set linear none", "parameter.set levels 2",
                 "parameter.set iterations 40", "atlas.ages.open " + path("ages.csv")}),
            "");
  EXPECT_EQ(value("age"), "50") << "the mean age";
  EXPECT_EQ(value("by-age"), "true");
  std::vector<double> radii;
  for (const char* age : {"42", "50", "58"}) {
    ASSERT_EQ(run({std::string("parameter.set age ") + age, "file.export " + path("mean.nrrd")}), "");
    radii.push_back(radius_of("mean.nrrd"));
  }
  // Weighted means of 24, 30 and 36 mm: e^(-d^2 / 50) of the differences of ages.
  EXPECT_LT(radii[0], radii[1] - 2);
  EXPECT_NEAR(radii[1], 30, 1);
  EXPECT_GT(radii[2], radii[1] + 2);
  EXPECT_EQ(table().item(0, in_name)->text(), "24");
  EXPECT_EQ(table().item(0, in_name)->toolTip(), "24.nrrd");
  EXPECT_FALSE(table().isColumnHidden(in_age));
  EXPECT_EQ(table().item(2, in_age)->text(), "60\n\u00d7 1" + QString(QLocale().decimalPoint()) + "00");
  for (int step = 0; step < 3; ++step) ASSERT_EQ(run({"edit.undo"}), "") << "the ages that were set";
  EXPECT_EQ(value("by-age"), "true");
  EXPECT_EQ(value("age"), "50");
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("by-age") + value("age"), "false60") << "opening ages is one step";
  ASSERT_EQ(run({"edit.redo"}), "");
  EXPECT_NE(run({"atlas.ages.open " + path("none.csv")}), "");
  // A folder is what is opened again, with its ages in a session.
  EXPECT_EQ(window->windowFilePath().toStdString(), path("balls"));
  ASSERT_EQ(run({"parameter.set age 42", "session.save-as " + path("ages.isolume"),
                 "atlas.images.open " + path("balls"), "file.open " + path("ages.isolume"),
                 "file.export " + path("again.nrrd")}),
            "");
  EXPECT_NEAR(radius_of("again.nrrd"), radii[0], 1e-6);
}

/// Flows of four balls, three of which fit the memory.
TEST_F(AtlasLabTest, FlowsOfImagesThatDoNotFitAreTheSame) {
  write_balls();
  std::filesystem::copy_file(path("balls/30.nrrd"), path("balls/31.nrrd"));
  ASSERT_EQ(
      run({"atlas.images.open " + path("balls"), "parameter.set linear none", "parameter.set levels 1",
           "parameter.set iterations 4", "parameter.set model lddmm", "file.export " + path("kept.nrrd")}),
      "");
  const auto kept = answer("atlas.result");
  EXPECT_FALSE(kept.contains("stream"));
  ASSERT_EQ(kept["distances_mm"].size(), 4U);
  EXPECT_GT(kept["distances_mm"][0], kept["distances_mm"][1]) << "the mean is near the balls of 30 mm";
  ASSERT_EQ(run({"parameter.set memory 0.025", "file.export " + path("streamed.nrrd")}), "");
  const auto streamed = answer("atlas.result");
  EXPECT_TRUE(streamed.contains("stream"));
  EXPECT_EQ(streamed["distances_mm"], kept["distances_mm"]);
  const auto a = read_image(path("kept.nrrd")), b = read_image(path("streamed.nrrd"));
  EXPECT_TRUE(std::ranges::equal(a.values(), b.values()));
}

TEST_F(AtlasLabTest, ImagesKeepTheirWeightsAndAgesWhileOthersComeAndGo) {
  write_balls();
  std::ofstream(path("ages.csv")) << "image,age\n24,40\n30.nrrd,50\n36,60\n";
  ASSERT_EQ(
      run({"atlas.images.open " + path("balls"), "parameter.set linear none", "parameter.set iterations 10",
           "atlas.ages.open " + path("ages.csv"), "parameter.set weights \"1 2 3\"", "atlas.image.remove 1"}),
      "");
  EXPECT_EQ(value("weights"), "2 3");
  EXPECT_EQ(value("by-age"), "true");
  EXPECT_TRUE(table().item(1, in_age)->text().startsWith("60"));
  ASSERT_EQ(run({"atlas.images.add " + path("balls/24.nrrd")}), "");
  EXPECT_EQ(value("weights"), "2 3 1");
  EXPECT_TRUE(table().item(2, in_age)->text().startsWith("40"))
      << table().item(2, in_age)->text().toStdString();
}

TEST_F(AtlasLabTest, ImagesAreAddedToThoseThatAreOpen) {
  write_balls();
  ASSERT_EQ(run({"file.open " + path("balls/24.nrrd")}), "");
  EXPECT_NE(status().find("Now add the other images"), std::string::npos) << status();
  EXPECT_EQ(table().rowCount(), 1);
  ASSERT_EQ(run({"file.open " + path("balls/36.nrrd"), "atlas.result"}), "");
  EXPECT_EQ(table().rowCount(), 2);
  EXPECT_NE(run({"atlas.images.open " + path("none")}), "");
  std::filesystem::create_directory(path("empty"));
  EXPECT_NE(run({"atlas.images.open " + path("empty")}).find("it has no images"), std::string::npos);
  EXPECT_EQ(table().rowCount(), 2) << "what was open stays";
}

}  // namespace
}  // namespace isolume::labs::atlas
