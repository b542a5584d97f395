// A series with a gap, made by make_objects.py: its grid is uniform, its slices' places are not.
#include "core/dicom/contours/slice_positions.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/contours/files.h"
#include "core/contours/label_map.h"
#include "core/dicom/contours/read_contours.h"
#include "core/dicom/contours/rtstruct.h"
#include "core/dicom/contours/segmentation.h"
#include "core/dicom/data/header.h"
#include "core/image_files/read_image.h"
#include "tests/core/contours/shapes.h"
#include "tests/core/dicom/made_document.h"
#include "tests/core/images/made_dicom.h"

namespace isolume::dicom {
namespace {

using contours::testing::closed;
using contours::testing::rectangle;
using images::testing::MadeDicom;
using isolume::testing::run_program;

constexpr std::array heights_mm{0.0, 2.5, 5.0, 12.5, 15.0, 17.0};

/// In mm, of pixel (x, y) at a height.
nlohmann::json at(double x, double y, double height_mm) {
  return {-10 + 0.75 * x, -20 + 0.5 * y, height_mm};
}

/// On every slice, and one across the gap.
contours::ContourSet drawn() {
  contours::ContourSet set;
  for (int k = 0; k < 6; ++k) set.add(closed(rectangle(4, 5, 20, 15 + k), {2, k}));
  set.add(closed(rectangle(3, 1, 9, 4.5), {1, 7}, 2));
  return set;
}

nlohmann::json expected_of(const images::DicomSource& source) {
  nlohmann::json expected{{"patient_name", "Doe^Jane"},
                          {"study", "1.2.3.4.1"},
                          {"series", "1.2.3.4.2"},
                          {"frame_of_reference", "1.2.3.4.3"},
                          {"contours", nlohmann::json::array()},
                          {"instances", nlohmann::json::array()},
                          {"frames", nlohmann::json::array()},
                          {"orientation", {1, 0, 0, 0, 1, 0}},
                          {"pixel_spacing", {0.5, 0.75}}};
  for (const auto& slice : source.slices) expected["instances"].push_back(slice.sop_instance_uid);
  return expected;
}

class SeriesWithGap : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!made_.was_made()) GTEST_SKIP() << "no Python with pydicom was found: the files cannot be made";
    image_ = images::read_image(made_.folder() / "series");
  }
  bool agrees(const std::string& kind, const std::filesystem::path& file, const nlohmann::json& expected) {
    const auto told = made_.folder() / "expected.json";
    std::ofstream(told) << expected.dump();
    return run_program(
        {ISOLUME_PHANTOM_PYTHON, ISOLUME_TEST_CHECK_OBJECTS, kind, file.string(), told.string()});
  }

  MadeDicom made_{"series_with_gap"};
  images::Document image_;
};

TEST_F(SeriesWithGap, SlicesKnowTheirPlaces) {
  ASSERT_EQ(image_.dicom->slices.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(image_.dicom->slices[k].position_mm, Eigen::Vector3d(-10, -20, heights_mm[k]));
  }
}

TEST_F(SeriesWithGap, ContoursAreReadOntoTheSliceTheyLieOn) {
  const auto read = read_rtstruct(made_.folder() / "structures.dcm", image_);
  EXPECT_EQ(read.set.contours().size(), 6U);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(read.set.on_slice({2, k}).size(), 1U) << k;
  ASSERT_EQ(read.remarks.size(), 1U);  // of the missing slices
  EXPECT_EQ(read.remarks[0].text,
            "2 contours of Lung left out: not within half a spacing of a slice of this image.");
}

TEST_F(SeriesWithGap, ContoursAreWrittenWhereTheirSlicesLie) {
  const auto file = made_.folder() / "written.dcm";
  write_rtstruct(drawn(), image_, file);
  auto expected = expected_of(*image_.dicom);
  for (int k = 0; k < 6; ++k) {
    expected["frames"].push_back(0);
    const double z = heights_mm[static_cast<std::size_t>(k)];
    expected["contours"].push_back(
        {{"label", 1},
         {"name", "Label 1"},
         {"slice", {2, k}},
         {"kind", "CLOSED_PLANAR"},
         {"points", {at(4, 5, z), at(20, 5, z), at(20, 15 + k, z), at(4, 15 + k, z)}}});
  }
  expected["contours"].push_back(  // slice 4.5 is half way between the last two
      {{"label", 2},
       {"name", "Label 2"},
       {"slice", {1, 7}},
       {"kind", "CLOSED_PLANAR"},
       {"points", {at(3, 7, 2.5), at(9, 7, 2.5), at(9, 7, 16), at(3, 7, 16)}}});
  EXPECT_TRUE(agrees("rtstruct", file, expected));

  const auto read = read_rtstruct(file, image_);
  EXPECT_TRUE(read.remarks.empty()) << read.remarks.text();
  const auto written = drawn();
  for (const auto& contour : written.contours()) {
    const auto same = read.set.on_slice(contour->slice);
    ASSERT_EQ(same.size(), 1U);
    const auto found = same[0]->outline(), wanted = contour->outline();
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_LT((found[i] - wanted[i]).norm(), 1e-5);
  }
}

TEST_F(SeriesWithGap, SegmentsAreWrittenWhereTheirSlicesLie) {
  contours::ContourSet set;
  for (int k = 0; k < 6; ++k) set.add(closed(rectangle(4, 5, 6, 7), {2, k}));
  const auto file = made_.folder() / "written.dcm";
  write_segmentation(set, image_, file);
  auto expected = expected_of(*image_.dicom);
  const auto map = contours::label_map(set, image_.volume.geometry);
  for (int k = 0; k < 6; ++k) {
    nlohmann::json pixels = nlohmann::json::array();
    for (int i = 0; i < 40 * 32; ++i) {
      if (map.value(i % 40, i / 40, k) == 1) pixels.push_back(i);
    }
    const auto at_k = static_cast<std::size_t>(k);
    expected["frames"].push_back({{"name", "Label 1"},
                                  {"position", at(0, 0, heights_mm[at_k])},
                                  {"instance", image_.dicom->slices[at_k].sop_instance_uid},
                                  {"source_frame", 0},
                                  {"pixels", pixels}});
  }
  EXPECT_TRUE(agrees("segmentation", file, expected));
  const auto read = read_segmentation(file, image_);
  EXPECT_TRUE(read.remarks.empty()) << read.remarks.text();
  const auto read_map = contours::label_map(read.set, image_.volume.geometry);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(read_map.value(5, 6, k), 1) << k;
}

TEST_F(SeriesWithGap, PointsAreListedWhereTheirSlicesLie) {
  const SlicePositions positions(image_);
  contours::ContourDocument document;
  document.image.geometry = image_.volume.geometry;
  document.set.add(closed(rectangle(4, 5, 20, 15), {2, 3}));
  const auto file = made_.folder() / "points.csv";
  contours::write_points_csv(document, file, [&](images::SliceId slice, const auto& place) {
    return positions.position_mm(slice, place);
  });
  const std::string table = images::testing::content_of(file);
  EXPECT_NE(table.find(",axial,4,0,4,5,-7,-17.5,12.5\n"), std::string::npos) << table;
}

TEST_F(SeriesWithGap, LabelMapsCannotSayWhereTheSlicesLie) {
  const auto told = images::testing::error_of([&] { require_regular_grid(image_, "mask.nii"); });
  // The fourth slice lies at 12.5 mm, and would be at 3 times 2.5.
  EXPECT_NE(told.find("mask.nii: "), std::string::npos) << told;
  EXPECT_NE(told.find("wrong by up to 5 mm"), std::string::npos) << told;
  require_regular_grid(testing::document(testing::turned()), "mask.nii");
}

TEST(Segmentation, OfATiltedGantryTellsTheDistanceOfItsPlanes) {
  auto image = testing::document(testing::axial());
  image.volume.geometry.set_direction(2, {0, 0.6, 0.8});
  for (int k = 0; k < 6; ++k) {
    image.dicom->slices[static_cast<std::size_t>(k)].position_mm =
        image.volume.geometry.position({0, 0, static_cast<double>(k)});
  }
  contours::ContourSet set;
  set.add(closed(rectangle(4, 5, 6, 7), {2, 3}));
  const images::testing::TemporaryFolder folder;
  write_segmentation(set, image, folder / "x.dcm");
  int told = 0;
  for (const auto& entry : dicom::read_header(folder / "x.dcm")) {
    if (entry.tag != "(0018,0050)" && entry.tag != "(0018,0088)") continue;
    EXPECT_NEAR(std::stod(entry.value), 3 * 0.8, 1e-6) << entry.tag;
    ++told;
  }
  EXPECT_EQ(told, 2);
}

/// Slices that the gantry's tilt shifts, with a gap: there and back along every axis.
TEST(SlicePositions, PlacesComeBack) {
  auto image = testing::document(testing::turned());
  images::Geometry& geometry = image.volume.geometry;
  geometry.set_direction(2, (geometry.direction(2) + 0.3 * geometry.direction(1)).normalized());
  for (int k = 0; k < 6; ++k) {
    image.dicom->slices[static_cast<std::size_t>(k)].position_mm =
        image.volume.geometry.position({0, 0, k < 4 ? k : k + 1.75});
  }
  const SlicePositions positions(image);
  for (const images::SliceId slice : {images::SliceId{2, 5}, {1, 11}, {0, 7}}) {
    for (const Eigen::Vector2d& place :
         {Eigen::Vector2d(2.5, 1.25), Eigen::Vector2d(7, 4.5), Eigen::Vector2d(-1, -2)}) {
      const auto back = positions.place_at(slice, positions.position_mm(slice, place));
      EXPECT_LT((back - place).norm(), 1e-9) << slice.axis << ": " << back.transpose();
    }
  }
}

}  // namespace
}  // namespace isolume::dicom
