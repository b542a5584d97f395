#include "core/dicom/contours/segmentation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/contours/label_map.h"
#include "core/dicom/contours/read_contours.h"
#include "core/dicom/contours/rtstruct.h"
#include "core/image_files/read_image.h"
#include "tests/core/contours/shapes.h"
#include "tests/core/dicom/is_valid.h"
#include "tests/core/dicom/made_document.h"
#include "tests/core/images/made_dicom.h"
#include "tests/full_disk.h"
#include "tests/phantoms/phantoms.h"

namespace isolume::dicom {
namespace {

using contours::ContourSet;
using contours::testing::circle;
using contours::testing::closed;
using images::testing::error_of;
using images::testing::has_program;
using images::testing::MadeDicom;
using images::testing::TemporaryFolder;
using isolume::testing::run_program;
using testing::axial;
using testing::document;
using testing::turned;

/// Two segments that meet on a slice, one also drawn across the slices.
ContourSet two_segments() {
  ContourSet set;
  set.put_label({.value = 1, .name = "Leber", .colour = "#e69f00"});
  set.put_label({.value = 2, .name = "Niere, linke – größer", .colour = "#0072b2"});
  set.add(closed(circle({30.25, 20.5}, 11, 70), {2, 1}));
  set.add(closed(circle({32.25, 20.5}, 4, 70), {2, 1}, 1, contours::Combination::subtract));
  set.add(closed(circle({36, 22}, 10, 70), {2, 4}));
  set.add(closed(circle({38, 22}, 7, 70), {2, 4}, 2));
  set.add(closed(circle({25, 3}, 2.5, 30), {1, 40}, 2));
  return set;
}

/// Voxels i, j, k, lowest i first.
std::vector<std::array<int, 3>> voxels_of(const ContourSet& set, int label,
                                          const images::Geometry& geometry) {
  const auto mask = contours::mask_of_label(set, label, geometry);
  std::vector<std::array<int, 3>> found;
  for (int k = 0; k < mask.size[2]; ++k) {
    for (int j = 0; j < mask.size[1]; ++j) {
      for (int i = 0; i < mask.size[0]; ++i) {
        if (mask.row(j, k)[i] != 0) found.push_back({mask.low[0] + i, mask.low[1] + j, mask.low[2] + k});
      }
    }
  }
  return found;
}

void expect_same_labels(const ContourSet& read, const ContourSet& written, const images::Geometry& geometry) {
  ASSERT_EQ(read.labels().size(), written.labels().size());
  for (const auto& label : written.labels()) {
    EXPECT_EQ(voxels_of(read, label.value, geometry), voxels_of(written, label.value, geometry))
        << label.name;
  }
}

/// What check_objects.py compares the file with: the frames in the order of segments and slices.
nlohmann::json expected_frames(const ContourSet& set, const images::Document& image) {
  const auto& geometry = image.volume.geometry;
  nlohmann::json frames = nlohmann::json::array();
  for (const auto& label : set.labels()) {
    const auto voxels = voxels_of(set, label.value, geometry);
    for (int k = 0; k < geometry.dimensions[2]; ++k) {
      nlohmann::json pixels = nlohmann::json::array();
      for (const auto& voxel : voxels) {
        if (voxel[2] == k) pixels.push_back(voxel[1] * geometry.dimensions[0] + voxel[0]);
      }
      if (pixels.empty()) continue;
      const Eigen::Vector3d at = geometry.position({0, 0, static_cast<double>(k)});
      const auto& slice = image.dicom->slices[static_cast<std::size_t>(k)];
      frames.push_back({{"name", label.name},
                        {"position", {at.x(), at.y(), at.z()}},
                        {"instance", slice.sop_instance_uid},
                        {"source_frame", slice.frame},
                        {"pixels", pixels}});
    }
  }
  return frames;
}

class WrittenSegmentation : public ::testing::TestWithParam<bool> {
 protected:
  images::Document image_ = document(GetParam() ? turned() : axial(), GetParam());
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "segments.dcm";
};
INSTANTIATE_TEST_SUITE_P(Geometries, WrittenSegmentation, ::testing::Bool(),
                         [](const auto& turn) { return turn.param ? "turned_multi_frame" : "axial"; });

TEST_P(WrittenSegmentation, IsReadBack) {
  write_segmentation(two_segments(), image_, file_);
  EXPECT_EQ(kind_of(file_), DicomKind::segmentation);
  const auto read = read_segmentation(file_, image_);
  EXPECT_TRUE(read.remarks.empty()) << read.remarks.text();
  expect_same_labels(read.set, two_segments(), image_.volume.geometry);
  ASSERT_EQ(read.set.labels().size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto set = two_segments();
    EXPECT_EQ(read.set.labels()[i].name, set.labels()[i].name);
    EXPECT_EQ(read.set.labels()[i].colour, set.labels()[i].colour);
  }
}

TEST_P(WrittenSegmentation, IsValidForDciodvfy) {
  if (!has_program("dciodvfy")) GTEST_SKIP() << "dciodvfy is not installed (Debian: dicom3tools)";
  write_segmentation(two_segments(), image_, file_);
  EXPECT_TRUE(testing::is_valid(file_, "Segmentation"));
}

TEST_P(WrittenSegmentation, HasTheFramesThatPydicomReads) {
  const std::string python = ISOLUME_PHANTOM_PYTHON;
  if (python.empty()) GTEST_SKIP() << "no Python with pydicom was found";
  write_segmentation(two_segments(), image_, file_);
  const auto& geometry = image_.volume.geometry;
  const Eigen::Matrix3d direction = geometry.directions();
  const nlohmann::json expected{{"patient_name", image_.dicom->patient_name},
                                {"orientation",
                                 {direction(0, 0), direction(1, 0), direction(2, 0), direction(0, 1),
                                  direction(1, 1), direction(2, 1)}},
                                {"pixel_spacing", {geometry.spacing().y(), geometry.spacing().x()}},
                                {"frames", expected_frames(two_segments(), image_)}};
  const auto told = folder_.write("expected.json", expected.dump());
  EXPECT_TRUE(
      run_program({python, ISOLUME_TEST_CHECK_OBJECTS, "segmentation", file_.string(), told.string()}));
}

TEST(Segmentation, WithoutPixelsIsRefused) {
  const TemporaryFolder folder;
  ContourSet set;
  set.put_label({.value = 1, .name = "Empty"});
  const auto message = error_of([&] { write_segmentation(set, document(axial()), folder.path() / "x.dcm"); });
  EXPECT_NE(message.find("no closed contour"), std::string::npos) << message;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Segmentation, NeedsAnImageThatSaysWhereItLies) {
  const TemporaryFolder folder;
  auto image = document(axial());
  image.dicom->is_placed = false;
  const auto message = error_of([&] { write_segmentation(two_segments(), image, folder.path() / "x.dcm"); });
  EXPECT_NE(message.find("does not say where it lies"), std::string::npos) << message;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Segmentation, AFullDiskLeavesTheOlderFile) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.dcm", "old");
  write_segmentation(two_segments(), document(axial()), folder / "whole.dcm");
  const auto whole = std::filesystem::file_size(folder / "whole.dcm");
  for (const std::uintmax_t room : {std::uintmax_t{0}, whole / 2, whole - 1}) {
    const isolume::testing::FileSizeLimit limit(room);
    const auto message = error_of([&] { write_segmentation(two_segments(), document(axial()), path); });
    EXPECT_NE(message.find("could not be written"), std::string::npos) << message << room;
  }
  EXPECT_EQ(images::testing::content_of(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST(Segmentation, PhantomsComeBackFromTheirSeries) {
  ISOLUME_NEEDS_PHANTOMS();
  const auto truth = phantoms::description("ct-abdomen-oblique");
  const auto image = images::read_image(phantoms::folder() / "ct-abdomen-oblique-clean");
  ContourSet set;
  for (const auto& slice : truth["objects"][0]["slices"]) {
    contours::Polyline outline;
    for (const auto& point : slice["boundary_px"]) outline.emplace_back(point[0], point[1]);
    set.add(closed(outline, {2, slice["index"]}));
  }
  const TemporaryFolder folder;
  write_segmentation(set, image, folder.path() / "x.dcm");
  const auto read = read_segmentation(folder.path() / "x.dcm", image);
  EXPECT_TRUE(read.remarks.empty()) << read.remarks.text();
  expect_same_labels(read.set, set, image.volume.geometry);
}

/// Segmentations made by make_objects.py.
class ForeignSegmentation : public ::testing::Test {
 protected:
  /// False where there is no Python to make it.
  bool read(const std::string& test_case) {
    const MadeDicom made(test_case);
    if (!made.was_made()) return false;
    error_ = error_of([&] { read_ = read_segmentation(made.folder() / "segments.dcm", document(axial())); });
    return true;
  }
  /// Voxels of a label on slice k; the box of make_objects.py has (5 + k)(10 + 2k).
  int count(int k, int label = 1) const {
    const auto voxels = voxels_of(read_.set, label, axial());
    return static_cast<int>(std::ranges::count_if(voxels, [&](const auto& voxel) { return voxel[2] == k; }));
  }
  std::string remarks() const { return read_.remarks.text(); }
  ReadContours read_;
  std::string error_;
};

#define READ_FOREIGN(test_case) \
  if (!read(test_case)) GTEST_SKIP() << "no Python with pydicom was found: the files cannot be made"

TEST_F(ForeignSegmentation, FramesMayComeInAnyOrder) {
  READ_FOREIGN("seg_reversed");
  ASSERT_EQ(error_, "");
  EXPECT_EQ(remarks(), "Segments without a pixel on this image: Other.");
  EXPECT_EQ(count(1), 6 * 12);
  EXPECT_EQ(count(2), 0);
  EXPECT_EQ(count(3), 8 * 16);
  EXPECT_EQ(count(4), 9 * 18);
  const auto voxels = voxels_of(read_.set, 1, axial());
  EXPECT_EQ(std::ranges::count(voxels, std::array{20, 5, 3}), 1);
  EXPECT_EQ(std::ranges::count(voxels, std::array{35, 12, 3}), 1);
  EXPECT_EQ(read_.set.labels()[0].name, "Box");
}

TEST_F(ForeignSegmentation, FractionsCountAboveOneHalf) {
  READ_FOREIGN("seg_fractional");
  ASSERT_EQ(error_, "");
  EXPECT_EQ(count(2), 7 * 14);
}

TEST_F(ForeignSegmentation, FramesAreMatchedWithinHalfASpacing) {
  READ_FOREIGN("seg_shifted");
  ASSERT_EQ(error_, "");
  EXPECT_EQ(count(2), 7 * 14);
  EXPECT_EQ(count(5), 0);
  EXPECT_EQ(remarks(),
            "1 frame left out: not within half a spacing of a slice of this image.\n"
            "1 frame moved onto the nearest slice.\n"
            "Segments without a pixel on this image: Other.");
}

// Frames of 6 mm at slices 0 and 2 of 3 mm occupy as much as four slices; those in the middle between two frames
// belong to the lower one.
TEST_F(ForeignSegmentation, ThickFramesCoverSeveralSlices) {
  READ_FOREIGN("seg_thick");
  ASSERT_EQ(error_, "");
  for (int k = 0; k < 4; ++k) EXPECT_EQ(count(k), 7 * 14) << k;
  EXPECT_EQ(count(4), 0);
  EXPECT_TRUE(remarks().starts_with("2 frames put on all slices that they cover")) << remarks();
}

// Slice Thickness alone does not tell whether slices overlap, unless others lie between.
TEST_F(ForeignSegmentation, SlicesThatMayBeThickerAreTold) {
  READ_FOREIGN("seg_perhaps_thick");
  ASSERT_EQ(error_, "");
  EXPECT_EQ(voxels_of(read_.set, 1, axial()).size(), 2U * 7 * 14);
  EXPECT_TRUE(
      remarks().starts_with("Its slices are 6 mm thick by Slice Thickness, those of this image 3 mm apart"))
      << remarks();
  READ_FOREIGN("seg_overlapping_slices");
  ASSERT_EQ(error_, "");
  EXPECT_EQ(voxels_of(read_.set, 1, axial()).size(), 6U * 12 + 7 * 14);
  EXPECT_EQ(remarks(), "Segments without a pixel on this image: Other.");
}

TEST_F(ForeignSegmentation, ThinnerSlicesAreTold) {
  READ_FOREIGN("seg_thin");
  ASSERT_EQ(error_, "");
  EXPECT_TRUE(remarks().starts_with("Its slices are 1.5 mm apart by Spacing Between Slices")) << remarks();
}

TEST_F(ForeignSegmentation, TwoSegmentsOfOneNumberAreTold) {
  READ_FOREIGN("seg_two_of_one_number");
  ASSERT_EQ(error_, "");
  EXPECT_EQ(remarks(), "Two segments have the number 1, Box and Other: they became one label.");
}

TEST_F(ForeignSegmentation, DecimalCommasAreTold) {
  READ_FOREIGN("seg_comma");
  ASSERT_EQ(error_, "");
  EXPECT_EQ(count(2), 7 * 14);
  EXPECT_TRUE(remarks().starts_with("Positions, orientations or spacings are written with decimal commas"))
      << remarks();
}

TEST_F(ForeignSegmentation, OverlappingSegmentsAreWhole) {
  READ_FOREIGN("seg_overlapping");
  ASSERT_EQ(error_, "");
  EXPECT_EQ(count(2, 1), 7 * 14);
  EXPECT_EQ(count(2, 2), 7 * 14);
  EXPECT_EQ(remarks(), "1 frame left out: of segments that are not described.");
}

TEST_F(ForeignSegmentation, LabelMapsHoldNumbersOfSegments) {
  READ_FOREIGN("seg_label_map");
  ASSERT_EQ(error_, "");
  EXPECT_EQ(count(2, 1), 7 * 14 - 14);
  EXPECT_EQ(count(2, 2), 14);
  EXPECT_EQ(count(3, 2), 64 * 47);
  EXPECT_EQ(read_.set.labels().size(), 2U);  // without the background
  EXPECT_EQ(remarks(), "64 pixels left out: of segments that are not described.");
}

TEST_F(ForeignSegmentation, CompressedPixelsAreRead) {
  READ_FOREIGN("seg_rle");
  ASSERT_EQ(error_, "");
  EXPECT_EQ(count(2), 7 * 14);
  EXPECT_EQ(count(3), 8 * 16);
}

TEST_F(ForeignSegmentation, FramesWithoutAPositionLieOnTheirSourceImages) {
  READ_FOREIGN("seg_without_positions");
  ASSERT_EQ(error_, "");
  EXPECT_EQ(count(4), 9 * 18);
  EXPECT_EQ(voxels_of(read_.set, 1, axial()).size(), 9U * 18);
}

TEST_F(ForeignSegmentation, OfAnotherPatientStudyAndFrameIsTold) {
  READ_FOREIGN("seg_of_another");
  ASSERT_EQ(error_, "");
  EXPECT_EQ(count(2), 7 * 14);
  EXPECT_TRUE(
      remarks().starts_with("The contours are of another patient, of another study, of another frame of "
                            "reference, not the image's: they may be misplaced."))
      << remarks();
}

TEST_F(ForeignSegmentation, OtherGridsAreRefused) {
  READ_FOREIGN("seg_turned");
  EXPECT_NE(error_.find("run along no axes of the image"), std::string::npos) << error_;
  READ_FOREIGN("seg_off_the_grid");
  EXPECT_NE(error_.find("0.5, 0.0 pixels off"), std::string::npos) << error_;
}

TEST_F(ForeignSegmentation, WrongCountsAreRefused) {
  READ_FOREIGN("seg_too_few_pixels");
  EXPECT_NE(error_.find("are needed"), std::string::npos) << error_;
  READ_FOREIGN("seg_more_frames_than_described");
  EXPECT_NE(error_.find("2000000000 frames, but describes 1"), std::string::npos) << error_;
}

TEST_F(ForeignSegmentation, FlippedFramesLieAtTheirPositions) {
  READ_FOREIGN("seg_flipped");
  ASSERT_EQ(error_, "");
  EXPECT_EQ(remarks(), "Segments without a pixel on this image: Other.");
  const auto flipped = voxels_of(read_.set, 1, axial());
  EXPECT_EQ(flipped.size(), 7U * 14 + 8 * 16);
  EXPECT_EQ(flipped.front(), (std::array{20, 5, 2}));
  EXPECT_EQ(flipped.back(), (std::array{35, 12, 3}));
  READ_FOREIGN("seg_transposed");
  ASSERT_EQ(error_, "");
  const auto transposed = voxels_of(read_.set, 1, axial());
  EXPECT_EQ(transposed.size(), 7U * 14);
  EXPECT_EQ(transposed.front(), (std::array{20, 5, 2}));
  EXPECT_EQ(transposed.back(), (std::array{33, 11, 2}));
}

TEST_F(ForeignSegmentation, FramesOfAnotherSizeLieAtTheirPositions) {
  READ_FOREIGN("seg_cut");
  ASSERT_EQ(error_, "");
  const auto voxels = voxels_of(read_.set, 1, axial());
  EXPECT_EQ(voxels.size(), 7U * 14 + 7);
  EXPECT_EQ(voxels.front(), (std::array{20, 5, 2}));
  EXPECT_EQ(voxels.back(), (std::array{0, 11, 3}));
  EXPECT_EQ(remarks(),
            "14 pixels left out: beyond the edge of this image's slices.\n"
            "Segments without a pixel on this image: Other.");
}

TEST_F(ForeignSegmentation, WithoutPositionsAndOfAnotherSizeIsRefused) {
  const MadeDicom made("seg_without_positions");
  if (!made.was_made()) GTEST_SKIP() << "no Python with pydicom was found: the files cannot be made";
  auto geometry = axial();
  geometry.dimensions = {63, 48, 6};
  const auto message =
      error_of([&] { read_segmentation(made.folder() / "segments.dcm", document(geometry)); });
  EXPECT_NE(message.find("64 × 48 pixels, the image's slices 63 × 48"), std::string::npos) << message;
}

/// The same voxels, with axes in another order and some of them reversed.
images::Geometry reordered(const images::Geometry& geometry, std::array<int, 3> order, int reversed) {
  images::Geometry result;
  Eigen::Vector3d corner = Eigen::Vector3d::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    const int from = order[static_cast<std::size_t>(axis)];
    const bool turns = (reversed >> axis & 1) != 0;
    result.dimensions[static_cast<std::size_t>(axis)] = geometry.dimensions[static_cast<std::size_t>(from)];
    result.step.col(axis) = (turns ? -1 : 1) * geometry.step.col(from);
    if (turns) corner[from] = geometry.dimensions[static_cast<std::size_t>(from)] - 1;
  }
  result.origin = geometry.position(corner);
  return result;
}

// Each voxel is found again by its position, whatever the order of the segmentation's axes.
TEST(Segmentation, OfReorderedAxesLiesAtItsPositions) {
  const TemporaryFolder folder;
  ContourSet set;
  set.put_label({.value = 1, .name = "Box", .colour = "#e69f00"});
  set.add(closed({{1.5, 0.5}, {4.5, 0.5}, {4.5, 3.5}, {2.5, 3.5}, {2.5, 2.5}, {1.5, 2.5}}, {2, 1}));
  set.add(closed({{0.5, 1.5}, {3.5, 1.5}, {3.5, 2.5}, {0.5, 2.5}}, {2, 2}));
  images::Geometry small = turned();
  small.dimensions = {7, 6, 5};
  const auto image = document(small);
  std::array<int, 3> order{0, 1, 2};
  do {
    for (int reversed = 0; reversed < 8; ++reversed) {
      const auto there = reordered(small, order, reversed);
      write_segmentation(set, document(there), folder / "x.dcm");
      const auto read = read_segmentation(folder / "x.dcm", image);
      EXPECT_TRUE(read.remarks.empty()) << read.remarks.text();
      std::set<std::array<int, 3>> expected;
      for (const auto& voxel : voxels_of(set, 1, there)) {
        const Eigen::Vector3d at =
            small.index_at(there.position({voxel[0] * 1.0, voxel[1] * 1.0, voxel[2] * 1.0}));
        expected.insert({static_cast<int>(std::lround(at.x())), static_cast<int>(std::lround(at.y())),
                         static_cast<int>(std::lround(at.z()))});
      }
      const auto found = voxels_of(read.set, 1, small);
      EXPECT_EQ((std::set<std::array<int, 3>>{found.begin(), found.end()}), expected)
          << order[0] << order[1] << order[2] << " reversed " << reversed;
      EXPECT_EQ(found.size(), 8U + 3);
    }
  } while (std::ranges::next_permutation(order).found);
}

}  // namespace
}  // namespace isolume::dicom
