// Pairs of images, what is shown of their registration, and pictures of both.
#include "core/anatomy/alignment.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/anatomy/phantom.h"
#include "core/base/error.h"
#include "tests/temporary_folder.h"

namespace isolume::anatomy {
namespace {

std::shared_ptr<const Pair> pair_of(int side) {
  auto pair = std::make_shared<Pair>();
  pair->grid = grid::centred({0, 0, 0}, {side, side, side}, 2, grid::LengthUnit::millimetre);
  pair->grid.frame = grid::Frame::patient;
  pair->fixed = phantom(side, 0);
  pair->moving = phantom(side, 0.1);
  return pair;
}

/// Fixed values 0 to 10, moving ones 100 to 300, on 4 x 4 x 4 voxels.
std::shared_ptr<const Pair> pair_of_ramps() {
  auto pair = std::make_shared<Pair>();
  pair->grid = grid::centred({0, 0, 0}, {4, 4, 4}, 1, grid::LengthUnit::millimetre);
  for (int i = 0; i < 64; ++i) {
    pair->fixed.push_back(static_cast<float>(10.0 * i / 63));
    pair->moving.push_back(static_cast<float>(300 - 200.0 * i / 63));
  }
  return pair;
}

TEST(Alignment, IsTheRegistrationAndShowsItsWay) {
  const auto pair = pair_of(40);
  FluidParameters parameters;
  parameters.iterations = 40;
  std::vector<std::shared_ptr<const Alignment>> shown;
  const auto found = align(pair, parameters, [&](auto each) { shown.push_back(each); }, {});
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
    EXPECT_EQ(each->pair, pair);
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
    const images::Volume picture = picture_of(*pair, &still, {.shown = shown, .squares = 2});
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
  const images::Volume overlay = picture_of(*pair, &still, {.shown = Shown::overlay});
  EXPECT_EQ(overlay.colours.get()[3 * 63 + 1], 255) << "fixed: green";
  EXPECT_EQ(overlay.colours.get()[3 * 63], 0);
  EXPECT_EQ(overlay.colours.get()[0], 255) << "moving: magenta";
  EXPECT_EQ(overlay.colours.get()[1], 0);
  EXPECT_EQ(overlay.colours.get()[2], 255);
}

TEST(Alignment, PairsAreReadWithRemarksOfBothFiles) {
  const isolume::testing::TemporaryFolder folder;
  const auto pair = pair_of(24);
  write_image(pair->grid, pair->fixed, folder.path() / "fixed.nrrd");
  grid::Grid coarse = pair->grid;
  coarse.dimensions = {12, 12, 12};
  coarse.step *= 2;
  write_image(coarse, FieldValues(12 * 12 * 12, 3), folder.path() / "moving.nrrd");
  const auto alone = read_pair(folder.path() / "fixed.nrrd", {}, {});
  EXPECT_EQ(alone->fixed, pair->fixed);
  EXPECT_TRUE(alone->moving.empty());
  const auto both = read_pair(folder.path() / "fixed.nrrd", folder.path() / "moving.nrrd", {});
  EXPECT_EQ(both->moving.size(), both->fixed.size());
  EXPECT_NE(both->remarks.text().find("moving.nrrd: "), std::string::npos) << both->remarks.text();
  EXPECT_THROW(read_pair(folder.path() / "none.nrrd", {}, {}), InputError);
}

}  // namespace
}  // namespace isolume::anatomy
