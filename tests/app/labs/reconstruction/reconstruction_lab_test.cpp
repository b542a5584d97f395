// The lab in a window: the phantom, sliders, methods, files, session.
#include <QImage>
#include <QTest>
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "app/slices/linked_slices.h"
#include "core/tomography/analytic.h"
#include "core/tomography/scan_files.h"
#include "tests/app/lab_window_test.h"

namespace isolume::labs::reconstruction {

workbench::LabEntry lab_entry();

namespace {

class ReconstructionLabTest : public LabWindowTest {
 protected:
  ReconstructionLabTest() : LabWindowTest({lab_entry()}) {}
  /// A small scan, so that volumes take a moment alone.
  void open_small() {
    ASSERT_NO_FATAL_FAILURE(rmse());
    tomography::CircularScan scan{.columns = 64, .rows = 32, .views = 60, .column_mm = 5.6, .row_mm = 5.6};
    const auto projections = tomography::project(tomography::shepp_logan(), tomography::circular(scan));
    tomography::write_projections(projections, path("scan.mha"));
    tomography::write_geometry(projections.geometry, path("scan.json"));
    ASSERT_EQ(run({"file.open " + path("scan.mha")}), "");
  }
  QImage exported(const char* name) {
    EXPECT_EQ(run({"file.export-image " + path(name) + " 240x200"}), "");
    return QImage(QString::fromStdString(path(name)));
  }
  /// The phantom on a coarse grid, so that its volume takes a moment alone.
  void SetUp() override { ASSERT_EQ(run({"parameter.set size 48", "parameter.set views 90"}), ""); }
  double rmse() { return answer("reconstruction.result").at("rmse").get<double>(); }
  slices::LinkedSlices& views() { return *window->findChild<slices::LinkedSlices*>(); }
};

TEST_F(ReconstructionLabTest, ThePhantomIsReconstructedAndSlidersChangeItsError) {
  const double first = rmse();
  EXPECT_LT(first, 0.002) << "the skull has 0.02";
  EXPECT_EQ(window->windowTitle(), "Phantom - Isolume");
  EXPECT_NE(status().find("90 views"), std::string::npos) << status();
  // The brain has 0.2 times 0.02 per mm.
  const auto& volume = views().large().document()->volume;
  EXPECT_NEAR(volume.value(33, 24, 24), 0.004, 6e-4);
  for (const char* change : {"axis-shift 3", "views 20"}) {
    ASSERT_EQ(run({std::string("parameter.set ") + change}), "") << change;
    EXPECT_GT(rmse(), 1.1 * first) << change;
    ASSERT_EQ(run({"edit.undo"}), "");
  }
  EXPECT_EQ(rmse(), first);
  ASSERT_EQ(run({"parameter.set axis-shift 4", "reconstruction.axis.find"}), "");
  EXPECT_NEAR(std::get<double>(window->lab().parameters()->get("axis-shift")), 0, 0.1);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("axis-shift"), "4") << "finding the axis is a step of undo";
  ASSERT_EQ(run({"edit.undo"}), "");
  ASSERT_EQ(run({"parameter.set photons 300", "parameter.set noise true"}), "");
  EXPECT_GT(rmse(), 2 * first);
  ASSERT_EQ(run({"edit.undo"}), "");
  ASSERT_EQ(run({"parameter.set arc short"}), "");
  const auto short_scan = answer("reconstruction.result");
  EXPECT_LE(short_scan.at("views"), 90);
  EXPECT_LT(short_scan.at("rmse").get<double>(), 1.3 * first);
}

TEST_F(ReconstructionLabTest, FilesAreIteratedSavedAndOpenedAgain) {
  open_small();
  const QImage fdk = exported("fdk.png");
  ASSERT_EQ(fdk.size(), QSize(240, 200));
  ASSERT_EQ(run({"parameter.set size 40", "parameter.set method os-sirt", "parameter.set iterations 2"}), "");
  const auto sirt = answer("reconstruction.result");
  EXPECT_GT(sirt.at("residual").get<double>(), 0);
  EXPECT_LT(sirt.at("residual").get<double>(), 0.5);
  EXPECT_GE(sirt.at("least").get<double>(), 0);
  EXPECT_NE(status().find("iteration 2"), std::string::npos) << status();
  EXPECT_NE(exported("sirt.png"), fdk);
  ASSERT_EQ(run({"reconstruction.volume.save " + path("volume.nrrd")}), "");
  const auto saved = tomography::read_stack(path("volume.nrrd"));
  EXPECT_EQ(saved.columns, 40);
  EXPECT_NEAR(*std::ranges::max_element(saved.values), sirt.at("greatest").get<double>(), 1e-7);
  ASSERT_EQ(run({"session.save " + path("a.isolume"), "parameter.set method fdk",
                 "session.open " + path("a.isolume")}),
            "");
  EXPECT_EQ(value("method"), "os-sirt");
  EXPECT_EQ(answer("reconstruction.result").at("greatest"), sirt.at("greatest"));
  std::filesystem::remove(path("scan.json"));
  EXPECT_NE(run({"reconstruction.projections.open " + path("scan.mha")}).find("geometry is missing"),
            std::string::npos);
}

TEST_F(ReconstructionLabTest, DifferenceSinogramAndCrosshairAreShown) {
  rmse();
  const QImage before = exported("before.png");
  ASSERT_EQ(run({"parameter.set show phantom"}), "");
  const QImage phantom = exported("phantom.png");
  EXPECT_NE(phantom, before);
  ASSERT_EQ(run({"parameter.set show difference"}), "");
  EXPECT_NE(exported("difference.png"), phantom);
  auto* data = window->findChild<QWidget*>("reconstruction.data");
  ASSERT_NE(data, nullptr);
  auto* view = data->findChild<slices::SliceView*>();
  EXPECT_TRUE(QTest::qWaitFor([&] { return view->document() != nullptr; }, patience_ms));
  EXPECT_EQ(view->slice().axis, 2);
  ASSERT_EQ(run({"parameter.set data sinogram"}), "");
  EXPECT_EQ(view->slice().axis, 1);
}

}  // namespace
}  // namespace isolume::labs::reconstruction
