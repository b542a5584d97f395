#include "core/contours/transfer.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/contours/label_map.h"
#include "tests/core/contours/shapes.h"

namespace isolume::contours {
namespace {

using testing::grid;

/// The same voxels, stored along `axes` of the grid and backwards where `flips` says so.
images::Geometry stored(const images::Geometry& grid, std::array<int, 3> axes, std::array<bool, 3> flips) {
  images::Geometry other = grid;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  for (int i = 0; i < 3; ++i) {
    const auto to = static_cast<std::size_t>(i), from = static_cast<std::size_t>(axes[to]);
    other.dimensions[to] = grid.dimensions[from];
    other.step.col(i) = (flips[to] ? -1 : 1) * grid.step.col(axes[to]);
    if (flips[to]) first[axes[to]] = grid.dimensions[from] - 1;
  }
  other.origin = grid.position(first);
  return other;
}

/// A map with one voxel of value 1, at a voxel of `grid`, and three of value 2.
images::Volume map_on(const images::Geometry& geometry, const images::Geometry& grid) {
  images::Volume map;
  map.geometry = geometry;
  map.type = images::PixelType::uint8;
  const auto voxels = images::allocate_voxels(geometry, map.type);
  std::fill_n(voxels.get(), geometry.point_count(), std::byte{0});
  const auto put = [&](const Eigen::Vector3d& index, int value) {
    const Eigen::Vector3d at = geometry.index_at(grid.position(index)).array().round();
    if (at.z() >= geometry.dimensions[2]) return;
    const auto n = static_cast<std::size_t>(at.x() + geometry.dimensions[0] *
                                                         (at.y() + geometry.dimensions[1] * at.z()));
    voxels.get()[n] = static_cast<std::byte>(value);
  };
  put({2, 3, 1}, 1);
  for (int i = 0; i < 3; ++i) put({7.0 + i, 8, 4}, 2);
  map.storage = voxels;
  return map;
}

/// Where the voxels of a label are in the patient: their number and the sum of their positions.
std::pair<int, Eigen::Vector3d> placed(const ContourSet& set, int label, const images::Geometry& grid) {
  const auto mask = mask_of_label(set, label, grid);
  int count = 0;
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (int k = 0; k < mask.size[2]; ++k) {
    for (int j = 0; j < mask.size[1]; ++j) {
      for (int i = 0; i < mask.size[0]; ++i) {
        if (mask.row(j, k)[i] == 0) continue;
        ++count;
        sum += grid.position(Eigen::Vector3d(mask.low[0] + i, mask.low[1] + j, mask.low[2] + k));
      }
    }
  }
  return {count, sum};
}

TEST(Transfer, LabelMapsKeepTheirPlacesHoweverTheirVoxelsAreStored) {
  const auto here = grid();
  constexpr std::array<std::array<int, 3>, 3> orders{{{0, 1, 2}, {2, 0, 1}, {1, 0, 2}}};
  for (const auto& axes : orders) {
    for (unsigned flips = 0; flips < 8; ++flips) {
      const auto there = stored(here, axes, {(flips & 1) != 0, (flips & 2) != 0, (flips & 4) != 0});
      Remarks remarks;
      const auto set = contours_on(here, map_on(there, here), "map.nii", remarks, {});
      const auto one = placed(set, 1, here), two = placed(set, 2, here);
      EXPECT_EQ(one.first, 1);
      EXPECT_LT((one.second - here.position({2, 3, 1})).norm(), 1e-9) << axes[0] << axes[1] << flips;
      EXPECT_EQ(two.first, 3);
      EXPECT_LT((two.second - 3 * here.position({8, 8, 4})).norm(), 1e-9) << axes[0] << axes[1] << flips;
      EXPECT_TRUE(remarks.empty());
    }
  }
}

TEST(Transfer, PartsOfAGridLieWhereTheyWereCut) {
  const auto here = grid();
  auto part = here;
  part.dimensions = {9, 8, 4};
  part.origin = here.position({2, 1, 1});
  Remarks remarks;
  const auto set = contours_on(here, map_on(part, here), "map.nii", remarks, {});
  EXPECT_LT((placed(set, 2, here).second - 3 * here.position({8, 8, 4})).norm(), 1e-9);
}

TEST(Transfer, WhatLiesBeyondTheImageIsNamed) {
  const auto there = grid();
  auto here = there;
  here.dimensions[2] = 4;
  Remarks remarks;
  const auto set = contours_on(here, map_on(there, there), "map.nii", remarks, {});
  EXPECT_EQ(set.contours().size(), 1U);
  ASSERT_EQ(remarks.size(), 2U);
  EXPECT_EQ(remarks[0].kind, RemarkKind::dropped);
  EXPECT_EQ(remarks[0].count, 1U);
  EXPECT_EQ(remarks[1].text, "Labels without a pixel on this image: Label 2.");
}

/// Label 1 is voxel (2, 3, 1), label 2 are voxels (7 to 9, 8, 4).
TEST(Transfer, WhatLiesBeyondTheEdgesOfSlicesIsNamed) {
  const auto there = grid();
  const auto import = [&](const Eigen::Vector3d& first, std::array<int, 3> size, Remarks& remarks) {
    auto here = there;
    here.origin = there.position(first);
    here.dimensions = size;
    const auto set = contours_on(here, map_on(there, there), "map.nii", remarks, {});
    return std::array{placed(set, 1, here).first, placed(set, 2, here).first};
  };
  Remarks whole;
  EXPECT_EQ(import({0, 0, 0}, {10, 9, 6}, whole), (std::array{1, 3}));
  EXPECT_EQ(whole.text(), "");
  Remarks partly;  // without column 9, in front or behind
  EXPECT_EQ(import({0, 0, 0}, {8, 10, 6}, partly), (std::array{1, 1}));
  EXPECT_EQ(
      partly.text(),
      "1 contour of Label 2 partly outside this image: volumes and intensities are only of the part on its "
      "pixels, areas of the whole.");
  Remarks before;
  EXPECT_EQ(import({8, 0, 0}, {4, 10, 6}, before), (std::array{0, 2}));
  EXPECT_EQ(before.text(),
            partly.text() +
                "\n1 contour of Label 1 outside this image: without a pixel, in no volume and no intensity.\n"
                "Labels without a pixel on this image: Label 1.");
  Remarks apart;
  EXPECT_EQ(import({-200, 0, 0}, {12, 10, 6}, apart), (std::array{0, 0}));
  EXPECT_EQ(apart.text(),
            "2 contours of Label 1, Label 2 outside this image: without a pixel, in no volume and no "
            "intensity.\n"
            "Labels without a pixel on this image: Label 1, Label 2.");
  Remarks far;
  EXPECT_EQ(import({-2e6, 0, 0}, {12, 10, 6}, far), (std::array{0, 0}));
  EXPECT_EQ(far.text(),
            "2 contours of Label 1, Label 2 left out: far outside this image.\n"
            "Labels without a pixel on this image: Label 1, Label 2.\n"
            "There is no contour for this image in the file.");
}

/// Pixels of twice the size have their centres on the borders of those of the map, or in the middle of one of them.
TEST(Transfer, LabelsBetweenTheCentresOfPixelsAreNamed) {
  const auto there = grid();
  auto here = there;
  here.step.col(0) *= 2;
  here.dimensions[0] = 6;  // centres at 0, 2, 4 ... of the map
  Remarks remarks;
  auto set = contours_on(here, map_on(there, there), "map.nii", remarks, {});
  EXPECT_EQ(placed(set, 1, here).first, 1);
  EXPECT_EQ(placed(set, 2, here).first, 1) << "voxels 7 to 9 hold the centre at 8";
  ASSERT_EQ(remarks.size(), 1U) << remarks.text();
  EXPECT_EQ(remarks[0].kind, RemarkKind::converted);
  here.origin = there.position({1, 0, 0});  // at 1, 3, 5 ...
  Remarks missed;
  set = contours_on(here, map_on(there, there), "map.nii", missed, {});
  EXPECT_EQ(placed(set, 1, here).first, 0);
  EXPECT_EQ(placed(set, 2, here).first, 2) << "voxels 7 to 9 hold the centres at 7 and 9";
  ASSERT_EQ(missed.size(), 2U) << missed.text();
  EXPECT_EQ(missed[1].text, "Labels without a pixel on this image: Label 1.");
}

TEST(Transfer, AMapWithoutLabelsIsNamed) {
  const auto empty =
      testing::volume_of<std::uint8_t>(grid(), images::PixelType::uint8, [](int, int, int) { return 0; });
  Remarks remarks;
  EXPECT_TRUE(contours_on(grid(), empty, "map.nii", remarks, {}).contours().empty());
  EXPECT_EQ(remarks.text(), "There is no contour for this image in the file.");
}

/// The image has all slices of the label map but number 2. Its grid places those behind the gap one spacing too low.
TEST(Transfer, WhereSlicesAreMissingLabelsLieByTheirPositions) {
  const auto whole = grid();
  auto image = whole;
  --image.dimensions[2];
  const SliceAt slice_at = [&](const Eigen::Vector3d& position_mm) -> std::optional<int> {
    const int k = static_cast<int>(std::round(whole.index_at(position_mm).z()));
    if (k == 2) return std::nullopt;
    return k < 2 ? k : k - 1;
  };
  Remarks remarks;
  const auto set = contours_on(image, map_on(whole, whole), "map.nrrd", remarks, {}, slice_at);
  ASSERT_EQ(set.contours().size(), 2u);
  EXPECT_EQ(set.contours()[0]->slice.index, 1);
  EXPECT_EQ(set.contours()[1]->slice.index, 3) << "slice 4 of the label map";
  EXPECT_TRUE(remarks.empty());
  // Both labels one slice further on: the first one on the slice that is missing.
  const Eigen::Vector3d step = whole.position({0, 0, 1}) - whole.origin;
  const auto rest = contours_on(image, map_on(whole, whole), "map.nrrd", remarks, {},
                                [&](const auto& position_mm) { return slice_at(position_mm + step); });
  ASSERT_EQ(rest.contours().size(), 1u);
  EXPECT_EQ(rest.contours()[0]->slice.index, 4);
  EXPECT_EQ(remarks.text(),
            "1 contour on slices that this image does not have was left out.\n"
            "Labels without a pixel on this image: Label 1.");
}

TEST(Transfer, SlicesOfAnotherThicknessOrDirectionAreRefused) {
  const auto here = grid();
  Remarks remarks;
  auto thick = here;
  thick.set_spacing(2, 4);
  thick.dimensions[2] = 3;
  EXPECT_THROW(contours_on(here, map_on(thick, thick), "map.nii", remarks, {}), InputError);
  auto between = here;
  between.origin.z() += 1;
  EXPECT_THROW(contours_on(here, map_on(between, between), "map.nii", remarks, {}), InputError);
  auto turned = here;
  turned.set_directions(
      (Eigen::Matrix3d() << std::cos(0.1), -std::sin(0.1), 0, std::sin(0.1), std::cos(0.1), 0, 0, 0, 1)
          .finished());
  EXPECT_THROW(contours_on(here, map_on(turned, turned), "map.nii", remarks, {}), InputError);
}

TEST(Transfer, ContoursKeepTheirPlacesOnPixelsOfAnotherSize) {
  const auto there = grid();
  auto here = there;
  here.dimensions = {6, 20, 6};
  here.set_spacing({1, 0.375, 2});
  here.origin = there.position({0.5, -0.25, 0});
  ContourSet set;
  set.add(contour_from_outline({{2, 1}, {7, 1}, {7, 6}}, {2, 3}, true, 1));
  set.add_ruler({.slice = {2, 3}, .points = {{0, 0}, {4, 4}}});
  Remarks remarks;
  const auto moved = transferred(set, there, here, "contours", "c.json", remarks);
  ASSERT_EQ(moved.contours().size(), 1U);
  const auto before = set.contours()[0]->outline(), after = moved.contours()[0]->outline();
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_LT(
        (here.position({after[i].x(), after[i].y(), 3}) - there.position({before[i].x(), before[i].y(), 3}))
            .norm(),
        1e-9);
  }
  EXPECT_LT((here.position({moved.rulers()[0].points[1].x(), moved.rulers()[0].points[1].y(), 3}) -
             there.position({4, 4, 3}))
                .norm(),
            1e-9);
}

TEST(Transfer, WithoutPositionsVoxelsAreTransferredOneByOneAndThatIsSaid) {
  auto there = grid();
  there.frame = grid::Frame::own;
  auto here = grid();
  here.origin = {100, 0, 0};
  Remarks remarks;
  const auto set = contours_on(here, map_on(there, there), "map.png", remarks, {});
  EXPECT_LT((placed(set, 1, here).second - here.position({2, 3, 1})).norm(), 1e-9);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].kind, RemarkKind::assumed);
  here.dimensions[0] = 11;
  EXPECT_THROW(contours_on(here, map_on(there, there), "map.png", remarks, {}), InputError);
}

}  // namespace
}  // namespace isolume::contours
