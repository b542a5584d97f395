// Linear registration against maps that are known: the moving image is made by one.
#include "core/anatomy/linear.h"

#include <cmath>
#include <numbers>

#include <Eigen/LU>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/base/error.h"

namespace isolume::anatomy {
namespace {

using Eigen::Affine3d;
using Eigen::Vector3d;

struct Scan {
  grid::Grid grid;
  FieldValues values;
  ImageView view() const { return {grid, values}; }
};

grid::Grid grid_of(const volumes::Counts& counts, double spacing_mm) {
  grid::Grid grid = grid::centred({3, -5, 8}, counts, spacing_mm, grid::LengthUnit::millimetre);
  grid.frame = grid::Frame::patient;
  return grid;
}

/// A body of blobs without any symmetry: values by position in mm, known everywhere.
double body(const Vector3d& p) {
  struct Blob {
    Vector3d centre;
    double width, value;
  };
  static const Blob blobs[] = {{{0, 0, 0}, 55, 0.5},      {{30, -20, 25}, 14, 0.5},  {{-35, 18, -8}, 11, 0.7},
                               {{12, 38, -30}, 16, 0.4},  {{-18, -40, 15}, 10, 0.6}, {{25, 20, 40}, 9, 0.9},
                               {{-25, -5, -38}, 13, 0.3}, {{40, 12, -12}, 8, 0.8},   {{-8, 45, 22}, 10, 0.5}};
  double sum = 0;
  for (const Blob& each : blobs)
    sum += each.value * std::exp(-(p - each.centre).squaredNorm() / (2 * each.width * each.width));
  return sum;
}

/// The body, whose points p lie at map * p.
Scan scanned(const Affine3d& map, const grid::Grid& grid) {
  Scan result{grid, FieldValues(grid.point_count())};
  const Affine3d back = map.inverse();
  std::size_t at = 0;
  for (int z = 0; z < grid.dimensions[2]; ++z) {
    for (int y = 0; y < grid.dimensions[1]; ++y) {
      for (int x = 0; x < grid.dimensions[0]; ++x, ++at)
        result.values[at] = static_cast<float>(body(back * grid.position(x, y, z)));
    }
  }
  return result;
}

Scan fixed_scan() {
  return scanned(Affine3d::Identity(), grid_of({44, 44, 44}, 4));
}

Affine3d turned(double degrees, const Vector3d& axis, const Vector3d& move) {
  Affine3d map(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis.normalized()));
  map.pretranslate(move);
  return map;
}

/// The largest distance of two maps within the head, in mm.
double distance(const Affine3d& a, const Affine3d& b) {
  double largest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Vector3d place(corner & 1 ? 60 : -60, corner & 2 ? 60 : -60, corner & 4 ? 60 : -60);
    largest = std::max(largest, (a * place - b * place).norm());
  }
  return largest;
}

constexpr Similarity all_similarities[] = {Similarity::mutual_information, Similarity::correlation,
                                           Similarity::squares};

TEST(Linear, FindsRigidMaps) {
  const Scan fixed = fixed_scan();
  const Affine3d map = turned(14, {1, 2, -1}, {9, -14, 6});
  const Scan moving = scanned(map, grid_of({44, 52, 40}, 5));
  for (const Similarity similarity : all_similarities) {
    const auto found = register_linear(fixed.view(), moving.view(), {LinearModel::rigid, similarity});
    EXPECT_LT(distance(found.map, map), 0.5) << name_of(similarity) << ", voxels of 4 mm";
    EXPECT_TRUE((found.map.linear() * found.map.linear().transpose()).isIdentity(1e-9)) << "no scale";
    const bool is_better = similarity == Similarity::squares
                               ? found.similarity_after < found.similarity_before
                               : found.similarity_after > found.similarity_before;
    EXPECT_TRUE(is_better) << found.similarity_before << " " << found.similarity_after;
    EXPECT_NEAR(
        found.largest_move_mm,
        [&] {
          double largest = 0;
          for (int corner = 0; corner < 8; ++corner) {
            const Vector3d place =
                fixed.grid.position(corner & 1 ? 43 : 0, corner & 2 ? 43 : 0, corner & 4 ? 43 : 0);
            largest = std::max(largest, (found.map * place - place).norm());
          }
          return largest;
        }(),
        1e-9);
  }
}

TEST(Linear, FindsAffineMaps) {
  const Scan fixed = fixed_scan();
  Affine3d map = turned(-9, {0, 1, 3}, {-7, 4, 11});
  map.linear() *= (Eigen::Matrix3d() << 1.12, 0.05, 0, 0, 0.92, -0.04, 0.03, 0, 1.05).finished();
  const Scan moving = scanned(map, grid_of({52, 52, 52}, 4.5));
  for (const Similarity similarity : all_similarities) {
    const auto found = register_linear(fixed.view(), moving.view(), {LinearModel::affine, similarity});
    // Voxels of 4 mm; the histogram knows less of them than sums of values do.
    EXPECT_LT(distance(found.map, map), similarity == Similarity::mutual_information ? 1.5 : 0.5)
        << name_of(similarity);
  }
}

TEST(Linear, FindsMapsBetweenImagesOfOtherKinds) {
  const Scan fixed = fixed_scan();
  const Affine3d map = turned(11, {2, -1, 1}, {5, 8, -9});
  Scan moving = scanned(map, fixed.grid);
  // Bright becomes dark, and the two ends of the scale become alike, as no straight line could do it.
  for (float& each : moving.values) each = 100 * (1 - each) * (0.2F + each);
  const auto found =
      register_linear(fixed.view(), moving.view(), {LinearModel::rigid, Similarity::mutual_information});
  EXPECT_LT(distance(found.map, map), 1);
  Scan brighter = scanned(map, fixed.grid);
  for (float& each : brighter.values) each = 300 + 7 * each;
  EXPECT_LT(
      distance(
          register_linear(fixed.view(), brighter.view(), {LinearModel::rigid, Similarity::correlation}).map,
          map),
      0.5);
}

TEST(Linear, FindsFarAndTurnedImages) {
  const Scan fixed = fixed_scan();
  Scan moving = scanned(turned(35, {0, 0, 1}, {0, 0, 0}), fixed.grid);
  moving.grid.origin += Vector3d(900, -400, 250);  // no overlap by the headers
  const auto found =
      register_linear(fixed.view(), moving.view(), {LinearModel::rigid, Similarity::mutual_information});
  Affine3d map = turned(35, {0, 0, 1}, {900, -400, 250});
  EXPECT_LT(distance(found.map, map), 0.5);
  EXPECT_TRUE(std::isnan(found.similarity_before));
}

TEST(Linear, AlignsSingleSlicesWithinTheirPlane) {
  const grid::Grid grid = grid_of({44, 44, 1}, 4);
  const Affine3d map = turned(12, {0, 0, 1}, {10, -6, 0});
  const Scan fixed = scanned(Affine3d::Identity(), grid), moving = scanned(map, grid);
  for (const LinearModel model : {LinearModel::rigid, LinearModel::affine}) {
    const auto found = register_linear(fixed.view(), moving.view(), {model, Similarity::correlation});
    const Vector3d corner = grid.position(40, 8, 0);
    EXPECT_LT((found.map * corner - map * corner).norm(), 0.5);
    EXPECT_NEAR((found.map * corner - corner).z(), 0, 1e-9) << "within the plane";
  }
}

TEST(Linear, BeginsWithAGivenMapAndKeepsItWithoutASearch) {
  const Scan fixed = fixed_scan();
  const Affine3d map = turned(80, {1, 0, 0}, {20, 0, 0}), near = turned(74, {1, 0, 0}, {14, 3, 0});
  const Scan moving = scanned(map, fixed.grid);
  const LinearParameters rigid{LinearModel::rigid, Similarity::correlation};
  EXPECT_LT(distance(register_linear(fixed.view(), moving.view(), rigid, &near).map, map), 0.5);
  const auto kept =
      register_linear(fixed.view(), moving.view(), {LinearModel::none, Similarity::correlation}, &near);
  EXPECT_TRUE(kept.map.isApprox(near, 0));
  EXPECT_GT(kept.similarity_after, kept.similarity_before);
}

TEST(Linear, IsTheSameOnAnyNumberOfThreads) {
  const Scan fixed = fixed_scan(), moving = scanned(turned(8, {1, 1, 0}, {4, 4, 4}), fixed.grid);
  Affine3d maps[2];
  for (const int threads : {1, 2}) {
    tbb::task_arena(threads).execute(
        [&] { maps[threads - 1] = register_linear(fixed.view(), moving.view(), {}).map; });
  }
  EXPECT_EQ(maps[0].matrix(), maps[1].matrix());
}

TEST(Linear, NeedsImagesWithSomethingToAlign) {
  const Scan fixed = fixed_scan();
  const Scan constant{fixed.grid, FieldValues(fixed.values.size(), 3)};
  EXPECT_THROW(register_linear(fixed.view(), constant.view(), {}), Error);
  EXPECT_THROW(register_linear(constant.view(), fixed.view(), {}), Error);
  const Affine3d away(Eigen::Translation3d(9000, 0, 0));
  EXPECT_THROW(register_linear(fixed.view(), fixed.view(), {}, &away), Error);
}

}  // namespace
}  // namespace isolume::anatomy
