// Images with several volumes, and with values in several scales.
#include <QAction>
#include <QImage>
#include <QLabel>
#include <QTableWidget>
#include <cstring>
#include <fstream>

#include "app/slices/linked_slices.h"
#include "core/base/text_file.h"
#include "core/contours/measures.h"
#include "tests/app/labs/livewire/lab_fixture.h"
#include "tests/core/images/made_dicom.h"
#include "tests/core/images/made_nifti.h"

namespace isolume::labs::livewire {
namespace {

class VolumesTest : public LabTest {
 protected:
  /// The third as bright as the first and second together.
  void open_three_time_points() {
    constexpr int voxels = 16 * 16 * 3;
    std::vector<std::int16_t> values(3 * voxels, 100);
    std::fill(values.begin() + voxels, values.begin() + 2 * voxels, std::int16_t{200});
    std::fill(values.begin() + 2 * voxels, values.end(), std::int16_t{300});
    std::string bytes =
        images::testing::nifti({16, 16, 3}, 4, 16, 0, 0, images::testing::ras_rows,
                               {reinterpret_cast<const char*>(values.data()), 2 * values.size()});
    bytes[40] = 4;  // axes
    bytes[48] = 3;  // time points
    std::ofstream(file("beats.nii"), std::ios::binary) << bytes;
    ASSERT_EQ(run({"file.open " + file("beats.nii"), "livewire.slice.show axial 2"}), "");
  }
  double shown() { return view().document()->volume.value(8, 8, 1); }
  double parameter(const std::string& key) { return std::get<double>(window->lab().parameters()->get(key)); }
  /// Playing keeps it from ever being settled.
  static void tap_space(QWidget& widget) { QTest::keyClick(&widget, Qt::Key_Space); }
};

TEST_F(VolumesTest, ATapOfSpacePlaysAndPausesTheTimePoints) {
  open_three_time_points();
  const int steps = window->undo_stack().count();
  tap_space(view());
  EXPECT_TRUE(window->lab().moving());
  for (const double value : {200.0, 300.0, 100.0})
    EXPECT_TRUE(QTest::qWaitFor([&] { return shown() == value; }, patience_ms)) << value;
  tap_space(view());
  EXPECT_FALSE(window->lab().moving());
  settle();
  const double left = shown();
  QTest::qWait(500);
  EXPECT_EQ(shown(), left);
  EXPECT_EQ(std::get<std::int64_t>(window->lab().parameters()->get("time-point")) * 100, left);
  EXPECT_EQ(window->undo_stack().count(), steps) << "playing is no step of undo";
  // From other views, too; Esc pauses.
  tap_space(*window->findChild<slices::LinkedSlices*>()->all()[1]);
  EXPECT_TRUE(window->lab().moving());
  const auto& stop = *window->findChild<QAction*>("job.cancel");
  EXPECT_TRUE(QTest::qWaitFor([&] { return stop.isEnabled(); }, patience_ms));
  QTest::keyClick(&view(), Qt::Key_Escape);
  EXPECT_FALSE(window->lab().moving());
}

TEST_F(VolumesTest, TheCornerOfTheViewNamesTheTimePoint) {
  open_three_time_points();
  EXPECT_EQ(view().time_text(), "Volume 1 of 3") << "without a unit of time";
  std::string bytes = read_text_file(file("beats.nii"));
  const float step_ms = 500;
  std::memcpy(bytes.data() + 92, &step_ms, sizeof step_ms);  // pixdim[4]
  bytes[123] = 2 | 16;                                       // mm, ms
  std::ofstream(file("timed.nii"), std::ios::binary) << bytes;
  ASSERT_EQ(run({"file.open " + file("timed.nii"), "parameter.set time-point 3"}), "");
  EXPECT_EQ(view().time_text(), "Time 3/3 (1.0 s)");
  const QRect corner(0, 0, view().width() / 4, view().height() / 8);
  const QImage third = view().grab(corner).toImage();
  ASSERT_EQ(run({"parameter.set time-point 2"}), "");
  EXPECT_EQ(view().time_text(), "Time 2/3 (0.5 s)");
  EXPECT_NE(view().grab(corner).toImage(), third);
  open_ball();
  EXPECT_EQ(view().time_text(), "");
}

TEST_F(VolumesTest, SpaceHeldPansAndPlaysNothing) {
  open_three_time_points();
  const Eigen::Vector2d before = view().centre();
  const QPoint middle = view().rect().center();
  QTest::keyPress(&view(), Qt::Key_Space);
  QTest::mousePress(&view(), Qt::LeftButton, {}, middle);
  QTest::mouseMove(&view(), middle + QPoint(30, 0));
  QTest::mouseRelease(&view(), Qt::LeftButton, {}, middle + QPoint(30, 0));
  QTest::keyRelease(&view(), Qt::Key_Space);
  EXPECT_FALSE(window->lab().moving());
  EXPECT_NEAR(view().to_widget(before).x(), QRectF(view().rect()).center().x() + 30, 1e-6);
  settle();
  EXPECT_EQ(shown(), 100);
}

TEST_F(VolumesTest, WithOneVolumeATapDoesNothing) {
  open_ball();
  const std::string before = status();
  tap_space(view());
  EXPECT_FALSE(window->lab().moving());
  EXPECT_EQ(status(), before);
  EXPECT_NE(run({"livewire.slice.play-time"}), "");
}

TEST_F(VolumesTest, PetIsShownThresholdedAndMeasuredAsSuv) {
  MADE_DICOM(made, "pet");
  // 70 kg, 370 MBq injected an hour before the scan, a half-life of an hour.
  constexpr double per_value = 70e3 / 185e6;
  ASSERT_EQ(run({"file.open " + (made.folder() / "start").string(), "livewire.slice.show axial 1"}), "");
  EXPECT_EQ(parameter("window-centre"), 5000);
  ASSERT_EQ(run({"parameter.set values suv-bw"}), "");
  EXPECT_EQ(view().document()->volume.unit, "g/ml SUVbw");
  EXPECT_NEAR(view().document()->volume.value(5, 4, 0), per_value * 58, 1e-9);
  EXPECT_NEAR(parameter("window-centre"), 5000 * per_value, 1e-9);
  EXPECT_NEAR(view().window().width, 10000 * per_value, 1e-9);
  EXPECT_EQ(parameter("fill-tolerance"), 0.2) << "an eighth of the window, rounded";
  const auto* reset = window->findChild<QWidget*>("window-centre.reset");
  ASSERT_NE(reset, nullptr);
  EXPECT_FALSE(reset->isEnabled()) << "it is the file's own window";

  // 0.01 g/ml are 26.4 Bq/ml.
  ASSERT_EQ(run({"livewire.label.threshold 0.01 1"}), "");
  int above = 0;
  double sum = 0;
  for (int j = 0; j < 5; ++j) {
    for (int i = 0; i < 6; ++i) {
      const double activity = 2.0 * (7 * i + 11 * j - 50);
      if (activity < 0.01 / per_value) continue;
      ++above;
      sum += activity;
    }
  }
  int inside = 0;
  const auto set = contours();
  for (const auto& each : set.contours()) {
    for (const auto value : contours::rasterise(*each, 6, 5).values) inside += value != 0;
  }
  EXPECT_EQ(inside, above);

  ASSERT_EQ(run({"file.export " + file("pet.measures.csv")}), "");
  std::ifstream csv(file("pet.measures.csv"));
  const std::string measures{std::istreambuf_iterator<char>(csv), {}};
  EXPECT_NE(measures.find("g/ml SUVbw"), std::string::npos) << measures;
  EXPECT_NE(measures.find(fmt::format("{:.6f}", per_value * sum / above).substr(0, 7)), std::string::npos)
      << measures;

  ASSERT_EQ(run({"session.save " + file("pet.isolume"), "session.open " + file("pet.isolume")}), "");
  settle();
  EXPECT_EQ(view().document()->volume.unit, "g/ml SUVbw");
  EXPECT_NEAR(parameter("window-centre"), 5000 * per_value, 1e-9);
}

TEST_F(VolumesTest, SuvIsTakenBackByUndoAndRefusedWithTheReason) {
  MADE_DICOM(made, "pet");
  ASSERT_EQ(run({"file.open " + (made.folder() / "start").string(), "parameter.set window-centre 4321",
                 "parameter.set values suv-bw", "edit.undo"}),
            "");
  EXPECT_EQ(view().document()->volume.unit, "Bq/ml");
  EXPECT_EQ(parameter("window-centre"), 4321);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(parameter("window-centre"), 5000);

  ASSERT_EQ(run({"file.open " + (made.folder() / "weightless").string()}), "");
  const std::string refused = run({"parameter.set values suv-bw"});
  EXPECT_NE(refused.find("does not give the patient's weight"), std::string::npos) << refused;
  EXPECT_EQ(std::get<std::string>(window->lab().parameters()->get("values")), "stored");
  EXPECT_EQ(view().document()->volume.unit, "Bq/ml");
}

TEST_F(VolumesTest, APictureStaysColouredAndHasAreasAndNoVolumes) {
  QImage picture(60, 40, QImage::Format_RGB32);
  picture.fill(QColor(10, 60, 200));
  for (int y = 10; y < 30; ++y) {
    for (int x = 20; x < 40; ++x) picture.setPixelColor(x, y, QColor(230, 120, 40));
  }
  ASSERT_TRUE(picture.save(QString::fromStdString(file("photo.png"))));
  ASSERT_EQ(run({"file.open " + file("photo.png")}), "");
  const auto seen = [&](double x, double y) {
    return view().grab().toImage().pixelColor(view().to_widget({x, y}).toPoint());
  };
  EXPECT_EQ(seen(30, 20), QColor(230, 120, 40));
  EXPECT_EQ(seen(10, 8), QColor(10, 60, 200));
  EXPECT_NEAR(view().document()->volume.value(30, 20, 0), 0.3 * 230 + 0.59 * 120 + 0.11 * 40, 1e-3);

  // The orange square, by its grey of 144.2.
  ASSERT_EQ(run({"livewire.label.threshold 140 150"}), "");
  ASSERT_EQ(contours().contours().size(), 1u);
  EXPECT_NEAR(*contours::measure(*contours().contours()[0], view().document()->volume.geometry).area_mm2, 400,
              1e-6);
  const auto* table = window->findChild<QTableWidget*>("measures");
  ASSERT_TRUE(QTest::qWaitFor([&] { return table->rowCount() == 2; }, patience_ms));
  EXPECT_EQ(table->item(0, 3)->text(), "400");
  EXPECT_EQ(table->item(1, 4)->text(), "") << "the label's volume";
  const QString why = window->findChild<QLabel*>("measures-details")->text();
  EXPECT_TRUE(why.contains("No volumes: the image is one slice")) << why.toStdString();
  EXPECT_EQ(seen(25, 25).blue(), seen(26, 24).blue()) << "filled evenly";
  EXPECT_GT(seen(25, 25).red(), seen(25, 25).blue()) << "and still coloured";
}

}  // namespace
}  // namespace isolume::labs::livewire
