#include "core/dicom/contours/rtstruct.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/contours/label_map.h"
#include "core/contours/measures.h"
#include "core/dicom/contours/read_contours.h"
#include "core/image_files/read_image.h"
#include "tests/core/contours/shapes.h"
#include "tests/core/dicom/is_valid.h"
#include "tests/core/dicom/made_document.h"
#include "tests/core/images/made_dicom.h"
#include "tests/full_disk.h"
#include "tests/phantoms/phantoms.h"

namespace isolume::dicom {
namespace {

using contours::Combination;
using contours::Contour;
using contours::ContourSet;
using contours::testing::circle;
using contours::testing::closed;
using contours::testing::rectangle;
using images::testing::error_of;
using images::testing::has_program;
using images::testing::TemporaryFolder;
using isolume::testing::run_program;
using testing::axial;
using testing::document;
using testing::turned;

Contour open(contours::Polyline points, images::SliceId slice, int label = 1) {
  return contours::contour_from_outline(std::move(points), slice, false, label);
}

/// Contours of every kind on slices along every axis.
ContourSet every_kind() {
  ContourSet set;
  set.put_label({.value = 1, .name = "Leber", .colour = "#e69f00"});
  set.put_label({.value = 7, .name = "Niere, linke – größer", .colour = "#010203"});
  set.put_label({.value = 300, .name = "肝臓", .colour = "#ffffff"});
  set.add(closed(circle({30.25, 20.5}, 11, 70), {2, 0}));
  set.add(closed(circle({31, 22}, 10, 70), {2, 5}));
  set.add(open({{3, 4}, {10.125, 5}, {12, 9.75}}, {2, 3}, 7));
  set.add(open({{40, 30}}, {2, 2}, 7));
  set.add(closed(circle({25, 3}, 2.5, 30), {1, 20}, 300));
  set.add(closed(circle({22, 3}, 2, 30), {0, 33}, 300));
  return set;
}

/// Where the contours lie, whatever their order.
nlohmann::json places(const ContourSet& set, const images::Geometry& geometry) {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& contour : set.contours()) {
    const auto plane = images::slice_plane(geometry, contour->slice);
    nlohmann::json points = nlohmann::json::array();
    for (const auto& point : contour->outline()) {
      const Eigen::Vector3d at = plane.position(point);
      points.push_back({at.x(), at.y(), at.z()});
    }
    all.push_back({{"label", contour->label},
                   {"name", set.label(contour->label)->name},
                   {"slice", {contour->slice.axis, contour->slice.index}},
                   {"kind", contour->closed      ? "CLOSED_PLANAR"
                            : points.size() == 1 ? "POINT"
                                                 : "OPEN_PLANAR"},
                   {"points", points}});
  }
  return all;
}

void expect_same(const ContourSet& read, const ContourSet& written) {
  ASSERT_EQ(read.contours().size(), written.contours().size());
  for (const auto& label : written.labels()) {
    ASSERT_NE(read.label(label.value), nullptr) << label.value;
    EXPECT_EQ(read.label(label.value)->name, label.name);
    EXPECT_EQ(read.label(label.value)->colour, label.colour);
  }
  for (const auto& contour : written.contours()) {
    const auto on_slice = read.on_slice(contour->slice);
    ASSERT_EQ(on_slice.size(), 1U) << contour->name;
    EXPECT_EQ(on_slice[0]->label, contour->label);
    EXPECT_EQ(on_slice[0]->closed, contour->closed);
    const auto found = on_slice[0]->outline(), expected = contour->outline();
    ASSERT_EQ(found.size(), expected.size()) << contour->name;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_LT((found[i] - expected[i]).norm(), 1e-5) << contour->name << " " << i;
    }
  }
}

class WrittenRtstruct : public ::testing::TestWithParam<bool> {
 protected:
  images::Geometry geometry_ = GetParam() ? turned() : axial();
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "structures.dcm";
};
INSTANTIATE_TEST_SUITE_P(Geometries, WrittenRtstruct, ::testing::Bool(),
                         [](const auto& turn) { return turn.param ? "turned" : "axial"; });

TEST_P(WrittenRtstruct, IsReadBack) {
  const auto image = document(geometry_);
  write_rtstruct(every_kind(), image, file_);
  EXPECT_EQ(kind_of(file_), DicomKind::rtstruct);
  const auto read = read_rtstruct(file_, image);
  EXPECT_TRUE(read.remarks.empty()) << read.remarks.text();
  expect_same(read.set, every_kind());
}

TEST_P(WrittenRtstruct, IsValidForDciodvfy) {
  if (!has_program("dciodvfy")) GTEST_SKIP() << "dciodvfy is not installed (Debian: dicom3tools)";
  write_rtstruct(every_kind(), document(geometry_, GetParam()), file_);
  EXPECT_TRUE(testing::is_valid(file_, "RTStructureSet"));
}

TEST_P(WrittenRtstruct, HasThePointsThatPydicomReads) {
  const std::string python = ISOLUME_PHANTOM_PYTHON;
  if (python.empty()) GTEST_SKIP() << "no Python with pydicom was found";
  const auto image = document(geometry_, GetParam());
  write_rtstruct(every_kind(), image, file_);
  nlohmann::json expected{{"contours", places(every_kind(), geometry_)},
                          {"patient_name", image.dicom->patient_name},
                          {"study", image.dicom->study_uid},
                          {"series", image.dicom->series_uid},
                          {"frame_of_reference", image.dicom->frame_of_reference_uid},
                          {"instances", nlohmann::json::array()},
                          {"frames", nlohmann::json::array()}};
  for (const auto& slice : image.dicom->slices) {
    expected["instances"].push_back(slice.sop_instance_uid);
    expected["frames"].push_back(slice.frame);
  }
  const auto told = folder_.write("expected.json", expected.dump());
  EXPECT_TRUE(run_program({python, ISOLUME_TEST_CHECK_OBJECTS, "rtstruct", file_.string(), told.string()}));
}

std::vector<std::uint16_t> pixels(const ContourSet& set, images::SliceId slice,
                                  const images::Geometry& geometry) {
  const auto plane = images::slice_plane(geometry, slice);
  return contours::rasterise(set, slice, plane.columns, plane.rows).values;
}

TEST_P(WrittenRtstruct, HolesAreKeyholesAndHolesAgain) {
  const auto image = document(geometry_);
  const images::SliceId slice{2, 1};
  ContourSet set;
  set.add(closed(circle({30.3, 20.4}, 17, 90), slice));
  set.add(closed(circle({24.1, 20.2}, 5, 40), slice, 1, Combination::subtract));
  set.add(closed(circle({38.2, 22.3}, 6, 40), slice, 1, Combination::subtract));
  set.add(closed(circle({38.1, 22.1}, 2, 20), slice));  // within a hole
  write_rtstruct(set, image, file_);
  const auto read = read_rtstruct(file_, image);
  ASSERT_EQ(read.set.contours().size(), 4U);
  EXPECT_EQ(pixels(read.set, slice, geometry_), pixels(set, slice, geometry_));
}

TEST_P(WrittenRtstruct, OutlinesThatCrossAreWrittenAsTheirPixels) {
  const auto image = document(geometry_);
  const images::SliceId slice{2, 4};
  ContourSet set;
  set.add(closed(circle({30.3, 20.4}, 15, 90), slice));
  set.add(closed(circle({44.1, 20.2}, 8, 40), slice, 1, Combination::subtract));  // across the rim
  set.add(closed(circle({20.2, 30.3}, 9, 40), slice));                            // overlaps the first
  set.add(closed(rectangle(50, 35, 54, 39), slice, 2));
  write_rtstruct(set, image, file_);
  const auto read = read_rtstruct(file_, image);
  EXPECT_EQ(pixels(read.set, slice, geometry_), pixels(set, slice, geometry_));
}

TEST(Rtstruct, SuggestionsAreNotWritten) {
  const TemporaryFolder folder;
  const auto image = document(axial());
  ContourSet set;
  Contour suggestion = closed(circle({30, 20}, 9, 40), {2, 1});
  suggestion.suggestion = true;
  set.add(suggestion);
  EXPECT_NE(error_of([&] { write_rtstruct(set, image, folder.path() / "x.dcm"); }), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  set.add(closed(circle({30, 20}, 9, 40), {2, 2}));
  write_rtstruct(set, image, folder.path() / "x.dcm");
  EXPECT_EQ(read_rtstruct(folder.path() / "x.dcm", image).set.contours().size(), 1U);
}

TEST(Rtstruct, NeedsADicomImage) {
  const TemporaryFolder folder;
  auto image = document(axial());
  image.dicom.reset();
  const auto message = error_of([&] { write_rtstruct(every_kind(), image, folder.path() / "x.dcm"); });
  EXPECT_NE(message.find("DICOM series"), std::string::npos) << message;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Rtstruct, NeedsAnImageThatSaysWhereItLies) {
  const TemporaryFolder folder;
  auto image = document(axial());
  image.dicom->is_placed = false;
  const auto message = error_of([&] { write_rtstruct(every_kind(), image, folder.path() / "x.dcm"); });
  EXPECT_NE(message.find("does not say where it lies"), std::string::npos) << message;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Rtstruct, AFullDiskLeavesTheOlderFile) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.dcm", "old");
  write_rtstruct(every_kind(), document(axial()), folder / "whole.dcm");
  const auto whole = std::filesystem::file_size(folder / "whole.dcm");
  for (const std::uintmax_t room : {std::uintmax_t{0}, whole / 2, whole - 1}) {
    const isolume::testing::FileSizeLimit limit(room);
    const auto message = error_of([&] { write_rtstruct(every_kind(), document(axial()), path); });
    EXPECT_NE(message.find("could not be written"), std::string::npos) << message << room;
  }
  EXPECT_EQ(images::testing::content_of(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST(Rtstruct, ACancelledOneLeavesNothing) {
  const TemporaryFolder folder;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(
      write_rtstruct(every_kind(), document(axial()), folder.path() / "x.dcm", {stop.get_token(), {}}),
      Cancelled);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Rtstruct, LongOutlinesAreWhole) {  // their text is longer than the 64 KiB of an explicit VR
  const TemporaryFolder folder;
  const auto image = document(turned());
  ContourSet set;
  set.add(closed(circle({30, 20}, 15, 9000), {2, 1}));
  write_rtstruct(set, image, folder.path() / "x.dcm");
  expect_same(read_rtstruct(folder.path() / "x.dcm", image).set, set);
}

/// Between the centres of pixels, which are whole numbers.
TEST(Rtstruct, RegionsWithoutAPixelAreNamed) {
  const TemporaryFolder folder;
  const auto image = document(axial());
  ContourSet set;
  set.put_label({.value = 1, .name = "Liver"});
  set.put_label({.value = 2, .name = "Seed"});
  set.put_label({.value = 3, .name = "Needle"});
  set.add(closed(rectangle(4.5, 4.5, 9.5, 9.5), {2, 1}));
  set.add(closed(rectangle(5.2, 5.2, 5.8, 5.8), {2, 1}, 2));
  set.add(open({{3.2, 4.2}, {10.2, 4.7}}, {2, 3}, 3));
  write_rtstruct(set, image, folder.path() / "x.dcm");
  EXPECT_EQ(read_rtstruct(folder.path() / "x.dcm", image).remarks.text(),
            "Regions of interest without a pixel on this image: Seed.");
}

/// The first object of a phantom, as its formula says.
ContourSet drawn(const nlohmann::json& truth) {
  ContourSet set;
  set.put_label({.value = 1, .name = truth["objects"][0]["name"]});
  for (const auto& slice : truth["objects"][0]["slices"]) {
    contours::Polyline outline;
    for (const auto& point : slice["boundary_px"]) outline.emplace_back(point[0], point[1]);
    set.add(closed(outline, {2, slice["index"]}));
  }
  return set;
}

TEST(Rtstruct, PhantomsComeBackFromTheirSeries) {
  ISOLUME_NEEDS_PHANTOMS();
  for (const std::string name : {"ct-vessel", "ct-abdomen-oblique"}) {
    const auto truth = phantoms::description(name);
    const auto image = images::read_image(phantoms::folder() / (name + "-clean"));
    const auto set = drawn(truth);
    const TemporaryFolder folder;
    write_rtstruct(set, image, folder.path() / "x.dcm");
    const auto read = read_rtstruct(folder.path() / "x.dcm", image);
    expect_same(read.set, set);
    for (const auto& slice : truth["objects"][0]["slices"]) {
      const images::SliceId id{2, slice["index"]};
      const auto points = read.set.on_slice(id)[0]->outline();
      const auto plane = images::slice_plane(image.volume.geometry, id);
      for (std::size_t i = 0; i < points.size(); ++i) {
        const auto& mm = slice["boundary_mm"][i];
        EXPECT_LT((plane.position(points[i]) - Eigen::Vector3d(mm[0], mm[1], mm[2])).norm(), 1e-3);
      }
    }
  }
}

/// With a hole, so that its keyhole is read by another program, too.
TEST(Rtstruct, PlastimatchMakesTheSameMaskOfIt) {
  ISOLUME_NEEDS_PHANTOMS();
  if (!has_program("plastimatch")) GTEST_SKIP() << "plastimatch is not installed";
  const auto series = phantoms::folder() / "ct-abdomen-clean";
  const auto image = images::read_image(series);
  auto set = drawn(phantoms::description("ct-abdomen"));
  set.add(closed(circle({62.3, 90.6}, 8, 50), {2, 8}, 1, contours::Combination::subtract));
  const TemporaryFolder folder;
  const auto file = folder.path() / "x.dcm", masks = folder.path() / "masks";
  write_rtstruct(set, image, file);
  ASSERT_TRUE(run_program({"plastimatch", "convert", "--input", file.string(), "--referenced-ct",
                           series.string(), "--output-prefix", masks.string(), "--prefix-format", "nrrd"}));
  const auto theirs = images::read_image(masks / "liver.nrrd").volume;
  const auto ours = contours::label_map(set, image.volume.geometry);
  const double dice = contours::compare(ours, 1, theirs, 1).dice;
  RecordProperty("dice", std::to_string(dice));
  EXPECT_GT(dice, 0.98);
  EXPECT_LT(theirs.value(62, 91, 8), 0.5);  // in the hole
}

}  // namespace
}  // namespace isolume::dicom
