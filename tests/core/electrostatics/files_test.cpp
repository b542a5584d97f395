#include <cmath>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/text_file.h"
#include "core/electrostatics/maps/opendx.h"
#include "core/electrostatics/maps/vtp.h"
#include "core/electrostatics/potential/points_csv.h"
#include "core/electrostatics/surfaces/chosen_places.h"
#include "tests/refused_file.h"
#include "tests/temporary_folder.h"

namespace isolume::electrostatics {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  fs::path written(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  fs::path path(const std::string& name) const { return folder_ / name; }

 private:
  isolume::testing::TemporaryFolder folder_;
};

using testing::expect_refused;

constexpr const char* dx_head =
    "# Data from a program\n# POTENTIAL (kT/e)\n#\n"
    "object 1 class gridpositions counts 2 3 4\norigin 1.0 -2.0e+00 3\n"
    "delta 0.5 0 0\ndelta 0 0.25 0\ndelta 0 0 2\n"
    "object 2 class gridconnections counts 2 3 4\n";

/// Numbers 0 to 23, three to a line.
std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i) + ".5e+00" + (i % 3 == 2 ? "\n" : " ");
  return text;
}

TEST_F(Files, OpenDxAsApbsWritesIt) {
  const auto field = read_opendx(
      written("map.dx", std::string(dx_head) +
                            "object 3 class array type double rank 0 items 24 data follows\n" + numbers(24) +
                            "attribute \"dep\" string \"positions\"\n"
                            "object \"regular\" class field\n"));
  EXPECT_EQ(field.unit, "kT/e");
  EXPECT_EQ(field.grid.unit, grid::LengthUnit::angstrom);
  EXPECT_EQ(field.grid.position(1, 2, 3), Eigen::Vector3d(1.5, -1.5, 9));
  EXPECT_EQ(field.at(0, 0, 1), 1.5f) << "the last axis runs fastest";
  EXPECT_EQ(field.at(0, 1, 0), 4.5f);
  EXPECT_EQ(field.at(1, 0, 0), 12.5f);
  EXPECT_EQ(field.at(1, 2, 3), 23.5f);
  EXPECT_EQ(read_opendx_grid(path("map.dx")), field.grid);
  // As Windows ends lines.
  std::string windows;
  for (const char c : read_text_file(path("map.dx")))
    windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const auto same = read_opendx(written("windows.dx", windows));
  EXPECT_EQ(same.values, field.values);
  EXPECT_EQ(same.grid, field.grid);
  EXPECT_EQ(same.unit, field.unit);
}

/// Its grid is read without what comes behind the header, wherever that ends.
TEST_F(Files, AGridNeedsTheHeaderOnly) {
  const std::string head =
      std::string(dx_head) + "object 3 class array type double rank 0 items 24 data follows\n";
  const auto expected = read_opendx(written("map.dx", head + numbers(24))).grid;
  EXPECT_EQ(read_opendx_grid(written("cut.dx", head + "1 2 what")), expected);
  std::string comments;
  while (comments.size() < 200'000) comments += "# told at length\n";
  EXPECT_EQ(read_opendx_grid(written("long.dx", comments + head + numbers(24))), expected);
  EXPECT_THROW(read_opendx_grid(written("comments.dx", comments)), InputError);
  EXPECT_THROW(read_opendx_grid(written("none.dx", std::string(dx_head))), InputError);
}

TEST_F(Files, OnlyAUnitInBracketsIsAUnit) {
  const auto field = read_opendx(
      written("map.dx", "# by a program (version 1.9)\n" + std::string(dx_head).substr(44) +
                            "object 3 class array type double rank 0 items 24 data follows\n" + numbers(24)));
  EXPECT_EQ(field.unit, "");
}

TEST_F(Files, OpenDxGoesOutAndComesBack) {
  grid::ScalarField field{.grid = grid::centred({1, 2, 3}, {5, 4, 7}, 0.6, grid::LengthUnit::angstrom),
                          .values = FieldValues(140),
                          .name = "potential",
                          .unit = "mV"};
  for (std::size_t i = 0; i < 140; ++i) field.values[i] = static_cast<float>(1e3 * std::sin(i));
  for (const auto* name : {"out.dx", "out.dx.gz"}) {
    write_opendx(field, path(name));
    const auto back = read_opendx(path(name));
    EXPECT_EQ(back.unit, "mV");
    EXPECT_TRUE(back.grid.origin.isApprox(field.grid.origin, 1e-8));
    EXPECT_TRUE(back.grid.step.isApprox(field.grid.step, 1e-8));
    ASSERT_EQ(back.grid.dimensions, field.grid.dimensions);
    for (std::size_t i = 0; i < 140; ++i)
      EXPECT_NEAR(back.values[i], field.values[i], 1e-6 * std::abs(field.values[i]));
  }
  std::ifstream packed(path("out.dx.gz"), std::ios::binary);
  EXPECT_EQ(packed.get(), 0x1f) << "packed, not only called so";
  // A grid in bohr is the same in angstrom.
  const double bohr = 1 / grid::shown_per_unit(grid::LengthUnit::bohr);
  field.grid.origin *= bohr;
  field.grid.step *= bohr;
  field.grid.unit = grid::LengthUnit::bohr;
  write_opendx(field, path("bohr.dx"));
  EXPECT_EQ(read_text_file(path("bohr.dx")), read_text_file(path("out.dx")));
}

TEST_F(Files, AnOpenDxThatIsNoneIsRefusedWithItsLine) {
  const auto refused = [&](const std::string& text, const std::string& part, std::size_t line) {
    const auto file = written("bad.dx", text);
    expect_refused([&] { read_opendx(file); }, part, line);
  };
  const std::string head = dx_head, array = "object 3 class array type double rank 0 items ";
  refused("nothing\n", "no numbers", 1);
  refused(array + "24 data follows\n" + numbers(24), "before", 1);
  refused(head + array + "23 data follows\n" + numbers(23), "24 points", 10);
  refused(head + array + "24 data follows\n" + numbers(12), "ends where", 14);
  refused(head + array + "24 data follows\n" + numbers(21) + "1 2 x\n", "", 18);
  refused(head + array + "24 data follows\n" + numbers(21) + "1 2 3 4\n", "more numbers", 18);
  refused(head + array + "24 data follows\n7 8 9\n" + numbers(24), "more numbers", 19);  // all values shift
  refused(head + array + "24 data follows\n" + numbers(24) + "\n7\nattribute \"dep\" string \"positions\"\n",
          "more numbers", 20);
  refused(head + array + "24 data follows\n" + numbers(21) + "1 nan 3\n", "number of the map", 18);
  refused(head + array + "24 data follows\n" + numbers(21) + "1 1e300 3\n", "too large", 18);
  refused(head + "object 3 class array type float rank 1 shape 3 items 24 data follows\n", "vectors", 10);
  refused(head + "object 3 class array type float rank 0 items 24 lsb ieee data follows\n", "binary", 10);
  refused("object 1 class gridpositions counts 2 3\n", "counts", 1);
  refused("object 1 class gridpositions counts 2 3 -4\n", "", 1);
  refused("origin 1 2\n", "origin", 1);
  std::string flat = head;
  flat.replace(flat.find("delta 0 0.25 0"), 14, "delta 1 0.00 0");
  refused(flat + array + "24 data follows\n" + numbers(24), "no volume", 10);
  // More is announced than any file of this size holds.
  std::string huge = head;
  for (int i = 0; i < 2; ++i) huge.replace(huge.find("2 3 4"), 5, "1000000 1000000 1000000");
  refused(huge + array + "1000000000000000000 data follows\n", "do not fit", 10);
}

// Both lines of the header count the 2 x 3 x 4 points; numbers between points are 1 x 2 x 3.
TEST_F(Files, AnOpenDxWhoseNumbersAreNotAtItsPointsIsRefused) {
  const auto refused = [&](const std::string& text, const std::string& part, std::size_t line) {
    const auto file = written("bad.dx", text);
    expect_refused([&] { read_opendx(file); }, part, line);
  };
  const std::string head = dx_head, array = "object 3 class array type double rank 0 items 24 data follows\n";
  std::string other = head;
  other.replace(other.rfind("2 3 4"), 5, "2 3 3");
  refused(other + array + numbers(24), "gridconnections counts 2 3 3, but gridpositions counts 2 3 4", 9);
  // Before the positions, too.
  refused("object 2 class gridconnections counts 1 2 3\n" + head.substr(0, head.find("object 2")) + array +
              numbers(24),
          "gridconnections counts 1 2 3", 1);
  refused(head + array + numbers(24) + "attribute \"dep\" string \"connections\"\n",
          "cells between the points", 19);
  // An attribute of another object says nothing of the numbers.
  const std::string others =
      "attribute \"dep\" string \"positions\"\nobject 4 class array type byte rank 0 items 6\n"
      "attribute \"dep\" string \"connections\"\n";
  EXPECT_EQ(read_opendx(written("good.dx", head + array + numbers(24) + others)).at(1, 2, 3), 23.5F);
}

// A surface on a fine grid has many places: each step takes seconds.
TEST_F(Files, WhatIsCancelledStopsAtEveryStepOfASurface) {
  std::stop_source stop;
  stop.request_stop();
  const jobs::Progress cancelled(stop.get_token(), {});
  const surfaces::Mesh mesh{
      .points = {0, 0, 0, 1, 0, 0, 0, 1, 0}, .normals = {0, 0, 1, 0, 0, 1, 0, 0, 1}, .triangles = {0, 1, 2}};
  EXPECT_EQ(places_above(mesh, 2).z, (std::vector<double>{2, 2, 2}));
  EXPECT_THROW(places_above(mesh, 2, cancelled), Cancelled);
  EXPECT_THROW(places_on(plane_patch_of("0,0,0,1,0,0,0,1,0"), 0.5, cancelled), Cancelled);
  const std::vector<double> values{1, 2, 3};
  EXPECT_THROW(write_vtp(mesh, values, "potential", path("out.vtp"), cancelled), Cancelled);
  EXPECT_FALSE(std::filesystem::exists(path("out.vtp")));
}

TEST_F(Files, PlacesComeWithOrWithoutNames) {
  for (const auto* text : {"x,y,z\n1,2,3\n\n4,5,6\n", "# places\n1, 2 ,3,9\n4;5;6\n", "1,2,3\r\n4,5,6"}) {
    Remarks remarks;
    const auto places = read_places(written("places.csv", text), remarks);
    ASSERT_EQ(places.size(), 2U) << text;
    EXPECT_EQ(places.y[0], 2);
    EXPECT_EQ(places.z[1], 6);
  }
  for (const auto& [text, line] : {std::pair{"x,y,z\n", 1}, std::pair{"1,2,3\n1,2\n", 2},
                                   std::pair{"1,2,3\nx,y,z\n", 2}, std::pair{"1,2,inf\n", 1}}) {
    const auto file = written("bad.csv", text);
    Remarks remarks;
    expect_refused([&] { read_places(file, remarks); }, "", static_cast<std::size_t>(line));
  }
}

}  // namespace
}  // namespace isolume::electrostatics
