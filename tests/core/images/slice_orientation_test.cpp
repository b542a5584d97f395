#include "core/images/slice_orientation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "tests/core/images/turned_directions.h"

namespace isolume::images {
namespace {

/// The letters to which the picture's right side and lower side point.
std::string sides(const Geometry& geometry, int axis) {
  const SlicePlane plane = slice_plane(geometry, {axis, 0});
  const SliceTurn turn = radiological_turn(geometry, axis);
  Eigen::Vector3d across = turn.transposed ? plane.across.normalized() : plane.along.normalized();
  Eigen::Vector3d down = turn.transposed ? plane.along.normalized() : plane.across.normalized();
  if (turn.flip_across) across = -across;
  if (turn.flip_down) down = -down;
  return orientation_letters(across).substr(0, 1) + orientation_letters(down).substr(0, 1);
}

TEST(SliceOrientation, EveryTurnOfAVolumeIsShownAsRadiologistsLook) {
  const Eigen::Matrix3d tilt =
      (Eigen::AngleAxisd(0.3, Eigen::Vector3d(1, 2, -1).normalized())).toRotationMatrix();
  for (const auto& direction : turned_directions()) {
    for (const bool oblique : {false, true}) {
      Geometry geometry;
      geometry.set_directions(oblique ? Eigen::Matrix3d(tilt * direction) : direction);
      EXPECT_EQ(sides(geometry, axis_of(geometry, PatientPlane::axial)), "LP") << direction;
      EXPECT_EQ(sides(geometry, axis_of(geometry, PatientPlane::coronal)), "LF") << direction;
      EXPECT_EQ(sides(geometry, axis_of(geometry, PatientPlane::sagittal)), "PF") << direction;
    }
  }
}

TEST(SliceOrientation, PlanesAndAxesAreEachOthersInverse) {
  for (const auto& direction : turned_directions()) {
    Geometry geometry;
    geometry.set_directions(direction);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(axis_of(geometry, patient_plane(geometry, axis)), axis);
    }
  }
}

}  // namespace
}  // namespace isolume::images
