// Pairs of images, what is shown of their registration, and pictures of both.
#include "core/anatomy/alignment.h"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/anatomy/geodesic.h"
#include "core/anatomy/phantom.h"
#include "core/base/error.h"
#include "core/volumes/warp.h"
#include "tests/temporary_folder.h"

namespace isolume::anatomy {
namespace {

/// A moving image on the pair's grid.
void give_moving(Pair& pair, FieldValues values) {
  set_moving(pair, std::make_shared<const Image>(Image{
                       .field = {.grid = pair.grid, .values = std::move(values), .name = {}, .unit = {}},
                       .remarks = {}}));
}

std::shared_ptr<const Pair> pair_of(int side) {
  auto pair = std::make_shared<Pair>();
  pair->grid = grid::centred({0, 0, 0}, {side, side, side}, 2, grid::LengthUnit::millimetre);
  pair->grid.frame = grid::Frame::patient;
  pair->fixed = phantom(side, 0);
  give_moving(*pair, phantom(side, 0.1));
  return pair;
}

/// Fixed values 0 to 10, moving ones 100 to 300, on 4 x 4 x 4 voxels.
std::shared_ptr<const Pair> pair_of_ramps() {
  auto pair = std::make_shared<Pair>();
  pair->grid = grid::centred({0, 0, 0}, {4, 4, 4}, 1, grid::LengthUnit::millimetre);
  FieldValues moving;
  for (int i = 0; i < 64; ++i) {
    pair->fixed.push_back(static_cast<float>(10.0 * i / 63));
    moving.push_back(static_cast<float>(300 - 200.0 * i / 63));
  }
  give_moving(*pair, std::move(moving));
  return pair;
}

TEST(Alignment, IsTheRegistrationAndShowsItsWay) {
  const auto pair = pair_of(40);
  DeformationParameters parameters;
  parameters.iterations = 40;
  std::vector<std::shared_ptr<const Alignment>> shown;
  const auto placed = place(pair, {.model = LinearModel::none}, nullptr, {});
  EXPECT_EQ(placed->moving, pair->moving);
  const auto found = align(placed, parameters, [&](auto each) { shown.push_back(each); }, {});
  const Registration right = register_images(pair->fixed, pair->moving, pair->grid.dimensions, {2, 2, 2},
                                             parameters, levels_of(pair->grid.dimensions, parameters));
  EXPECT_EQ(found->displacement.components, right.displacement.components) << "showing changes nothing";
  EXPECT_EQ(found->warped, right.warped);
  EXPECT_TRUE(found->finished);
  EXPECT_LT(found->mismatch_after, 0.2 * found->mismatch_before);
  ASSERT_FALSE(shown.empty());
  EXPECT_FALSE(shown.front()->finished);
  EXPECT_EQ(shown.front()->level, 0U) << "coarse first";
  for (const auto& each : shown) {
    EXPECT_EQ(each->placement, placed);
    ASSERT_EQ(each->warped.size(), pair->fixed.size()) << "at full resolution";
    EXPECT_LE(each->mismatches.size(), found->mismatches.size());
  }
}

TEST(Alignment, PicturesAreOfBothImages) {
  const auto pair = pair_of_ramps();
  Alignment still;  // the identity
  still.displacement = volumes::zero_field(pair->grid.dimensions);
  still.warped = pair->moving;
  const auto value = [&](Shown shown, int at) {
    const images::Volume picture = picture_of(*pair, nullptr, &still, {.shown = shown, .squares = 2});
    return picture.pixels<float>()[at];
  };
  for (const int at : {0, 21, 63}) {
    const float fixed = static_cast<float>(at) / 63, moving = 1 - fixed;
    EXPECT_EQ(value(Shown::fixed, at), pair->fixed[static_cast<std::size_t>(at)]);
    EXPECT_EQ(value(Shown::moving, at), pair->moving[static_cast<std::size_t>(at)]);
    EXPECT_NEAR(value(Shown::difference, at), fixed - moving, 1e-6);
    EXPECT_NEAR(value(Shown::overlay, at), 0.5, 1e-6);
    EXPECT_NEAR(value(Shown::jacobian, at), 1, 1e-6);
  }
  // Squares of two voxels: the first and the last one are of the same kind along each axis or differ in all.
  EXPECT_NEAR(value(Shown::checkerboard, 0), 0, 1e-6);
  EXPECT_NEAR(value(Shown::checkerboard, 1), 1.0 / 63, 1e-6);
  EXPECT_NEAR(value(Shown::checkerboard, 2), 1 - 2.0 / 63, 1e-6) << "of the moving image";
  EXPECT_NEAR(value(Shown::checkerboard, 10), 10.0 / 63, 1e-6) << "along x and y";
  const images::Volume overlay = picture_of(*pair, nullptr, &still, {.shown = Shown::overlay});
  EXPECT_EQ(overlay.colours.get()[3 * 63 + 1], 255) << "fixed: green";
  EXPECT_EQ(overlay.colours.get()[3 * 63], 0);
  EXPECT_EQ(overlay.colours.get()[0], 255) << "moving: magenta";
  EXPECT_EQ(overlay.colours.get()[1], 0);
  EXPECT_EQ(overlay.colours.get()[2], 255);
}

/// The whole map takes the deformation's place first, then the linear map: point by point.
TEST(Alignment, WarpsOnceByTheWholeMap) {
  const auto pair = pair_of(40);
  Eigen::Affine3d map(Eigen::AngleAxisd(0.1, Eigen::Vector3d(1, 2, 3).normalized()));
  map.pretranslate(Eigen::Vector3d(3, -2, 1));
  auto placement = std::make_shared<Placement>();
  placement->pair = pair;
  placement->found.map = map;
  Alignment alignment;
  alignment.placement = placement;
  alignment.displacement = volumes::VectorField(pair->grid.dimensions);
  for (std::size_t axis = 0; axis < 3; ++axis)
    alignment.displacement.components[axis] = FieldValues(64000, 0.25F * static_cast<float>(axis + 1));
  const volumes::VectorField whole = whole_displacement(alignment);
  const FieldValues warped = warped_image(alignment);
  for (const auto& [x, y, z] : {volumes::Counts{20, 20, 20}, volumes::Counts{12, 25, 17}}) {
    const auto at = static_cast<std::size_t>((z * 40 + y) * 40 + x);
    const Eigen::Vector3d there = map * pair->grid.position(x + 0.25, y + 0.5, z + 0.75);
    const Eigen::Vector3d index = pair->grid.index_at(there);
    const Eigen::Vector3d right = index - Eigen::Vector3d(x, y, z);
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(static_cast<double>(whole.data(axis)[at]), right[static_cast<int>(axis)], 1e-5);
    double value = 0;
    const Eigen::Vector3d floor = index.array().floor();
    for (int corner = 0; corner < 8; ++corner) {
      double weight = 1;
      std::size_t place = 0, stride = 1;
      for (int axis = 0; axis < 3; ++axis, stride *= 40) {
        const int side = corner >> axis & 1;
        const double fraction = index[axis] - floor[axis];
        weight *= side == 1 ? fraction : 1 - fraction;
        place += static_cast<std::size_t>(floor[axis] + side) * stride;
      }
      value += weight * static_cast<double>(pair->moving_image->values()[place]);
    }
    EXPECT_NEAR(static_cast<double>(warped[at]), value, 1e-4);
  }
}

TEST(Alignment, PlacesByALinearMapAndShowsItsWay) {
  const auto pair = pair_of(40);
  std::vector<std::shared_ptr<const Placement>> shown;
  const auto found = place(pair, {}, [&](auto each) { shown.push_back(each); }, {});
  ASSERT_FALSE(shown.empty());
  EXPECT_FALSE(shown.front()->finished);
  EXPECT_EQ(shown.front()->moving.size(), pair->fixed.size());
  EXPECT_TRUE(found->finished);
  EXPECT_EQ(found->moving, on_grid(*pair->moving_image, pair->grid, found->found.map).values);
  EXPECT_NE(text_of(*found).find("Affine map: mutual information"), std::string::npos) << text_of(*found);
}

/// At 0 the moving image, at 1 the whole map, and in between the flow at that time and as much of the linear map.
TEST(Alignment, OfAFlowIsShownAtATime) {
  const auto pair = pair_of(32);
  const auto start = place(pair, {.model = LinearModel::none}, nullptr, {});
  Placement shifted = *start;
  shifted.found.map = Eigen::Translation3d(3, 0, -2);
  DeformationParameters parameters;
  parameters.model = DeformationModel::lddmm;
  parameters.levels = 1;
  parameters.iterations = 15;
  const auto found = align(std::make_shared<const Placement>(shifted), parameters, [](const auto&) {}, {});
  ASSERT_EQ(found->velocities.size(), 5U);
  EXPECT_EQ(volumes::largest_length(whole_displacement(*found, 0)), 0);
  EXPECT_EQ(whole_displacement(*found, 1).components, whole_displacement(*found).components);
  const VectorField flow = displacement_at(found->velocities, 0.4), half = whole_displacement(*found, 0.4);
  EXPECT_GT(volumes::largest_length(flow), 0.1);
  const std::array<double, 3> shift{1.5, 0, -1};  // voxels
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 0; i < flow.components[axis].size(); ++i)
      ASSERT_NEAR(static_cast<double>(half.data(axis)[i]),
                  static_cast<double>(flow.data(axis)[i]) + 0.4 * shift[axis], 1e-4);
  const auto picture = [&](double morph) {
    return picture_of(*pair, found->placement.get(), found.get(), {.shown = Shown::warped, .morph = morph});
  };
  const FieldValues between =
      moved(*pair->moving_image, {.grid = pair->grid, .field = half, .remarks = {}}, false);
  const images::Volume at_start = picture(0), on_the_way = picture(0.4);
  for (std::size_t i = 0; i < between.size(); ++i) {
    ASSERT_NEAR(at_start.pixels<float>()[i], pair->moving[i], 1e-5);
    ASSERT_EQ(on_the_way.pixels<float>()[i], between[i]);
  }
}

TEST(Alignment, PairsAreReadWithRemarksOfBothFiles) {
  const isolume::testing::TemporaryFolder folder;
  const auto pair = pair_of(24);
  write_image(pair->grid, pair->fixed, folder.path() / "fixed.nrrd");
  grid::Grid coarse = pair->grid;
  coarse.dimensions = {12, 12, 12};
  coarse.step *= 2;
  write_image(coarse, phantom(12, 0), folder.path() / "moving.nrrd");
  const auto alone = read_pair(folder.path() / "fixed.nrrd", {}, {});
  EXPECT_EQ(alone->fixed, pair->fixed);
  EXPECT_FALSE(alone->has_moving());
  const auto both = read_pair(folder.path() / "fixed.nrrd", folder.path() / "moving.nrrd", {});
  EXPECT_EQ(both->moving.size(), both->fixed.size());
  EXPECT_TRUE(both->has_moving());
  EXPECT_TRUE(both->remarks.empty()) << both->remarks.text();
  const auto placed = place(both, {.model = LinearModel::none}, nullptr, {});
  EXPECT_NE(placed->remarks.text().find("resampled to the grid of fixed.nrrd"), std::string::npos)
      << placed->remarks.text();
  EXPECT_THROW(read_pair(folder.path() / "none.nrrd", {}, {}), InputError);
}

TEST(Alignment, ContinuesFromWhatWasFoundAndEndsAsFromNothing) {
  const auto pair = pair_of(48);
  DeformationParameters parameters;
  parameters.iterations = 40;
  const auto placed = place(pair, {.model = LinearModel::none}, nullptr, {});
  const auto ignore = [](const auto&) {};
  const auto before = align(placed, parameters, ignore, {});
  for (const DeformationModel model : {DeformationModel::fluid, DeformationModel::b_spline}) {
    DeformationParameters changed = parameters;
    changed.model = model;
    changed.smoothness_mm = 9;
    std::vector<std::shared_ptr<const Alignment>> shown;
    const auto keep = [&](auto each) { shown.push_back(each); };
    const auto continued = align(placed, changed, keep, {}, {}, before.get());
    const auto anew = align(placed, changed, ignore, {});
    EXPECT_EQ(continued->displacement.components, anew->displacement.components);
    EXPECT_EQ(continued->mismatches, anew->mismatches);
    ASSERT_FALSE(shown.empty());
    EXPECT_EQ(shown.front()->displacement.components, before->displacement.components) << "what was shown";
    for (const auto& each : shown) {
      EXPECT_FALSE(each->finished);
      // Never as far apart again as at the beginning.
      double sum = 0;
      for (std::size_t i = 0; i < pair->fixed.size(); ++i)
        sum += std::pow(static_cast<double>(each->warped[i]) - static_cast<double>(pair->fixed[i]), 2);
      EXPECT_LT(std::sqrt(sum / static_cast<double>(pair->fixed.size())), 0.6 * before->mismatch_before);
    }
  }
  // A placement that is still searched has the deformation found before.
  auto searched = std::make_shared<Placement>(*placed);
  searched->finished = false;
  const auto provisional = align(searched, parameters, ignore, {}, {}, before.get());
  EXPECT_FALSE(provisional->finished);
  EXPECT_EQ(provisional->warped, before->warped);
  // A deformation that does not fit is not shown: that of the swapped images leads away.
  auto swapped = std::make_shared<Pair>();
  swapped->grid = pair->grid;
  swapped->fixed = pair->moving;
  give_moving(*swapped, pair->fixed);
  std::vector<std::shared_ptr<const Alignment>> shown;
  (void)align(
      place(swapped, {.model = LinearModel::none}, nullptr, {}), parameters,
      [&](auto each) { shown.push_back(each); }, {}, {}, before.get());
  ASSERT_FALSE(shown.empty());
  EXPECT_NE(shown.front()->displacement.components, before->displacement.components);
}

}  // namespace
}  // namespace isolume::anatomy
