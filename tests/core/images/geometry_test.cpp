#include "core/images/geometry.h"

#include <cmath>
#include <numbers>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

namespace isolume::images {
namespace {

/// Turned about x, then z: none of its directions lies along an axis.
Geometry oblique() {
  Geometry geometry;
  geometry.dimensions = {7, 5, 4};
  geometry.origin = {-100, 20, 33.5};
  geometry.set_spacing({0.7, 0.9, 2.5});
  geometry.set_directions(
      (Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitX()) * Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitZ()))
          .toRotationMatrix());
  return geometry;
}

TEST(Geometry, PositionOfAVoxelByHand) {
  Geometry geometry;
  geometry.origin = {10, 20, 30};
  geometry.set_spacing({2, 3, 4});
  geometry.set_directions((Eigen::Matrix3d() << 0, 0, 1,  // i grows to the back, j to the head, k to the left
                           1, 0, 0,                       //
                           0, 1, 0)
                              .finished());
  EXPECT_TRUE(geometry.position({1, 2, 3}).isApprox(Eigen::Vector3d(10 + 12, 20 + 2, 30 + 6)));
}

TEST(Geometry, IndexIsTheInverseOfPosition) {
  const Geometry geometry = oblique();
  const Eigen::Vector3d index(3.25, -1.5, 2);
  EXPECT_TRUE(geometry.index_at(geometry.position(index)).isApprox(index, 1e-12));
}

TEST(Geometry, IndexIsTheInverseAlsoForATiltedGantry) {
  Geometry geometry = oblique();
  geometry.set_direction(2, (geometry.direction(2) + 0.2 * geometry.direction(1)).normalized());
  const Eigen::Vector3d index(3.25, -1.5, 2);
  EXPECT_TRUE(geometry.index_at(geometry.position(index)).isApprox(index, 1e-12));
}

TEST(SlicePlane, PixelsOfAllAxesLieWhereTheirVoxelsDo) {
  const Geometry geometry = oblique();
  for (int i = 0; i < 7; i += 3) {
    for (int j = 0; j < 5; j += 2) {
      for (int k = 0; k < 4; k += 3) {
        const Eigen::Vector3d voxel = geometry.position({double(i), double(j), double(k)});
        EXPECT_TRUE(slice_plane(geometry, {0, i}).position({j, k}).isApprox(voxel, 1e-12));
        EXPECT_TRUE(slice_plane(geometry, {1, j}).position({i, k}).isApprox(voxel, 1e-12));
        EXPECT_TRUE(slice_plane(geometry, {2, k}).position({i, j}).isApprox(voxel, 1e-12));
      }
    }
  }
  EXPECT_EQ(slice_plane(geometry, {0, 0}).columns, 5);
  EXPECT_EQ(slice_plane(geometry, {0, 0}).rows, 4);
  EXPECT_EQ(slice_plane(geometry, {1, 0}).columns, 7);
  EXPECT_EQ(slice_plane(geometry, {2, 0}).rows, 5);
  EXPECT_DOUBLE_EQ(slice_plane(geometry, {1, 0}).slice_spacing_mm, 0.9);
}

TEST(SlicePlane, PlaceAndDistanceOfAPointBeside) {
  const SlicePlane plane = slice_plane(oblique(), {2, 1});
  const Eigen::Vector3d beside = plane.position({1.5, 2.25}) + 0.75 * plane.normal;
  EXPECT_TRUE(plane.place_at(beside).isApprox(Eigen::Vector2d(1.5, 2.25), 1e-12));
  EXPECT_NEAR(plane.distance_mm(beside), 0.75, 1e-12);
}

TEST(SlicePlane, OfAShearedGridMeasuresInItsOwnAxes) {
  Geometry geometry = oblique();
  geometry.set_direction(2, (geometry.direction(2) + 0.6 * geometry.direction(0)).normalized());
  for (const int axis : {0, 1, 2}) {
    const SlicePlane plane = slice_plane(geometry, {axis, 1});
    const Eigen::Vector3d x = plane.position({1, 0}) - plane.position({0, 0}),
                          y = plane.position({0, 1}) - plane.position({0, 0});
    EXPECT_NEAR(plane.cell_area(), x.cross(y).norm(), 1e-12);
    EXPECT_NEAR((plane.metric() * Eigen::Vector2d(3, -2)).norm(), (3 * x - 2 * y).norm(), 1e-12);
    const Eigen::Vector3d beside = plane.position({1.5, 2.25}) + 0.75 * plane.normal;
    EXPECT_TRUE(plane.place_at(beside).isApprox(Eigen::Vector2d(1.5, 2.25), 1e-12));
    EXPECT_NEAR(geometry.cell_volume(), plane.cell_area() * plane.slice_spacing_mm, 1e-12);
  }
  EXPECT_FALSE(geometry.is_orthogonal());
  EXPECT_TRUE(oblique().is_orthogonal());
}

TEST(SliceAt, NearestSliceAndBeyondTheVolume) {
  const Geometry geometry = oblique();
  EXPECT_EQ(slice_at(geometry, 2, geometry.position({1, 1, 2.4})), (SliceId{2, 2}));
  EXPECT_EQ(slice_at(geometry, 1, geometry.position({1, 3.6, 2.4})), (SliceId{1, 4}));
  EXPECT_EQ(slice_at(geometry, 0, geometry.position({-2.2, 3.6, 2.4})), (SliceId{0, -2}));
}

TEST(OrientationLetters, AxesAndObliqueDirections) {
  EXPECT_EQ(orientation_letters({1, 0, 0}), "L");
  EXPECT_EQ(orientation_letters({-1, 0, 0}), "R");
  EXPECT_EQ(orientation_letters({0, 1, 0}), "P");
  EXPECT_EQ(orientation_letters({0, -1, 0}), "A");
  EXPECT_EQ(orientation_letters({0, 0, 1}), "H");
  EXPECT_EQ(orientation_letters({0, 0, -1}), "F");
  const auto turned = [](double degrees) {
    const double angle = degrees * std::numbers::pi / 180;
    return Eigen::Vector3d(std::cos(angle), -std::sin(angle), 0);
  };
  EXPECT_EQ(orientation_letters(turned(19)), "L");
  EXPECT_EQ(orientation_letters(turned(21)), "LA");
  EXPECT_EQ(orientation_letters(turned(60)), "AL");
  EXPECT_EQ(orientation_letters(Eigen::Vector3d(-0.5, 0.6, 0.7).normalized()), "HPR");
}

TEST(AxesNearestToPatient, EachAxisOnce) {
  Geometry geometry;
  EXPECT_EQ(axes_nearest_to_patient(geometry), (std::array{0, 1, 2}));
  geometry.set_directions((Eigen::Matrix3d() << 0, 0,
                           -1,       // sagittal: i to the back, j to the feet, k to the right
                           1, 0, 0,  //
                           0, -1, 0)
                              .finished());
  EXPECT_EQ(axes_nearest_to_patient(geometry), (std::array{2, 0, 1}));
  // Two axes nearest to the same direction of the patient: 45 degrees and a little.
  geometry.set_directions(Eigen::AngleAxisd(0.79, Eigen::Vector3d::UnitZ()).toRotationMatrix());
  const auto axes = axes_nearest_to_patient(geometry);
  EXPECT_EQ(axes[2], 2);
  EXPECT_NE(axes[0], axes[1]);
}

}  // namespace
}  // namespace isolume::images
