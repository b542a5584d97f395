#include "core/contours/files.h"

#include <cmath>
#include <limits>
#include <sstream>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "tests/core/contours/shapes.h"
#include "tests/temporary_folder.h"

namespace isolume::contours {
namespace {

using testing::closed;
using testing::rectangle;

ContourDocument example() {
  ContourDocument document;
  document.image.path = "/data/CT \"abdomen\"";
  document.image.series_uid = "1.2.840.1";
  auto& geometry = document.image.geometry;
  geometry.dimensions = {64, 48, 12};
  geometry.origin = {-31.7, 0.1, 1e-7};
  geometry.set_spacing({0.7, 1.0 / 3, 2.5});
  geometry.set_directions(Eigen::AngleAxisd(0.3, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix());
  auto& set = document.set;
  set.put_label({.value = 7, .name = "Liver, left", .colour = "#0072B2", .visible = false, .locked = true});
  set.put_label({.value = 2, .name = "Leber <ä> & \"Niere\""});
  Contour wire;
  wire.label = 7;
  wire.slice = {1, 5};
  wire.seeds = {{1, 2}, {0.1, 1.0 / 3}, {std::nextafter(5.0, 6), 40}};
  wire.pieces = {{PieceKind::wire, {{1, 2}, {0.5, 1}, {0.1, 1.0 / 3}}},
                 {PieceKind::straight, {{0.1, 1.0 / 3}, {std::nextafter(5.0, 6), 40}}},
                 {PieceKind::freehand, {{std::nextafter(5.0, 6), 40}, {3, 3}, {1, 2}}}};
  wire.locked = true;
  set.add(wire);
  auto hole = closed(rectangle(1, 1.25, 2, 3), {2, 11}, 2, Combination::subtract);
  hole.visible = false;
  set.add(closed(rectangle(0, 0, 9, 9), {2, 11}, 2));
  set.add(hole);
  auto open = contour_from_outline({{0, 0}, {3, 4}}, {2, 11}, false, 2);
  open.name = "a \"line\",\nin two";
  set.add(open);
  open.suggestion = true;
  open.name = "left out";
  set.add(open);
  return document;
}

void expect_same(const Contour& a, const Contour& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.label, b.label);
  EXPECT_EQ(a.colour, b.colour);
  EXPECT_EQ(a.slice, b.slice);
  EXPECT_EQ(a.combination, b.combination);
  EXPECT_EQ(std::tuple(a.closed, a.locked, a.visible, a.suggestion),
            std::tuple(b.closed, b.locked, b.visible, b.suggestion));
  EXPECT_EQ(a.seeds, b.seeds);
  ASSERT_EQ(a.pieces.size(), b.pieces.size());
  for (std::size_t i = 0; i < a.pieces.size(); ++i) {
    EXPECT_EQ(a.pieces[i].kind, b.pieces[i].kind);
    EXPECT_EQ(a.pieces[i].points, b.pieces[i].points);
  }
}

TEST(SessionFile, ComesBackExactly) {
  const isolume::testing::TemporaryFolder folder;
  auto document = example();
  Contour coloured = *document.set.contours()[1];
  coloured.colour = "#0a0B0c";
  document.set.replace(coloured);
  write_contours(document, folder / "contours.json");
  const auto again = read_contours(folder / "contours.json");
  EXPECT_EQ(again.image.path, document.image.path);
  EXPECT_EQ(again.image.series_uid, document.image.series_uid);
  EXPECT_EQ(again.image.geometry.dimensions, document.image.geometry.dimensions);
  EXPECT_EQ(again.image.geometry.origin, document.image.geometry.origin);
  EXPECT_EQ(again.image.geometry.spacing(), document.image.geometry.spacing());
  EXPECT_EQ(again.image.geometry.directions(), document.image.geometry.directions());
  ASSERT_EQ(again.set.labels().size(), 2U);
  EXPECT_EQ(again.set.labels()[0].name, "Liver, left");
  EXPECT_EQ(again.set.labels()[0].colour, "#0072B2");
  EXPECT_FALSE(again.set.labels()[0].visible);
  EXPECT_TRUE(again.set.labels()[0].locked);
  EXPECT_EQ(again.set.labels()[1].value, 2);
  ASSERT_EQ(again.set.contours().size(), document.set.contours().size());
  for (std::size_t i = 0; i < again.set.contours().size(); ++i) {
    expect_same(*again.set.contours()[i], *document.set.contours()[i]);
  }
}

TEST(SessionFile, RemembersThatItsImageHasNoSides) {
  auto document = example();
  document.image.geometry.frame = grid::Frame::own;
  auto json = to_json(document.set, document.image);
  EXPECT_FALSE(contours_of_text(json.dump(), "some.json").image.geometry.has_sides());
  json["image"].erase("has_sides");  // as of images that have them, and in older files
  EXPECT_TRUE(contours_of_text(json.dump(), "some.json").image.geometry.has_sides());
}

TEST(SessionFile, ComesBackFromATiltedGantry) {
  auto document = example();
  document.image.geometry.set_directions(
      (Eigen::Matrix3d() << 1, 0, 0, 0, 0.94, 0, 0, std::sqrt(1 - 0.94 * 0.94), 1).finished());
  const auto again = contours_of_text(to_json(document.set, document.image).dump(), "some.json");
  EXPECT_EQ(again.image.geometry.directions(), document.image.geometry.directions());
}

/// The message of the InputError that reading must end with; empty when there was none.
std::string error_of(const std::string& text) {
  try {
    contours_of_text(text, "some.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(SessionFile, DamageIsNamed) {
  const auto good = to_json(example().set, example().image);
  ASSERT_EQ(error_of(good.dump()), "");
  struct Damage {
    const char* place;
    nlohmann::ordered_json value;
    const char* message;
  };
  for (const auto& [place, value, message] : std::vector<Damage>{
           {"/isolume-contours", 2, "isolume-contours: expected a whole number from 1 to 1, found \"2\""},
           {"/image", 3, "image: expected an object"},
           {"/image/size", {1, 2}, "image.size: expected 3 numbers, found 2"},
           {"/image/size/1", 0, "image.size[1]: "},
           {"/image/size/1", 1.5, "image.size[1]: expected a whole number"},
           {"/image/spacing_mm/2", 0, "image.spacing_mm[2]: "},
           {"/image/origin_mm/0", nullptr, "image.origin_mm[0]: expected a number"},
           {"/image/direction/0", {0, 0, 0}, "image.direction: the columns"},
           {"/image/direction/0", "x", "image.direction[0]: expected a list"},
           {"/labels", nullptr, "labels: expected a list, found null"},
           {"/labels/0/value", 65536, "labels[0].value: "},
           {"/labels/0/value", 18446744073709551615U, "labels[0].value: "},
           {"/labels/1/value", 7, "labels[1]: there is a label 7 already"},
           {"/labels/1/colour", "red", "labels[1].colour: expected a colour as #rrggbb, found \"red\""},
           {"/labels/1/colour", "#12345\"", "labels[1].colour: "},
           {"/contours/0/label", 3, "contours[0]: label 3 is not among the labels"},
           {"/contours/0/axis", 3, "contours[0].axis: "},
           {"/contours/0/slice", 48, "contours[0].slice: expected a whole number from 0 to 47, found \"48\""},
           {"/contours/0/closed", 1, "contours[0].closed: expected true or false"},
           {"/contours/0/closed", false, "contours[0]: 3 pieces need 4 seeds, found 3"},
           {"/contours/1/combination", "both", "contours[1].combination: "},
           {"/contours/0/name", nlohmann::ordered_json::array(),
            "contours[0].name: expected text, found array"},
           {"/contours/0/pieces/2/kind", "curve", "contours[0].pieces[2].kind: "},
           {"/contours/0/pieces/0/points_px", "", "contours[0].pieces[0].points_px: expected a list"},
           {"/contours/0/pieces/1/points_px/0/1", 1e300, "contours[0].pieces[1].points_px[0][1]: "},
           {"/contours/0/pieces/1/points_px/0",
            {1, 2, 3},
            "contours[0].pieces[1].points_px[0]: expected 2 numbers"},
           {"/contours/0/pieces/1/points_px/0",
            {9, 9},
            "contours[0].pieces[1]: it runs from (9, 9) to (5.000000000000001, 40), though its seeds are "
            "(0.1, "},
           {"/contours/0/pieces/1/points_px", nlohmann::ordered_json::array(),
            "contours[0].pieces[1]: it has no points, though its seeds are "},
           {"/contours/0/pieces/2/points_px/0",
            {9, 35},
            "contours[0].pieces[2]: it begins at (9, 35), though the piece before it ends at "},
           {"/contours/0/seeds_px/0", {30, 2}, "contours[0].pieces[0]: it runs from (1, 2) to "},
           {"/contours/0/seeds_px/2/0", std::numeric_limits<double>::quiet_NaN(),
            "contours[0].seeds_px[2][0]: "},
       }) {
    auto damaged = good;
    damaged[nlohmann::ordered_json::json_pointer(place)] = value;
    const auto found = error_of(damaged.dump());
    EXPECT_NE(found.find(message), std::string::npos) << place << ": " << found;
    EXPECT_EQ(found.find('\n'), std::string::npos);
  }
}

TEST(SessionFile, UnknownEntriesAreNamed) {
  auto json = to_json(example().set, example().image);
  const auto good = contours_of_text(json.dump(), "some.json");
  EXPECT_TRUE(good.remarks.empty());
  json["rulerss"] = nlohmann::ordered_json::array();
  json["contours"][1]["visibel"] = false;
  json["contours"][0]["pieces"][2]["width"] = 2;
  json["image"]["spacing"] = 1;
  json["labels"][1]["color"] = "#000000";
  const auto found = contours_of_text(json.dump(), "some.json");
  ASSERT_EQ(found.remarks.size(), 1U);
  EXPECT_EQ(found.remarks[0].text,
            "Entries that files of contours do not have are left out: rulerss, image.spacing, "
            "labels[1].color, contours[0].pieces[2].width, contours[1].visibel.");
  EXPECT_EQ(found.remarks[0].count, 5U);
  EXPECT_EQ(to_json(found.set, found.image), to_json(good.set, good.image));
}

/// Where the image is finer than the one that they were traced on; see transfer.cpp.
TEST(SessionFile, SmoothedWiresMayLieAwayFromTheirSeeds) {
  auto json = to_json(example().set, example().image);
  auto& contour = json["contours"][0];
  for (auto& piece : contour["pieces"]) piece["kind"] = "freehand";
  contour["seeds_px"][0] = {5, 7};
  EXPECT_EQ(error_of(json.dump()), "");
}

TEST(SessionFile, EveryMissingEntryIsNamed) {
  const auto good = to_json(example().set, example().image);
  for (const char* place : {"", "/image", "/labels/0", "/contours/0", "/contours/0/pieces/1"}) {
    const nlohmann::ordered_json::json_pointer parent(place);
    for (const auto& [key, value] : good[parent].items()) {
      auto damaged = good;
      damaged[parent].erase(key);
      EXPECT_NE(error_of(damaged.dump()).find(fmt::format("\"{}\" is missing", key)), std::string::npos);
    }
  }
}

TEST(SessionFile, RefusesWhatIsNoJson) {
  const auto good = to_json(example().set, example().image).dump();
  for (std::size_t length = 0; length < good.size(); length += 7) {
    EXPECT_NE(error_of(good.substr(0, length)), "") << length;
  }
  EXPECT_NE(error_of(std::string(1'000'000, '[')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(error_of("{\"isolume-contours\": 1e999}"), "");
  EXPECT_NE(error_of("{\"isolume-contours\": \"\xff\"}"), "");
  EXPECT_NE(error_of(std::string(100, '\0')), "");
  EXPECT_THROW(read_contours("/nowhere/at/all.json"), InputError);
}

TEST(SessionFile, TextThatIsNoUtf8IsWrittenWithReplacements) {
  const isolume::testing::TemporaryFolder folder;
  auto document = example();
  document.image.path = "caf\xe9";
  write_contours(document, folder / "contours.json");
  EXPECT_EQ(read_contours(folder / "contours.json").image.path, "caf\xef\xbf\xbd");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(PointsTable, HasEveryPointOnceInPixelsAndMm) {
  const isolume::testing::TemporaryFolder folder;
  auto document = example();
  document.image.geometry.set_directions(Eigen::Matrix3d::Identity());
  document.image.geometry.origin = {10, 20, 30};
  document.image.geometry.set_spacing({0.5, 2, 4});
  write_points_csv(document, folder / "points.csv");
  const auto lines = lines_of(read_text_file(folder / "points.csv"));
  EXPECT_EQ(lines[0], "contour,label,axis,slice,piece,x_px,y_px,x_mm,y_mm,z_mm");
  EXPECT_EQ(lines[1], "\"Liver, left 1\",\"Liver, left\",coronal,6,0,1,2,10.5,30,38");
  EXPECT_EQ(lines[3].substr(0, 47), "\"Liver, left 1\",\"Liver, left\",coronal,6,0,0.1,0");
  EXPECT_EQ(lines[5], "\"Liver, left 1\",\"Liver, left\",coronal,6,2,3,3,11.5,30,42");
  // 5 points of the wire, 4 and 4 of the rectangles, 2 of the line, whose name takes two lines.
  ASSERT_EQ(lines.size(), 1U + 5 + 4 + 4 + 2 * 2);
  EXPECT_EQ(lines[14], "\"a \"\"line\"\",");
}

TEST(MeasuresTable, HasUnitsInItsHeadings) {
  const auto document = example();
  auto volume = testing::volume_of<std::int16_t>(document.image.geometry, images::PixelType::int16,
                                                 [](int i, int, int) { return i; });
  volume.unit = "HU";
  const auto lines = lines_of(measures_csv(document.set, volume));
  EXPECT_EQ(
      lines[0],
      "contour,label,axis,slice,closed,length_mm,area_mm2,volume_ml,feret_max_mm,feret_min_mm,centroid_x_mm,"
      "centroid_y_mm,centroid_z_mm,pixels,mean_HU,sd_HU,min_HU,max_HU,kind,value,unit");
  ASSERT_EQ(lines.size(), 1U + 3 + 2 + 2);  // one name has a line break
  const auto measures = measure(*document.set.contours()[1], volume);
  const auto& row = lines[2];
  EXPECT_NE(row.find(fmt::format(",axial,12,yes,{:.7g},{:.7g},,", measures.length_mm, *measures.area_mm2)),
            std::string::npos);
  EXPECT_NEAR(*measures.area_mm2, 81 * 0.7 / 3, 1e-9);
  EXPECT_NE(row.find(fmt::format(",81,{:.7g},", measures.intensity->mean)), std::string::npos) << row;
  EXPECT_NEAR(measures.intensity->mean, 4, 1e-12);
  EXPECT_TRUE(lines[5].ends_with(",,,,,,contour,,")) << lines[5];  // no area, so nothing inside

  const auto json = measures_json(document.set, volume);
  ASSERT_EQ(json["contours"].size(), 4U);
  EXPECT_EQ(json["contours"][1]["area_mm2"].get<double>(), *measures.area_mm2);
  EXPECT_EQ(json["contours"][1]["intensity"]["unit"], "HU");
  EXPECT_TRUE(json["contours"][3]["area_mm2"].is_null());
  ASSERT_EQ(json["labels"].size(), 2U);
  EXPECT_EQ(json["labels"][1]["label"], 2);
  // Of the hole from (1, 1.25) to (2, 3), centres on the left are inside, those on the right and below are not.
  const double volume_mm3 = (81 - 1) * 0.7 / 3 * 2.5;
  EXPECT_NEAR(json["labels"][1]["volume_mm3"].get<double>(), volume_mm3, 1e-9);
  const auto label_row = lines.back();
  EXPECT_TRUE(label_row.starts_with(",\"Leber")) << label_row;
  EXPECT_NE(label_row.find(
                fmt::format(",,,,,,{:.7g},,,,,,80,", json["labels"][1]["volume_mm3"].get<double>() / 1000)),
            std::string::npos)
      << label_row;
}

TEST(MeasuresTable, HasDistancesAndAnglesWithTheirUnits) {
  auto document = example();
  document.image.geometry.set_directions(Eigen::Matrix3d::Identity());
  document.image.geometry.set_spacing({0.5, 2, 4});
  auto volume = testing::volume_of<std::int16_t>(document.image.geometry, images::PixelType::int16,
                                                 [](int, int, int) { return 0; });
  const auto columns = [](const std::string& line) { return std::ranges::count(line, ','); };
  ContourSet set;
  set.add_ruler({.kind = RulerKind::distance, .slice = {2, 3}, .points = {{1, 1}, {7, 3}}});
  set.add_ruler({.kind = RulerKind::angle, .slice = {0, 4}, .points = {{1, 0}, {0, 0}, {0, 5}}});
  auto lines = lines_of(measures_csv(set, volume));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1], "Distance 1,,axial,4,,,,,,,,,,,,,,,distance,5,mm");
  EXPECT_EQ(lines[2], "Angle 2,,sagittal,5,,,,,,,,,,,,,,,angle,90,degrees");
  for (const auto& line : lines) EXPECT_EQ(columns(line), columns(lines[0]));
  volume.geometry.frame = grid::Frame::own;
  EXPECT_TRUE(lines_of(measures_csv(set, volume))[2].starts_with("Angle 2,,x,5,"));
}

TEST(Svg, IsInMmWithHolesInTheirLabelsPath) {
  const isolume::testing::TemporaryFolder folder;
  auto document = example();
  document.image.path = "/home/somebody/Miller/ct.nrrd";
  write_svg(document, {2, 11}, folder / "slice.svg");
  const auto text = read_text_file(folder / "slice.svg");
  EXPECT_NE(text.find("<title>ct.nrrd, slice 11 along axis 2</title>"), std::string::npos);
  EXPECT_EQ(text.find("Miller"), std::string::npos) << "folders may tell who the patient is";
  EXPECT_NE(text.find("width=\"44.8mm\" height=\"16mm\" viewBox=\"0 0 44.8 16\""), std::string::npos);
  EXPECT_NE(text.find("<path d=\"M0.35,0.1666667 L6.65,0.1666667 L6.65,3.166667 L0.35,3.166667 Z "
                      "M1.05,0.5833333 L1.75,0.5833333 L1.75,1.166667 L1.05,1.166667 Z\" fill=\"#e6b800\""),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<title>Leber &lt;ä&gt; &amp; &quot;Niere&quot; 1</title>"), std::string::npos);
  EXPECT_NE(text.find("<path d=\"M0.35,0.1666667 L2.45,1.5\" fill=\"none\""), std::string::npos);
  EXPECT_EQ(text.find("left out"), std::string::npos);
  EXPECT_EQ(text.find("Liver"), std::string::npos);  // on another slice
}

TEST(Svg, WhatCrossesAnOutlineMasksIt) {
  const isolume::testing::TemporaryFolder folder;
  auto document = example();
  document.set = {};
  document.set.add(closed(rectangle(0, 0, 9, 9), {2, 11}));
  document.set.add(closed(rectangle(5, 5, 12, 12), {2, 11}, 1, Combination::subtract));  // over a corner
  document.set.add(closed(rectangle(2, 2, 4, 4), {2, 11}, 1, Combination::subtract));
  write_svg(document, {2, 11}, folder / "slice.svg");
  const auto text = read_text_file(folder / "slice.svg");
  // By the even-odd rule, the part beyond the corner would be filled.
  EXPECT_NE(
      text.find(
          "L6.65,3.166667 L0.35,3.166667 Z M1.75,0.8333333 L3.15,0.8333333 L3.15,1.5 L1.75,1.5 Z\" fill="),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("<path d=\"M3.85,1.833333 L8.75,1.833333 L8.75,4.166667 L3.85,4.166667 Z\" "
                      "fill=\"black\"/></mask>"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("mask=\"url(#cut1)\""), std::string::npos) << text;
}

}  // namespace
}  // namespace isolume::contours
