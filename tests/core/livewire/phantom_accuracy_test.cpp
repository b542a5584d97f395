#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numbers>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/text_file.h"
#include "core/contours/label_map.h"
#include "core/contours/measures.h"
#include "core/image_files/read_image.h"
#include "core/images/document.h"
#include "core/livewire/polyline.h"
#include "core/livewire/trace.h"
#include "tests/phantoms/phantoms.h"

namespace isolume::livewire {
namespace {

using contours::Contour;
using contours::Polyline;
using Eigen::Vector2d;
using nlohmann::json;

/// What the description says about the phantom's first object on one slice.
struct Truth {
  Polyline boundary_px;
  std::vector<Eigen::Vector3d> boundary_mm;
  std::vector<Vector2d> seeds_px;
  double area_mm2 = 0, perimeter_mm = 0;
};
Truth truth_of(const json& phantom, int slice) {
  for (const auto& each : phantom["objects"][0]["slices"]) {
    if (each["index"] != slice) continue;
    Truth truth;
    truth.area_mm2 = each["area_mm2"];
    truth.perimeter_mm = each["perimeter_mm"];
    for (const auto& point : each["boundary_px"]) truth.boundary_px.emplace_back(point[0], point[1]);
    for (const auto& point : each["boundary_mm"])
      truth.boundary_mm.emplace_back(point[0], point[1], point[2]);
    for (const auto& seed : each["seeds_px"]) truth.seeds_px.emplace_back(seed[0], seed[1]);
    return truth;
  }
  throw std::runtime_error("no such slice");
}

Trace traced(const images::Volume& volume, images::SliceId slice, std::vector<Vector2d> seeds,
             double snap_radius_px = 0) {
  return trace(images::extract_slice(volume, slice), {slice, std::move(seeds), true, snap_radius_px, {}},
               *make_cpu_engine());
}

double greatest_distance(const Polyline& from, Polyline to) {
  to.push_back(to.front());
  double greatest = 0;
  for (const auto& point : from) greatest = std::max(greatest, nearest_point(to, point).distance_px);
  return greatest;
}

double dice(const Contour& contour, const Polyline& boundary, int width, int height) {
  const auto ours = contours::rasterise(contour, width, height);
  const auto true_ones =
      contours::rasterise(contours::contour_from_outline(boundary, contour.slice, true, 1), width, height);
  double both = 0, sum = 0;
  for (std::size_t i = 0; i < ours.values.size(); ++i) {
    both += ours.values[i] != 0 && true_ones.values[i] != 0;
    sum += (ours.values[i] != 0) + (true_ones.values[i] != 0);
  }
  return 2 * both / sum;
}

void expect_accurate(const images::Volume& volume, images::SliceId slice, const Truth& truth,
                     const Contour& contour) {
  const auto plane = images::slice_plane(volume.geometry, slice);
  EXPECT_LE(contour.seeds.size(), 6);
  const double outwards = greatest_distance(contour.outline(), truth.boundary_px);
  const double inwards = greatest_distance(truth.boundary_px, contour.outline());
  const double alike = dice(contour, truth.boundary_px, plane.columns, plane.rows);
  const auto measures = contours::measure(contour, volume);
  fmt::print("from {:.2f} px, to {:.2f} px, Dice {:.4f}, area {:+.2f} %, length {:+.2f} %\n", outwards,
             inwards, alike, 100 * (*measures.area_mm2 / truth.area_mm2 - 1),
             100 * (measures.length_mm / truth.perimeter_mm - 1));
  EXPECT_LE(outwards, 0.5);
  EXPECT_LE(inwards, 0.5);
  EXPECT_GT(alike, 0.99);
  EXPECT_NEAR(*measures.area_mm2 / truth.area_mm2, 1, 0.005);
  EXPECT_NEAR(measures.length_mm / truth.perimeter_mm, 1, 0.005);
}

class Picture : public testing::TestWithParam<const char*> {};

TEST_P(Picture, IsTracedWithinAPixel) {
  ISOLUME_NEEDS_PHANTOMS();
  const json phantom = phantoms::description(GetParam());
  const Truth truth = truth_of(phantom, 0);
  for (const char* noise : {"clean", "snr20", "snr10"}) {
    SCOPED_TRACE(noise);
    auto volume =
        images::read_image(phantoms::folder() / fmt::format("{}-{}-16bit.png", GetParam(), noise)).volume;
    const auto& spacing = phantom["spacing_mm"];
    volume.geometry.set_spacing(Eigen::Vector3d(spacing[0], spacing[1], spacing[2]));
    fmt::print("{} {} {} seeds: ", GetParam(), noise, truth.seeds_px.size());
    expect_accurate(volume, {2, 0}, truth, traced(volume, {2, 0}, truth.seeds_px).contour);
  }
}

INSTANTIATE_TEST_SUITE_P(Phantoms, Picture, testing::Values("disc", "ellipse", "star", "vessels", "abdomen"),
                         [](const auto& name) { return std::string(name.param); });

class Series : public testing::TestWithParam<const char*> {};

TEST_P(Series, IsTracedWithinAPixelOnItsSlices) {
  ISOLUME_NEEDS_PHANTOMS();
  const json phantom = phantoms::description(GetParam());
  const auto document = images::read_image(phantoms::folder() / fmt::format("{}-snr10", GetParam()));
  const int count = document.volume.geometry.dimensions[2];
  for (const int k : {count / 3, count / 2, 2 * count / 3}) {
    const Truth truth = truth_of(phantom, k);
    const images::SliceId slice{2, k};
    const Contour contour = traced(document.volume, slice, truth.seeds_px).contour;
    fmt::print("{} slice {} {} seeds: ", GetParam(), k, truth.seeds_px.size());
    expect_accurate(document.volume, slice, truth, contour);
    // In the patient's coordinates, as far from the true boundary as a pixel is wide.
    const auto plane = images::slice_plane(document.volume.geometry, slice);
    for (const auto& point : contour.outline()) {
      const auto distance = [&](const Eigen::Vector3d& place) {
        return (place - plane.position(point)).norm();
      };
      const auto nearest = std::ranges::min(truth.boundary_mm, {}, distance);
      EXPECT_LE(distance(nearest), 1.1 * plane.spacing().maxCoeff());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Phantoms, Series,
                         testing::Values("ct-abdomen", "ct-abdomen-oblique", "ct-vessel", "mr-ellipsoid"),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::ranges::replace(text, '-', '_');
                           return text;
                         });

/// 200 inside, 50 outside, without anything between: steps between neighbouring pixels in every edge.
template <class Inside>
images::Volume sharp(int size, const Inside& inside) {
  images::Volume volume;
  volume.geometry.dimensions = {size, size, 1};
  volume.type = images::PixelType::uint8;
  const auto voxels = images::allocate_voxels(volume.geometry, volume.type);
  auto* pixel = reinterpret_cast<std::uint8_t*>(voxels.get());
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) *pixel++ = inside(Vector2d(x, y)) ? 200 : 50;
  }
  volume.storage = voxels;
  return volume;
}

void expect_perimeter(const std::string& name, const images::Volume& volume, std::vector<Vector2d> seeds,
                      double perimeter, double tolerance = 0.01, double snap_radius_px = 0) {
  for (auto& seed : seeds) seed = seed.array().round();
  const auto contour = traced(volume, {2, 0}, std::move(seeds), snap_radius_px).contour;
  const auto measures = contours::measure(contour, volume);
  fmt::print("{}: length {:+.2f} %\n", name, 100 * (measures.length_mm / perimeter - 1));
  EXPECT_NEAR(measures.length_mm / perimeter, 1, tolerance) << name;
}

TEST(SharpEdges, DiscsHaveTheirPerimeter) {
  for (const double radius : {6.0, 8.0, 10.0, 13.0, 16.0, 20.0, 30.0, 50.0, 80.0, 120.0}) {
    for (const double offset : {0.0, 0.3}) {
      const Vector2d centre(150 + offset, 150 - 0.4 * offset);
      std::vector<Vector2d> seeds;
      for (int i = 0; i < 5; ++i) {
        const double angle = 0.3 + 2 * std::numbers::pi * i / 5;
        seeds.push_back(centre + radius * Vector2d(std::cos(angle), std::sin(angle)));
      }
      const auto volume = sharp(300, [&](const Vector2d& at) { return (at - centre).norm() <= radius; });
      const double perimeter = 2 * std::numbers::pi * radius;
      expect_perimeter(fmt::format("disc {} {}", radius, offset), volume, seeds, perimeter);
      expect_perimeter(fmt::format("disc {} {} snapped", radius, offset), volume, seeds, perimeter, 0.01, 3);
    }
  }
}

TEST(SharpEdges, DiscsHaveTheirArea) {
  for (const double radius : {6.0, 10.0, 16.0, 30.0, 80.0}) {
    const Vector2d centre(150.2, 150.4);
    std::vector<Vector2d> seeds;
    for (const double angle : {0.3, 1.6, 2.9, 4.2, 5.5})
      seeds.push_back((centre + radius * Vector2d(std::cos(angle), std::sin(angle))).array().round());
    const auto volume = sharp(300, [&](const Vector2d& at) { return (at - centre).norm() <= radius; });
    const auto measures = contours::measure(traced(volume, {2, 0}, seeds).contour, volume);
    const double error = *measures.area_mm2 / (std::numbers::pi * radius * radius) - 1;
    fmt::print("disc {}: area {:+.2f} %\n", radius, 100 * error);
    EXPECT_NEAR(error, 0, 0.02);
  }
}

TEST(SharpEdges, RectanglesAndEllipsesHaveTheirPerimeter) {
  constexpr double a = 90, b = 45;
  const Vector2d centre(150.2, 150.4);
  for (const double angle : {0.0, 0.2, 0.5, 0.7, 0.9}) {
    const Eigen::Rotation2Dd turn(angle);
    std::vector<Vector2d> corners, around;
    for (const auto& [x, y] : {std::pair(-1, -1), {1, -1}, {1, 1}, {-1, 1}})
      corners.push_back(centre + turn * Vector2d(x * a, y * b));
    const auto rectangle = sharp(300, [&](const Vector2d& at) {
      const Vector2d from = turn.inverse() * (at - centre);
      return std::abs(from.x()) <= a && std::abs(from.y()) <= b;
    });
    expect_perimeter(fmt::format("rectangle {}", angle), rectangle, corners, 4 * (a + b));
    for (int i = 0; i < 6; ++i) {
      const double t = 0.2 + std::numbers::pi * i / 3;
      around.push_back(centre + turn * Vector2d(a * std::cos(t), b * std::sin(t)));
    }
    const auto ellipse = sharp(300, [&](const Vector2d& at) {
      return (turn.inverse() * (at - centre)).cwiseQuotient(Vector2d(a, b)).norm() <= 1;
    });
    expect_perimeter(fmt::format("ellipse {}", angle), ellipse, around,
                     4 * a * std::comp_ellint_2(std::sqrt(1 - b * b / (a * a))));
  }
}

/// Replaces the value of a DS element of explicit little-endian DICOM by one that is not longer.
std::string with_value(std::string file, const std::string& tag, std::string value) {
  const auto at = file.find(tag + "DS");
  if (at == std::string::npos) throw std::runtime_error("the element is not there");
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(file[at + 6]));
  if (value.size() > length) throw std::runtime_error("the value is too long");
  value.resize(length, ' ');
  return file.replace(at + 8, length, value);
}

TEST(Invariance, TheWindowAndTheRescaleChangeNothingOfThePath) {
  ISOLUME_NEEDS_PHANTOMS();
  const json phantom = phantoms::description("ct-abdomen");
  const auto original = phantoms::folder() / "ct-abdomen-snr10" / phantom["slices"][8].get<std::string>();
  const std::string bytes = read_text_file(original);
  const std::string window_centre{"\x28\x00\x50\x10", 4}, window_width{"\x28\x00\x51\x10", 4},
      intercept{"\x28\x00\x52\x10", 4}, slope{"\x28\x00\x53\x10", 4};
  const auto outline = [&](const std::string& content) {
    const auto path = std::filesystem::path(testing::TempDir()) / "isolume_livewire_invariance.dcm";
    std::ofstream(path, std::ios::binary) << content;
    const auto document = images::read_image(path);
    std::filesystem::remove(path);
    const auto found = traced(document.volume, {2, 0}, truth_of(phantom, 8).seeds_px).contour.outline();
    return std::pair(found, document);
  };
  const auto [path, document] = outline(bytes);
  ASSERT_GT(path.size(), 100);
  const auto [windowed, with_window] =
      outline(with_value(with_value(bytes, window_centre, "7"), window_width, "3"));
  EXPECT_EQ(windowed, path);
  EXPECT_NE(with_window.windows.at(0).centre, document.windows.at(0).centre);
  const auto [rescaled, with_rescale] = outline(with_value(with_value(bytes, intercept, "9"), slope, "4"));
  EXPECT_EQ(rescaled, path);
  EXPECT_EQ(with_rescale.volume.value(90, 90, 0), (document.volume.value(90, 90, 0) + 1024) * 4 + 9);
}

TEST(Invariance, TurningThePatientTurnsThePlacesOnly) {
  ISOLUME_NEEDS_PHANTOMS();
  const json phantom = phantoms::description("ct-vessel");
  auto volume = images::read_image(phantoms::folder() / "ct-vessel-snr10").volume;
  const Truth truth = truth_of(phantom, 7);
  const Contour straight = traced(volume, {2, 7}, truth.seeds_px).contour;
  const auto before = contours::measure(straight, volume);
  const Eigen::Matrix3d turn =
      (Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, -1).normalized())).toRotationMatrix();
  volume.geometry.set_directions(turn * volume.geometry.directions());
  volume.geometry.origin = turn * volume.geometry.origin;
  const Contour turned = traced(volume, {2, 7}, truth.seeds_px).contour;
  EXPECT_EQ(turned.outline(), straight.outline());
  const auto after = contours::measure(turned, volume);
  EXPECT_NEAR(after.length_mm, before.length_mm, 1e-9);
  EXPECT_NEAR(*after.area_mm2, *before.area_mm2, 1e-9);
  EXPECT_LT((after.centroid_mm - turn * before.centroid_mm).norm(), 1e-9);
}

}  // namespace
}  // namespace isolume::livewire
