// The lab in a window: two images, their registration while it runs, pictures, files, undo, session.
#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QImage>
#include <QLabel>
#include <QListWidget>
#include <QLocale>
#include <QMenu>
#include <QSlider>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>

#include <gtest/gtest.h>

#include "app/labs/anatomy/filters_panel.h"
#include "app/scene/view/view_widget.h"
#include "app/slices/linked_slices.h"
#include "app/workbench/window/banner.h"
#include "core/anatomy/image.h"
#include "core/anatomy/labels.h"
#include "core/anatomy/landmark_files.h"
#include "core/anatomy/phantom.h"
#include "core/filters/chain.h"
#include "tests/app/lab_window_test.h"

namespace isolume::labs::anatomy {

workbench::LabEntry lab_entry();

namespace {

using isolume::anatomy::phantom;

class AnatomyLabTest : public LabWindowTest {
 protected:
  AnatomyLabTest() : LabWindowTest({lab_entry()}) {}
  void SetUp() override {
    constexpr int side = 32;
    grid::Grid grid = grid::centred({0, 0, 0}, {side, side, side}, 3, grid::LengthUnit::millimetre);
    grid.frame = grid::Frame::patient;
    isolume::anatomy::write_image(grid, phantom(side, 0), path("fixed.nrrd"));
    isolume::anatomy::write_image(grid, phantom(side, 0.12), path("moving.nrrd"));
  }
  void open_both() {
    ASSERT_EQ(run({"anatomy.fixed.open " + path("fixed.nrrd"), "anatomy.moving.open " + path("moving.nrrd")}),
              "");
  }
  QImage exported(const char* name) {
    EXPECT_EQ(run({"file.export-image " + path(name) + " 240x200"}), "");
    return QImage(QString::fromStdString(path(name)));
  }
  slices::LinkedSlices& views() { return *window->findChild<slices::LinkedSlices*>(); }
};

TEST_F(AnatomyLabTest, RegistersThePhantomsThatItStartsWith) {
  const auto result = answer("anatomy.result");
  EXPECT_LT(result["difference_after"], 0.3 * result["difference_before"].get<double>());
  EXPECT_EQ(result["folded"], 0);
  EXPECT_LT(result["linear"]["largest_move_mm"], 60)
      << "at corners 165 mm from the centre: not turned by a fold";
  EXPECT_NE(status().find("Deformation: root mean square difference"), std::string::npos) << status();
  EXPECT_NE(window->findChild<QLabel*>("anatomy.numbers")->text().indexOf("Deformation:"), -1);
  EXPECT_NE(window->findChild<QLabel*>("anatomy.linear")->text().indexOf("Affine map: mutual information"),
            -1);
  const QString probe = window->findChild<QLabel*>("anatomy.probe")->text();
  EXPECT_TRUE(probe.startsWith("L 0.0  P 0.0  H 1.0 mm   fixed 0.764")) << probe.toStdString();
}

TEST_F(AnatomyLabTest, FilesAreOpenedOneAfterTheOther) {
  ASSERT_EQ(run({"file.open " + path("fixed.nrrd")}), "");
  EXPECT_NE(run({"anatomy.result"}).find("Open a moving image first"), std::string::npos);
  ASSERT_EQ(run({"file.open " + path("moving.nrrd")}), "") << "the missing one";
  EXPECT_EQ(window->windowTitle(), "moving.nrrd to fixed.nrrd - Isolume");
  ASSERT_EQ(run({"parameter.set linear none"}), "");
  const auto there = answer("anatomy.result");
  EXPECT_LT(there["difference_after"], 0.2 * there["difference_before"].get<double>());
  ASSERT_EQ(run({"anatomy.images.swap"}), "");
  EXPECT_EQ(window->windowTitle(), "fixed.nrrd to moving.nrrd - Isolume");
  const auto back = answer("anatomy.result");
  EXPECT_NEAR(back["difference_before"].get<double>(), there["difference_before"].get<double>(), 1e-9);
  EXPECT_NE(run({"anatomy.moving.open " + path("none.nrrd")}), "");
  EXPECT_EQ(window->windowTitle(), "fixed.nrrd to moving.nrrd - Isolume") << "what was open stays";
}

TEST_F(AnatomyLabTest, FiltersAreAppliedBeforeTheRegistration) {
  open_both();
  ASSERT_EQ(run({"parameter.set linear none", "parameter.set iterations 20",
                 "parameter.set moving-filters \"gaussian sigma=3; median radius=3\"",
                 "anatomy.filtered.save moving " + path("filtered.nrrd"),
                 "anatomy.filters.save moving " + path("chain.json")}),
            "");
  // The image is what the filters make of the file.
  const auto opened = isolume::anatomy::read_image(path("moving.nrrd"));
  const auto expected =
      filters::apply(filters::parse_chain("gaussian sigma=3; median radius=3"), opened.field);
  const auto filtered = isolume::anatomy::read_image(path("filtered.nrrd"));
  ASSERT_EQ(filtered.values().size(), expected.image.values.size());
  double largest = 0, changed = 0;
  for (std::size_t i = 0; i < filtered.values().size(); ++i) {
    largest = std::max(largest, std::abs(double{filtered.values()[i]} - expected.image.values[i]));
    changed = std::max(changed, std::abs(double{filtered.values()[i]} - opened.values()[i]));
  }
  EXPECT_LT(largest, 1e-6);
  EXPECT_GT(changed, 0.1) << "the filters do something";
  const double smooth = answer("anatomy.result")["difference_before"];

  // A chain that is wrong is refused; an undone one is gone, from the images as well.
  EXPECT_NE(run({"parameter.set moving-filters \"blurr\""}).find("blurr"), std::string::npos);
  EXPECT_EQ(value("moving-filters"), "gaussian sigma=3; median radius=3");
  ASSERT_EQ(run({"edit.undo", "anatomy.filtered.save moving " + path("unfiltered.nrrd")}), "");
  EXPECT_EQ(value("moving-filters"), "");
  const auto unfiltered = isolume::anatomy::read_image(path("unfiltered.nrrd"));
  EXPECT_TRUE(std::ranges::equal(unfiltered.values(), opened.values()));
  EXPECT_NE(answer("anatomy.result")["difference_before"].get<double>(), smooth);

  // From the file they come back, and they move with their image.
  ASSERT_EQ(run({"anatomy.filters.open moving " + path("chain.json"), "anatomy.images.swap"}), "");
  EXPECT_EQ(value("moving-filters"), "");
  EXPECT_EQ(value("fixed-filters"), "gaussian sigma=3; median radius=3");
  ASSERT_EQ(run({"session.save-as " + path("filters.isolume"), "parameter.set fixed-filters \"\"",
                 "file.open " + path("filters.isolume")}),
            "");
  EXPECT_EQ(value("fixed-filters"), "gaussian sigma=3; median radius=3");
}

TEST_F(AnatomyLabTest, MasksOfBothImagesAreKeptWithThem) {
  constexpr int side = 32;
  grid::Grid grid = grid::centred({0, 0, 0}, {side, side, side}, 3, grid::LengthUnit::millimetre);
  grid.frame = grid::Frame::patient;
  FieldValues mask(grid.point_count(), 0.F), none = mask;
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % side < side / 2 ? 2.F : 0.F;
  isolume::anatomy::write_image(grid, mask, path("mask.nrrd"));
  isolume::anatomy::write_image(grid, none, path("none.nrrd"));
  open_both();
  ASSERT_EQ(run({"parameter.set linear none", "parameter.set iterations 20", "parameter.set show fixed"}),
            "");
  const double whole = answer("anatomy.result")["difference_before"];
  const QImage bright = exported("bright.png");
  ASSERT_EQ(run({"anatomy.mask.open fixed " + path("mask.nrrd")}), "");
  const double left = answer("anatomy.result")["difference_before"];
  EXPECT_NE(left, whole);
  EXPECT_EQ(window->findChild<QLabel*>("anatomy.mask.fixed")->text(), "mask.nrrd");
  // Slices are darker where the mask is 0; the patient's left is on the right of the picture.
  const auto brightness = [](const QImage& image, double from, double to) {
    double sum = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = static_cast<int>(from * image.width()); x < to * image.width(); ++x)
        sum += qGray(image.pixel(x, y));
    }
    return sum;
  };
  const QImage dimmed = exported("dimmed.png");
  EXPECT_LT(std::min(brightness(dimmed, 0, 0.45) / brightness(bright, 0, 0.45),
                     brightness(dimmed, 0.55, 1) / brightness(bright, 0.55, 1)),
            0.6);
  EXPECT_NEAR(std::max(brightness(dimmed, 0, 0.45) / brightness(bright, 0, 0.45),
                       brightness(dimmed, 0.55, 1) / brightness(bright, 0.55, 1)),
              1, 0.02);
  EXPECT_NE(run({"anatomy.mask.open fixed " + path("none.nrrd")}).find("0 everywhere"), std::string::npos);

  // It stays with its image, and in a session.
  ASSERT_EQ(run({"anatomy.images.swap"}), "");
  EXPECT_EQ(window->findChild<QLabel*>("anatomy.mask.moving")->text(), "mask.nrrd");
  EXPECT_EQ(window->findChild<QLabel*>("anatomy.mask.fixed")->text(), "None");
  ASSERT_EQ(
      run({"anatomy.images.swap", "session.save-as " + path("mask.isolume"), "anatomy.mask.remove fixed"}),
      "");
  EXPECT_NEAR(answer("anatomy.result")["difference_before"].get<double>(), whole, 1e-9);
  ASSERT_EQ(run({"file.open " + path("mask.isolume")}), "");
  EXPECT_NEAR(answer("anatomy.result")["difference_before"].get<double>(), left, 1e-9);
}

TEST_F(AnatomyLabTest, AChangeContinuesFromWhatIsShownAndEndsAsFromNothing) {
  open_both();
  ASSERT_EQ(run({"parameter.set linear none", "parameter.set levels 2"}), "");
  (void)answer("anatomy.result");
  ASSERT_EQ(run({"parameter.set smoothness 9"}), "");
  const auto continued = answer("anatomy.result");
  ASSERT_EQ(run({"parameter.set continue false", "parameter.set smoothness 4", "parameter.set smoothness 9"}),
            "");
  const auto anew = answer("anatomy.result");
  EXPECT_EQ(continued["difference_after"], anew["difference_after"]);
  EXPECT_EQ(continued["least_jacobian"], anew["least_jacobian"]);
}

TEST_F(AnatomyLabTest, AVolumeIsShownInSpaceAndCutAtTheCrosshair) {
  open_both();
  ASSERT_EQ(run({"parameter.set linear none", "parameter.set iterations 10", "parameter.set surfaces none"}),
            "");
  (void)answer("anatomy.result");
  auto& view = *window->findChild<scene::ViewWidget*>();
  const auto bright = [&] {
    const QImage image = view.grabFramebuffer();
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) count += qGray(image.pixel(x, y)) > 100 ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(bright(), 0);
  ASSERT_EQ(run({"parameter.set volume fixed", "parameter.set volume-opacity 0.95"}), "");
  QTRY_VERIFY_WITH_TIMEOUT(bright() > 1000, 20000);
  const int whole = bright();
  ASSERT_EQ(run({"parameter.set volume-cut top"}), "");
  const int below = bright();
  EXPECT_LT(below, 0.9 * whole);
  EXPECT_GT(below, 0.1 * whole);
  ASSERT_EQ(run({"parameter.set volume none"}), "");
  QTRY_COMPARE_WITH_TIMEOUT(bright(), 0, 20000);
}

TEST_F(AnatomyLabTest, ThePanelOfFiltersAddsMovesAndRemoves) {
  open_both();
  auto& panel = *window->findChild<FiltersPanel*>();
  const auto* add = panel.findChild<QToolButton*>("anatomy.filters.add");
  const auto click = [&](const char* name) {
    QTest::mouseClick(panel.findChild<QToolButton*>(name), Qt::LeftButton);
  };
  add->menu()->findChild<QAction*>("gaussian")->trigger();
  add->menu()->findChild<QAction*>("median")->trigger();
  EXPECT_EQ(value("moving-filters"), "gaussian; median radius=3") << "a voxel at least";
  click("anatomy.filters.up");
  EXPECT_EQ(value("moving-filters"), "median radius=3; gaussian");
  auto* list = panel.findChild<QListWidget*>("anatomy.filters.list");
  list->setCurrentRow(1);

  // A slider that is dragged is one step of undo.
  auto* slider = panel.findChild<QSlider*>("sigma.slider");
  ASSERT_NE(slider, nullptr);
  slider->setSliderDown(true);
  for (const int part : {4, 5, 6}) slider->setSliderPosition(slider->maximum() * part / 10);
  slider->setSliderDown(false);
  EXPECT_NE(value("moving-filters").find("median radius=3; gaussian sigma="), std::string::npos);
  EXPECT_NE(list->item(1)->text().indexOf("sigma="), -1);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(value("moving-filters"), "median radius=3; gaussian");

  // Rows are dragged to another place.
  ASSERT_TRUE(list->model()->moveRow({}, 0, {}, 2));
  EXPECT_EQ(value("moving-filters"), "gaussian; median radius=3");
  EXPECT_NE(list->item(0)->text().indexOf("Gaussian"), -1);
  list->setCurrentRow(0);
  click("anatomy.filters.remove");
  EXPECT_EQ(value("moving-filters"), "median radius=3");
  panel.findChild<QComboBox*>("anatomy.filters.image")->setCurrentIndex(1);
  EXPECT_EQ(list->count(), 0) << "the fixed image has none";
}

TEST_F(AnatomyLabTest, LandmarksAreAddedDraggedAndBroughtTogether) {
  open_both();
  ASSERT_EQ(run({"parameter.set linear none", "anatomy.result", "anatomy.landmark.add 0 0 0"}), "");
  const auto* table = window->findChild<QTableWidget*>("anatomy.landmarks.table");
  const auto distance_now = [table] { return QLocale().toDouble(table->item(0, 2)->text()); };
  ASSERT_EQ(table->rowCount(), 1);
  EXPECT_EQ(table->item(0, 0)->text(), "L1");
  EXPECT_NEAR(distance_now(), 0, 0.05) << "where the registration carries it";

  // The ring is dragged in the large view, along the grid's first axis by 9 mm.
  auto& view = views().large();
  const auto at = [&view](const Eigen::Vector3d& position) {
    return view.to_widget(view.plane().place_at(position)).toPoint();
  };
  views().go_to({0, 0, 0});
  QTest::mousePress(&view, Qt::LeftButton, {}, at({0, 0, 0}));
  QTest::mouseMove(&view, at({5, 0, 0}));
  QTest::mouseMove(&view, at({9, 0, 0}));
  QTest::mouseRelease(&view, Qt::LeftButton, {}, at({9, 0, 0}));
  ASSERT_EQ(run({"anatomy.landmarks.save " + path("pairs.csv")}), "");
  auto pairs = isolume::anatomy::read_landmarks(path("pairs.csv")).pairs;
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_NEAR(pairs[0].fixed.norm(), 0, 1e-3);
  EXPECT_GT((pairs[0].moving - pairs[0].fixed).norm(), 4) << "carried back by the map that was shown";
  ASSERT_EQ(run({"parameter.set landmark-weight 20", "anatomy.result"}), "");
  EXPECT_LT(distance_now(), 2) << "the registration brings them together";

  ASSERT_EQ(run({"edit.undo", "edit.undo", "anatomy.result"}), "");
  EXPECT_NEAR(distance_now(), 0, 0.05) << "where it was before the drag";
  ASSERT_EQ(run({"anatomy.landmarks.open " + path("pairs.csv"), "anatomy.landmark.name 1 Anterior commissure",
                 "session.save-as " + path("pairs.isolume"), "anatomy.images.swap",
                 "anatomy.landmarks.save " + path("swapped.csv"), "anatomy.landmarks.clear"}),
            "");
  EXPECT_EQ(table->rowCount(), 0);
  const auto swapped = isolume::anatomy::read_landmarks(path("swapped.csv")).pairs;
  ASSERT_EQ(swapped.size(), 1U);
  EXPECT_LT((swapped[0].moving - pairs[0].fixed).norm(), 2e-3);
  EXPECT_LT((swapped[0].fixed - pairs[0].moving).norm(), 2e-3);
  EXPECT_NE(run({"anatomy.landmark.remove 1"}).find("There are no landmarks"), std::string::npos);
  ASSERT_EQ(run({"file.open " + path("pairs.isolume")}), "");
  ASSERT_EQ(table->rowCount(), 1);
  EXPECT_EQ(table->item(0, 0)->text(), "Anterior commissure");
}

TEST_F(AnatomyLabTest, AnErrorWithAFileOfADialogIsShown) {
  open_both();
  ASSERT_EQ(run({"parameter.set linear none", "anatomy.result", "anatomy.landmark.add 0 0 0",
                 "anatomy.landmarks.save"}),
            "");
  auto* dialog = window->findChild<QFileDialog*>("file-dialog");
  ASSERT_NE(dialog, nullptr);
  dialog->setDirectory(QString::fromStdString(path("")));
  ASSERT_TRUE(QDir(dialog->directory()).mkdir("landmarks.csv"));
  Q_EMIT dialog->fileSelected(dialog->directory().filePath("landmarks.csv"));
  const auto* banner = window->findChild<workbench::Banner*>("error-banner");
  EXPECT_TRUE(QTest::qWaitFor([&] { return banner->isVisible(); }, patience_ms));
  EXPECT_TRUE(banner->text().contains("landmarks.csv")) << banner->text().toStdString();
  dialog->reject();
}

TEST_F(AnatomyLabTest, LabelsFollowTheRegistration) {
  using isolume::anatomy::Labels;
  constexpr int side = 32;
  grid::Grid grid = grid::centred({0, 0, 0}, {side, side, side}, 3, grid::LengthUnit::millimetre);
  grid.frame = grid::Frame::patient;
  const auto labels_of = [&](double size) {
    Labels labels{.grid = grid, .values = {0, 1, 2, 3, 4, 5}, .indices = {}, .remarks = {}};
    for (const float each : isolume::anatomy::head_parts(side, size))
      labels.indices.push_back(static_cast<std::uint32_t>(each));
    return labels;
  };
  isolume::anatomy::write_image(grid, isolume::anatomy::head_phantom(side, 0), path("head.nrrd"));
  isolume::anatomy::write_image(grid, isolume::anatomy::head_phantom(side, 0.15), path("other.nrrd"));
  isolume::anatomy::write_labels(labels_of(0), path("head-labels.nrrd"));
  isolume::anatomy::write_labels(labels_of(0.15), path("other-labels.nrrd"));
  std::ofstream(path("other-labels.txt")) << "1 Skull\n4 White matter\n";

  ASSERT_EQ(run({"anatomy.fixed.open " + path("head.nrrd"), "anatomy.moving.open " + path("other.nrrd")}),
            "");
  EXPECT_NE(run({"anatomy.labels.save " + path("none.nrrd")}).find("Open labels of the moving image first"),
            std::string::npos);
  ASSERT_EQ(run({"anatomy.labels.open " + path("other-labels.nrrd"),
                 "anatomy.fixed-labels.open " + path("head-labels.nrrd"), "parameter.set labels moving",
                 "anatomy.labels.save " + path("carried.nrrd")}),
            "");
  const auto* table = window->findChild<QTableWidget*>("anatomy.labels");
  ASSERT_EQ(table->rowCount(), 5);
  EXPECT_EQ(table->item(0, 1)->text(), "Skull") << "from the text file of the same name";
  EXPECT_EQ(table->item(3, 1)->text(), "White matter");

  // The table's numbers are those of the files.
  const Labels carried = isolume::anatomy::read_labels(path("carried.nrrd"));
  const auto overlaps = isolume::anatomy::label_overlaps(carried, labels_of(0));
  const auto before = isolume::anatomy::label_overlaps(labels_of(0.15), labels_of(0));
  const auto volumes = isolume::anatomy::label_volumes(carried);
  ASSERT_EQ(overlaps.size(), 5U);
  for (int row = 0; row < 5; ++row) {
    const auto at = static_cast<std::size_t>(row);
    EXPECT_NEAR(QLocale().toDouble(table->item(row, 2)->text()), volumes[at].millilitres, 0.006);
    EXPECT_NEAR(QLocale().toDouble(table->item(row, 3)->text()), overlaps[at].dice(), 6e-4);
  }
  EXPECT_GT(overlaps[3].dice(), before[3].dice() + 0.03) << "the white matter came nearer";

  // Labels swap with their images, and are in sessions.
  ASSERT_EQ(run({"session.save-as " + path("labels.isolume"), "anatomy.images.swap",
                 "anatomy.labels.save " + path("back.nrrd")}),
            "");
  EXPECT_GT(
      isolume::anatomy::label_overlaps(isolume::anatomy::read_labels(path("back.nrrd")), labels_of(0.15))[3]
          .dice(),
      before[3].dice() + 0.03);
  ASSERT_EQ(run({"file.open " + path("labels.isolume"), "anatomy.labels.save " + path("again.nrrd")}), "");
  EXPECT_EQ(isolume::anatomy::read_labels(path("again.nrrd")).indices, carried.indices);
}

/// What a binary STL file encloses, by Gauss's theorem.
double volume_in_stl(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 80> header{};
  std::uint32_t count = 0;
  file.read(header.data(), header.size());
  file.read(reinterpret_cast<char*>(&count), sizeof count);
  double volume = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::array<float, 12> numbers{};  // normal and corners
    std::uint16_t attribute = 0;
    file.read(reinterpret_cast<char*>(numbers.data()), sizeof numbers);
    file.read(reinterpret_cast<char*>(&attribute), sizeof attribute);
    const auto corner = [&](std::size_t at) {
      return Eigen::Vector3f(numbers[at], numbers[at + 1], numbers[at + 2]).cast<double>().eval();
    };
    volume += corner(3).dot(corner(6).cross(corner(9))) / 6;
  }
  EXPECT_TRUE(file) << path;
  return volume;
}

TEST_F(AnatomyLabTest, SurfacesOfLabelsAndClassesLeadTheRegistration) {
  open_both();
  for (const auto& [file, of_labels] :
       {std::pair("fixed.nrrd", "fixed-labels.nrrd"), std::pair("moving.nrrd", "moving-labels.nrrd")}) {
    const auto image = isolume::anatomy::read_image(path(file));
    isolume::anatomy::Labels labels{.grid = image.grid(), .values = {0, 2}, .indices = {}, .remarks = {}};
    for (const float each : image.values()) labels.indices.push_back(each > 0.4F ? 1 : 0);
    isolume::anatomy::write_labels(labels, path(of_labels));
  }
  ASSERT_EQ(
      run({"parameter.set linear none", "parameter.set iterations 20", "parameter.set match-labels true"}),
      "");
  EXPECT_TRUE(answer("anatomy.result")["surfaces"].empty()) << "without labels there are none";
  ASSERT_EQ(run({"anatomy.labels.open " + path("moving-labels.nrrd"),
                 "anatomy.fixed-labels.open " + path("fixed-labels.nrrd"), "parameter.set kernel-width 8"}),
            "");
  const auto result = answer("anatomy.result");
  ASSERT_EQ(result["surfaces"].size(), 1U);
  for (const auto& each : result["surfaces"])
    EXPECT_LT(each["after"]["mean_mm"].get<double>(), 0.5 * each["before"]["mean_mm"].get<double>()) << each;
  const std::string text = window->findChild<QLabel*>("anatomy.numbers")->text().toStdString();
  EXPECT_NE(text.find("surfaces"), std::string::npos) << text;
  EXPECT_EQ(result["folded"], 0);
  // Other models do not follow them.
  ASSERT_EQ(run({"parameter.set model b-spline"}), "");
  EXPECT_TRUE(answer("anatomy.result")["surfaces"].empty());
  ASSERT_EQ(run({"parameter.set model fluid", "parameter.set match-labels false"}), "");
  const double by_values = answer("anatomy.result")["difference_before"];
  ASSERT_EQ(run({"parameter.set classes 4"}), "");
  const auto by_classes = answer("anatomy.result");
  EXPECT_NE(by_classes["difference_before"].get<double>(), by_values);
  EXPECT_LT(by_classes["difference_after"].get<double>(),
            0.6 * by_classes["difference_before"].get<double>());
}

TEST_F(AnatomyLabTest, LabelsHaveSurfacesInSpaceAndInFiles) {
  constexpr int side = 32;
  grid::Grid grid = grid::centred({0, 0, 0}, {side, side, side}, 3, grid::LengthUnit::millimetre);
  grid.frame = grid::Frame::patient;
  isolume::anatomy::Labels labels{.grid = grid, .values = {0, 7, 40}, .indices = {}, .remarks = {}};
  std::array<std::size_t, 3> voxels{};
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        const bool is_ball = Eigen::Vector3d(x - 9, y - 16, z - 16).norm() < 6;
        const bool is_box = x > 20 && x < 28 && y > 10 && y < 20 && z > 5 && z < 27;
        labels.indices.push_back(is_ball ? 1 : is_box ? 2 : 0);
        ++voxels[labels.indices.back()];
      }
    }
  }
  isolume::anatomy::write_labels(labels, path("labels.nrrd"));
  ASSERT_EQ(run({"anatomy.fixed.open " + path("fixed.nrrd"), "parameter.set surfaces none"}), "");
  EXPECT_NE(run({"anatomy.label-surfaces.save " + path("none.stl")}).find("No labels are drawn"),
            std::string::npos);
  ASSERT_EQ(run({"anatomy.fixed-labels.open " + path("labels.nrrd"), "parameter.set labels fixed"}), "");
  auto& view = *window->findChild<scene::ViewWidget*>();
  const auto coloured = [&] {
    const QImage image = view.grabFramebuffer();
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        const QColor colour = image.pixelColor(x, y);
        count += colour.value() > 90 && colour.saturation() > 90 ? 1 : 0;
      }
    }
    return count;
  };
  EXPECT_EQ(coloured(), 0);
  ASSERT_EQ(run({"parameter.set label-surfaces all"}), "");
  QTRY_VERIFY_WITH_TIMEOUT(coloured() > 1000, patience_ms);
  const int both = coloured();
  window->findChild<slices::LinkedSlices*>()->go_to(grid.position(Eigen::Vector3d(9, 16, 16)));
  ASSERT_EQ(run({"parameter.set label-surfaces crosshair"}), "");
  QTRY_VERIFY_WITH_TIMEOUT(coloured() > 300 && coloured() < 0.8 * both, patience_ms);
  window->findChild<slices::LinkedSlices*>()->go_to(grid.position(Eigen::Vector3d(1, 1, 1)));
  QTRY_COMPARE_WITH_TIMEOUT(coloured(), 0, patience_ms);

  ASSERT_EQ(run({"anatomy.label-surfaces.save " + path("labels.stl")}), "");
  const double expected = static_cast<double>(voxels[1] + voxels[2]) * 27;
  EXPECT_NEAR(volume_in_stl(path("labels.stl")), expected, 0.002 * expected) << "mm^3, triangles outwards";
}

/// Voxels of a label in a label map.
std::size_t voxels_of(const isolume::anatomy::Labels& labels, std::int64_t label) {
  for (const auto& each : isolume::anatomy::label_volumes(labels)) {
    if (each.label == label) return each.voxels;
  }
  return 0;
}

TEST_F(AnatomyLabTest, RegionsSpreadFromSeeds) {
  ASSERT_EQ(run({"anatomy.fixed.open " + path("fixed.nrrd")}), "");
  EXPECT_NE(run({"anatomy.regions.save " + path("none.nrrd")}).find("Paint seeds first"), std::string::npos);
  ASSERT_EQ(run({"anatomy.regions.paint 2 9 third 0 0 1.5 12 0 1.5"}), "");
  EXPECT_NE(answer("anatomy.regions.result")["text"].get<std::string>().find("seeds of another"),
            std::string::npos);
  // The watershed draws basins until seeds join them.
  ASSERT_EQ(run({"parameter.set method watershed"}), "");
  const auto basins = answer("anatomy.regions.result");
  EXPECT_GT(basins["basins"], 1);
  EXPECT_NE(basins["text"].get<std::string>().find("seeds of another"), std::string::npos);
  const QImage with_basins = exported("basins.png");
  ASSERT_EQ(run({"edit.undo", "anatomy.regions.paint 0 6 third -45 -45 1.5 45 -45 1.5"}), "");
  const auto found = answer("anatomy.regions.result");
  EXPECT_EQ(found["method"], "graph-cut");
  ASSERT_EQ(run({"anatomy.regions.save " + path("regions.nrrd")}), "");
  const auto regions = isolume::anatomy::read_labels(path("regions.nrrd"));
  // The phantom is a ball of 0.7 times half the side.
  std::size_t inside = 0, both = 0;
  for (std::size_t i = 0; i < regions.indices.size(); ++i) {
    const Eigen::Vector3d p(static_cast<double>(i % 32), static_cast<double>(i / 32 % 32),
                            static_cast<double>(i / 1024));
    const bool is_inside = (2.0 / 31 * p - Eigen::Vector3d::Ones()).norm() < 0.7;
    inside += is_inside ? 1 : 0;
    both += is_inside && regions.values[regions.indices[i]] == 2 ? 1 : 0;
  }
  EXPECT_GT(2.0 * static_cast<double>(both) / static_cast<double>(inside + voxels_of(regions, 2)), 0.85);
  EXPECT_EQ(found["labels"][0]["voxels"], voxels_of(regions, 2));
  const auto* table = window->findChild<QTableWidget*>("anatomy.regions.table");
  EXPECT_EQ(table->rowCount(), 1);

  ASSERT_EQ(run({"parameter.set method watershed"}), "");
  const auto joined = answer("anatomy.regions.result");
  EXPECT_EQ(joined["method"], "watershed");
  EXPECT_EQ(joined["basins"], basins["basins"]);
  EXPECT_EQ(joined["labels"].size(), 1U);
  EXPECT_NE(exported("joined.png"), with_basins);
  ASSERT_EQ(run({"edit.undo"}), "");

  // A correction changes a disc of one slice: 3 mm voxels at odd multiples of 1.5 mm, in reach of 5 mm from a point.
  ASSERT_EQ(run({"anatomy.regions.correct 7 5 third 1.5 1.5 1.5",
                 "anatomy.regions.save " + path("corrected.nrrd")}),
            "");
  std::size_t disc = 0;
  for (int y = -5; y <= 5; ++y) {
    for (int x = -5; x <= 5; ++x) disc += 9 * (x * x + y * y) <= 25 ? 1 : 0;
  }
  EXPECT_EQ(voxels_of(isolume::anatomy::read_labels(path("corrected.nrrd")), 7), disc);

  // Sessions and undo.
  ASSERT_EQ(run({"session.save-as " + path("regions.isolume"), "edit.undo",
                 "anatomy.regions.save " + path("undone.nrrd")}),
            "");
  EXPECT_EQ(isolume::anatomy::read_labels(path("undone.nrrd")).indices, regions.indices);
  ASSERT_EQ(run({"anatomy.regions.clear"}), "");
  EXPECT_NE(run({"anatomy.regions.result"}).find("Paint seeds first"), std::string::npos);
  EXPECT_EQ(table->rowCount(), 0);
  ASSERT_EQ(run({"file.open " + path("regions.isolume"), "anatomy.regions.save " + path("again.nrrd")}), "");
  EXPECT_EQ(isolume::anatomy::read_labels(path("again.nrrd")).indices,
            isolume::anatomy::read_labels(path("corrected.nrrd")).indices);
  EXPECT_NE(run({"anatomy.regions.paint 1 3 third 0 0 900"}).find("outside of the image"), std::string::npos);
  EXPECT_NE(run({"anatomy.regions.paint 1 3 third 0 0"}).find("there are 2 numbers"), std::string::npos);
}

TEST_F(AnatomyLabTest, SeedsArePaintedByHandAndUndone) {
  open_both();
  ASSERT_EQ(run({"parameter.set show fixed", "parameter.set brush seeds", "parameter.set brush-label 3",
                 "parameter.set brush-radius 6"}),
            "");
  const QImage before = exported("before.png");
  slices::SliceView& large = views().large();
  const QPoint middle = large.rect().center();
  const auto stroke = [&](const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers) {
    QTest::mousePress(&large, Qt::LeftButton, modifiers, from);
    QTest::mouseMove(&large, (from + to) / 2);
    QTest::mouseMove(&large, to);
    QTest::mouseRelease(&large, Qt::LeftButton, modifiers, to);
  };
  stroke(middle, middle + QPoint(20, 10), {});
  const double scale = large.scale();
  const QPoint corner = middle + QPoint(static_cast<int>(-42 * scale), static_cast<int>(-42 * scale));
  stroke(corner, corner + QPoint(20, 0), Qt::ShiftModifier);
  const auto found = answer("anatomy.regions.result");
  ASSERT_EQ(found["labels"].size(), 1U) << "without the background";
  EXPECT_EQ(found["labels"][0]["label"], 3);
  EXPECT_EQ(found["method"], "graph-cut");
  const QImage painted = exported("painted.png");
  EXPECT_NE(painted, before);
  EXPECT_GT(std::abs(qRed(painted.pixel(150, 100)) - qBlue(painted.pixel(150, 100))), 20) << "a wash on grey";
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_NE(answer("anatomy.regions.result")["text"].get<std::string>().find("seeds of another"),
            std::string::npos);
  ASSERT_EQ(run({"edit.undo"}), "") << "a step for each stroke";
  EXPECT_NE(run({"anatomy.regions.result"}).find("Paint seeds first"), std::string::npos);
  EXPECT_EQ(exported("undone.png"), before);
  // Two quick dabs are no double click that adds a landmark.
  QTest::mouseDClick(&large, Qt::LeftButton, {}, middle);
  EXPECT_NE(run({"anatomy.landmarks.clear"}).find("There are no landmarks"), std::string::npos);
  // The key of the brush.
  large.setFocus();
  QTest::keyClick(&large, Qt::Key_S);
  EXPECT_EQ(value("brush"), "none");
}

TEST_F(AnatomyLabTest, AParameterRegistersAnewAndUndoBringsTheResultBack) {
  open_both();
  const auto first = answer("anatomy.result");
  ASSERT_EQ(run({"parameter.set smoothness 20"}), "");
  const auto second = answer("anatomy.result");
  EXPECT_NE(first, second);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(answer("anatomy.result"), first) << "a function of images and parameters alone";
}

TEST_F(AnatomyLabTest, PicturesShowEachWayOfComparing) {
  open_both();
  ASSERT_EQ(run({"parameter.set linear none", "parameter.set iterations 0", "parameter.set show fixed"}), "");
  const QImage fixed = exported("fixed.png");
  ASSERT_EQ(fixed.size(), QSize(240, 200));
  const QPoint middle(120, 100);
  EXPECT_GT(qGray(fixed.pixel(middle)), 60);
  ASSERT_EQ(run({"parameter.set show difference"}), "");
  const QImage apart = exported("apart.png");
  ASSERT_EQ(run({"parameter.set iterations 100"}), "");
  const QImage together = exported("together.png");
  // Grey is no difference: the mean distance from it falls as the images agree.
  const auto distance = [](const QImage& picture) {
    double sum = 0;
    for (int y = 60; y < 140; ++y)
      for (int x = 80; x < 160; ++x) sum += std::abs(qGray(picture.pixel(x, y)) - 127.5);
    return sum / (80 * 80);
  };
  EXPECT_LT(distance(together), 0.35 * distance(apart));
  ASSERT_EQ(run({"parameter.set show overlay"}), "");
  const QRgb pixel = exported("overlay.png").pixel(middle + QPoint(15, 15));
  EXPECT_LT(std::abs(qRed(pixel) - qGreen(pixel)), 16) << "grey where both agree";
  EXPECT_EQ(qRed(pixel), qBlue(pixel));
  ASSERT_EQ(run({"parameter.set show jacobian"}), "");
  EXPECT_NEAR(qGray(exported("jacobian.png").pixel(40, 100)), 127, 40) << "no change far outside";
}

TEST_F(AnatomyLabTest, AWipeShowsBothImagesAndIsDragged) {
  open_both();
  ASSERT_EQ(run({"parameter.set linear none", "parameter.set iterations 0", "parameter.set show fixed"}), "");
  const QImage fixed = exported("fixed.png");
  ASSERT_EQ(run({"parameter.set show warped"}), "");
  const QImage warped = exported("warped.png");
  ASSERT_EQ(run({"parameter.set show wipe", "parameter.set wipe 0.5"}), "");
  // The values of both are mapped alike, so that only the sides count: compare with a wipe to either end.
  const QImage half = exported("half.png");
  const auto shown = views().large().document();
  ASSERT_EQ(run({"parameter.set wipe 0", "parameter.set squares 5"}), "");
  EXPECT_EQ(views().large().document(), shown) << "sliders of what is drawn over a picture compute no other";
  const QImage all_warped = exported("all-warped.png");
  ASSERT_EQ(run({"parameter.set wipe 1"}), "");
  const QImage all_fixed = exported("all-fixed.png");
  EXPECT_NE(all_fixed, all_warped);
  for (int y = 60; y < 140; y += 7) {
    for (int x = 84; x < 116; x += 5) EXPECT_EQ(half.pixel(x, y), all_fixed.pixel(x, y)) << x << " " << y;
    for (int x = 124; x < 156; x += 5) EXPECT_EQ(half.pixel(x, y), all_warped.pixel(x, y)) << x << " " << y;
  }
  // Where an image is bright alone, it is bright in its wipe.
  EXPECT_GT(qGray(all_fixed.pixel(120, 100)), qGray(all_fixed.pixel(40, 20)));
  slices::SliceView& large = views().large();
  QTest::mousePress(&large, Qt::LeftButton, {}, QPoint(large.width() / 2, large.height() / 2));
  QTest::mouseMove(&large, QPoint(large.width() / 4, large.height() / 2));
  QTest::mouseRelease(&large, Qt::LeftButton, {}, QPoint(large.width() / 4, large.height() / 2));
  EXPECT_NEAR(std::get<double>(window->lab().parameters()->get("wipe")), 0.25, 0.01);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_EQ(std::get<double>(window->lab().parameters()->get("wipe")), 1) << "one step for the whole drag";
}

TEST_F(AnatomyLabTest, AMorphLeadsFromTheHeadersToTheMap) {
  open_both();
  ASSERT_EQ(run({"parameter.set linear none", "parameter.set show moving"}), "");
  const QImage moving = exported("moving.png");
  ASSERT_EQ(run({"parameter.set morph 0", "parameter.set show warped"}), "");
  EXPECT_EQ(exported("start.png"), moving);
  ASSERT_EQ(run({"parameter.set morph 0.5"}), "");
  const QImage half = exported("half.png");
  ASSERT_EQ(run({"parameter.set morph 1"}), "");
  const QImage whole = exported("whole.png");
  EXPECT_NE(half, moving);
  EXPECT_NE(half, whole);
  // Half of the way looks less like its end than the end itself, and more than the start.
  const auto distance = [&](const QImage& picture) {
    double sum = 0;
    for (int y = 40; y < 160; ++y)
      for (int x = 60; x < 180; ++x) sum += std::abs(qGray(picture.pixel(x, y)) - qGray(whole.pixel(x, y)));
    return sum;
  };
  EXPECT_LT(distance(half), 0.8 * distance(moving));
  ASSERT_EQ(run({"parameter.set grid on"}), "");
  EXPECT_NE(exported("grid.png"), whole);
}

TEST_F(AnatomyLabTest, FilesHoldWhatIsShown) {
  open_both();
  ASSERT_EQ(run({"anatomy.field.save " + path("field.nii.gz"), "file.export " + path("warped.nrrd")}), "");
  const auto warped = isolume::anatomy::read_image(path("warped.nrrd"));
  const auto moving = isolume::anatomy::read_image(path("moving.nrrd"));
  const auto field = isolume::anatomy::read_displacements(path("field.nii.gz"));
  const auto again = isolume::anatomy::moved(moving, field, false);
  ASSERT_EQ(again.size(), warped.values().size());
  double largest = 0;
  for (std::size_t at = 0; at < again.size(); ++at)
    largest = std::max<double>(largest, std::abs(again[at] - warped.values()[at]));
  EXPECT_LT(largest, 1e-4) << "of values up to 1.5, by displacements that were rounded in the file";
}

TEST_F(AnatomyLabTest, APictureIsOfTheFinishedRegistration) {
  open_both();
  ASSERT_EQ(run({"parameter.set show difference"}), "");
  const QImage right = exported("right.png");
  ASSERT_EQ(run({"parameter.set smoothness 30"}), "");
  // Both at once: the file is written while the registration runs.
  window->run_and_wait("parameter.set smoothness 6", [](const jobs::Outcome&) {});
  EXPECT_EQ(exported("meanwhile.png"), right);
}

TEST_F(AnatomyLabTest, ASessionBringsBothImagesAndThePlaceBack) {
  open_both();
  ASSERT_EQ(run({"parameter.set smoothness 9"}), "");
  const auto before = answer("anatomy.result");
  views().large().set_slice({2, 9});
  views().set_window({0.25, 0.5, {}});
  ASSERT_EQ(run({"session.save-as " + path("pair.isolume"), "file.open " + path("fixed.nrrd"),
                 "file.open " + path("pair.isolume")}),
            "");
  EXPECT_EQ(window->windowTitle().indexOf("moving.nrrd to fixed.nrrd"), 0);
  EXPECT_EQ(value("smoothness"), "9");
  EXPECT_EQ(answer("anatomy.result"), before);
  EXPECT_EQ(views().large().slice(), (images::SliceId{2, 9}));
  EXPECT_EQ(views().large().window().width, 0.5);
}

}  // namespace
}  // namespace isolume::labs::anatomy
