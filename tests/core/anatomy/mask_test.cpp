// Masks: what lies outside does not count, on any grid and at any level.
#include "core/anatomy/mask.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/anatomy/deformation.h"
#include "core/anatomy/image.h"
#include "core/anatomy/linear.h"
#include "core/base/error.h"
#include "core/volumes/warp.h"
#include "tests/temporary_folder.h"

namespace isolume::anatomy {
namespace {

constexpr int side = 36;
constexpr Counts cube{side, side, side};

grid::Grid cube_grid() {
  grid::Grid grid = grid::centred({0, 0, 0}, cube, 2, grid::LengthUnit::millimetre);
  grid.frame = grid::Frame::patient;
  return grid;
}

template <class Value>
FieldValues values_of(const Value& value) {
  FieldValues values;
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) values.push_back(static_cast<float>(value(x, y, z)));
    }
  }
  return values;
}

/// A textured ball, moved along x within a Gaussian about its centre.
FieldValues ball(double move) {
  return values_of([=](int x, int y, int z) {
    const double middle = 17.5,
                 bump = std::exp(
                     -(std::pow(x - middle, 2) + std::pow(y - middle, 2) + std::pow(z - middle, 2)) / 80);
    const double u = x - move * bump;
    const double r = std::sqrt(std::pow(u - middle, 2) + std::pow(y - middle, 2) + std::pow(z - middle, 2));
    return 1 / (1 + std::exp((r - 11) / 1.2)) * (1 + 0.4 * std::sin(0.6 * u) * std::cos(0.5 * y + 0.3 * z));
  });
}

bool is_in_block(int x, int y, int z) {
  return x >= 24 && x < 31 && y >= 12 && y < 20 && z >= 13 && z < 24;
}

/// A bright block: three times as bright as all else.
FieldValues with_block(FieldValues values) {
  std::size_t at = 0;
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x, ++at) {
        if (is_in_block(x, y, z)) values[at] = 3;
      }
    }
  }
  return values;
}

FieldValues outside_block() {
  return values_of([](int x, int y, int z) { return is_in_block(x, y, z) ? 0 : 1; });
}

/// The largest difference of two displacements in voxels, away from the block.
double difference(const VectorField& a, const VectorField& b) {
  double largest = 0;
  std::size_t at = 0;
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x, ++at) {
        if (x > 20) continue;
        for (std::size_t axis = 0; axis < 3; ++axis)
          largest = std::max(largest, std::abs(static_cast<double>(a.data(axis)[at] - b.data(axis)[at])));
      }
    }
  }
  return largest;
}

DeformationParameters parameters_of(DeformationModel model, Metric metric) {
  DeformationParameters parameters;
  parameters.model = model;
  parameters.metric = metric;
  parameters.levels = 2;
  parameters.iterations = 24;
  parameters.smoothness_mm = 4;
  parameters.time_steps = 2;
  return parameters;
}

Registration registered(const FieldValues& fixed, const DeformationParameters& parameters,
                        const Masks& masks) {
  return deform(fixed, ball(2), cube, {2, 2, 2}, parameters, levels_of(cube, parameters), {}, {}, {}, masks);
}

TEST(Masks, AnArtefactOutsideChangesNothingByAnyModelAndMetric) {
  const FieldValues clean = ball(0), artefact = with_block(clean), inside = outside_block();
  struct Case {
    DeformationModel model;
    Metric metric;
  };
  using enum DeformationModel;
  for (const auto& [model, metric] :
       {Case{fluid, Metric::squares}, Case{fluid, Metric::correlation},
        Case{fluid, Metric::mutual_information}, Case{b_spline, Metric::squares},
        Case{lddmm, Metric::squares}, Case{demons, Metric::squares}}) {
    const DeformationParameters parameters = parameters_of(model, metric);
    const Masks masks{.fixed = inside, .moving = {}};
    const Registration expected = registered(clean, parameters, masks);
    const Registration found = registered(artefact, parameters, masks);
    const auto name = std::to_string(static_cast<int>(model)) + " " + std::string(name_of(metric));
    EXPECT_LT(difference(found.displacement, expected.displacement), 1e-3) << name;
    EXPECT_NEAR(found.mismatch_after, expected.mismatch_after, 1e-4) << name;
    EXPECT_LT(found.mismatch_after, found.mismatch_before) << name;
    // With the mask, the whole image leads to about the same map; the artefact without it does not.
    const Registration whole = registered(clean, parameters, {});
    const double with = difference(found.displacement, whole.displacement);
    const double without = difference(registered(artefact, parameters, {}).displacement, whole.displacement);
    EXPECT_GT(without, 0.3) << name;
    EXPECT_LT(with, 0.5 * without) << name;
  }
}

TEST(Masks, TheMovingImagesMaskIsCarriedAlong) {
  const FieldValues clean = ball(2), artefact = with_block(clean), inside = outside_block();
  const DeformationParameters parameters = parameters_of(DeformationModel::fluid, Metric::squares);
  const auto found = [&](const FieldValues& moving, const Masks& masks) {
    return deform(ball(0), moving, cube, {2, 2, 2}, parameters, levels_of(cube, parameters), {}, {}, {},
                  masks)
        .displacement;
  };
  const Masks masks{.fixed = {}, .moving = inside};
  const VectorField whole = found(clean, {});
  const double with = difference(found(artefact, masks), whole),
               without = difference(found(artefact, {}), whole);
  EXPECT_LT(with, 0.5 * without);
  EXPECT_LT(difference(found(artefact, masks), found(clean, masks)), 1e-3);
}

/// Blobs without any symmetry, moved along x by millimetres.
FieldValues blobs(const grid::Grid& grid, double move_mm) {
  struct Blob {
    Eigen::Vector3d centre;
    double width, value;
  };
  const Blob all[] = {{{0, 0, 0}, 18, 0.5},    {{9, -7, 8}, 5, 0.5},   {{-12, 6, -3}, 4, 0.7},
                      {{4, 13, -10}, 5, 0.4},  {{-6, -13, 5}, 4, 0.6}, {{8, 7, 13}, 4, 0.9},
                      {{-8, -2, -13}, 5, 0.3}, {{-3, 15, 7}, 4, 0.5}};
  return values_of([&](int x, int y, int z) {
    const Eigen::Vector3d p = grid.position(x, y, z) - Eigen::Vector3d(move_mm, 0, 0);
    double sum = 0;
    for (const Blob& each : all)
      sum += each.value * std::exp(-(p - each.centre).squaredNorm() / (2 * each.width * each.width));
    return sum;
  });
}

TEST(Masks, LinearMapsLeaveVoxelsOut) {
  const grid::Grid grid = cube_grid();
  const FieldValues clean = blobs(grid, 0), artefact = with_block(clean), inside = outside_block();
  const FieldValues moving = blobs(grid, 6), moved_block = with_block(moving);
  const Eigen::Vector3d expected(6, 0, 0);
  for (const Similarity similarity :
       {Similarity::squares, Similarity::correlation, Similarity::mutual_information}) {
    const auto error = [&](const ImageView& to, const ImageView& from, const Eigen::Vector3d& move) {
      const auto found = register_linear(to, from, {LinearModel::rigid, similarity});
      double largest = 0;
      for (const double end : {-20.0, 20.0}) {
        const Eigen::Vector3d place(end, -end, end);
        largest = std::max(largest, (found.map * place - place - move).norm());
      }
      return largest;
    };
    EXPECT_LT(error({grid, artefact, inside}, {grid, moving}, expected), 0.5) << name_of(similarity);
    EXPECT_LT(error({grid, clean}, {grid, moved_block, inside}, expected), 0.5) << name_of(similarity);
    EXPECT_LT(error({grid, moved_block, inside}, {grid, clean}, -expected), 0.5) << name_of(similarity);
    EXPECT_EQ(error({grid, artefact, inside}, {grid, moving}, expected),
              error({grid, clean, inside}, {grid, moving}, expected))
        << name_of(similarity) << ": nothing of what is outside counts";
    if (similarity != Similarity::mutual_information) {
      EXPECT_GT(error({grid, artefact}, {grid, moving}, expected), 1.0) << name_of(similarity);
    }
  }
}

TEST(Masks, AreReadOnGridsOfTheirOwnAndRefusedWithWords) {
  const testing::TemporaryFolder folder;
  // Half the resolution, and turned about z: voxels of x < 0 mm are inside.
  grid::Grid grid = grid::centred({0, 0, 0}, {18, 20, 18}, 4, grid::LengthUnit::millimetre);
  grid.frame = grid::Frame::patient;
  grid.step.col(0) *= -1;
  grid.origin[0] *= -1;
  FieldValues values;
  for (int z = 0; z < 18; ++z) {
    for (int y = 0; y < 20; ++y) {
      for (int x = 0; x < 18; ++x) values.push_back(grid.position(x, y, z)[0] < 0 ? 7.F : 0.F);
    }
  }
  write_image(grid, values, folder / "half.nii.gz");
  const Mask mask = read_mask(folder / "half.nii.gz");
  const grid::Grid image = cube_grid();
  const FieldValues inside = inside_image(mask, image, "image.nii");
  std::size_t at = 0;
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x, ++at)
        ASSERT_EQ(inside[at], image.position(x, y, z)[0] < 0 ? 1.F : 0.F) << x << " " << y << " " << z;
    }
  }
  // Where a map takes the positions.
  Eigen::Affine3d map = Eigen::Affine3d::Identity();
  map.translation() = Eigen::Vector3d(-8, 0, 0);
  const FieldValues moved = inside_on(mask, image, map);
  EXPECT_EQ(moved[static_cast<std::size_t>(20 * side + 20) * side + 20], 1.F) << "5 mm, at -3 mm of the mask";
  EXPECT_EQ(moved[static_cast<std::size_t>(20 * side + 20) * side + 25], 0.F) << "15 mm, at 7 mm of the mask";

  const auto words = [](const auto& act) -> std::string {
    try {
      act();
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  std::ranges::fill(values, 0.F);
  write_image(grid, values, folder / "none.nii.gz");
  EXPECT_NE(words([&] { (void)read_mask(folder / "none.nii.gz"); }).find("0 everywhere"), std::string::npos);
  grid::Grid far = image;
  far.origin[2] += 500;
  EXPECT_NE(
      words([&] { (void)inside_image(mask, far, "far.nii"); }).find("No voxel of far.nii lies in the mask"),
      std::string::npos);
  grid::Grid slice = image;
  slice.dimensions[2] = 1;
  EXPECT_NE(words([&] { (void)inside_image(mask, slice, "slice.nii"); }).find("single slice"),
            std::string::npos);
  const FieldValues left = values_of([](int x, int, int) { return x < 18 ? 1 : 0; }),
                    right = values_of([](int x, int, int) { return x < 18 ? 0 : 1; });
  const auto parameters = parameters_of(DeformationModel::fluid, Metric::squares);
  EXPECT_NE(words([&] {
              (void)registered(ball(0), parameters, {.fixed = left, .moving = right});
            }).find("lies inside the masks"),
            std::string::npos);
}

/// A mask of one image alone leaves out its darkest values. Both images are then compared by one scale.
TEST(Masks, OfOneImageKeepEqualValuesEqual) {
  const FieldValues image = ball(0);
  FieldValues inside;
  for (const float each : image) inside.push_back(each > 0.5F ? 1.F : 0.F);
  DeformationParameters parameters;
  parameters.levels = 1;
  parameters.iterations = 2;
  for (const Masks& masks : {Masks{.fixed = inside, .moving = {}}, Masks{.fixed = {}, .moving = inside}}) {
    const Registration found =
        deform(image, image, cube, {2, 2, 2}, parameters, levels_of(cube, parameters), {}, {}, {}, masks);
    EXPECT_LT(found.mismatch_before, 1e-6);
    EXPECT_EQ(volumes::largest_length(found.displacement), 0);
  }
}

}  // namespace
}  // namespace isolume::anatomy
