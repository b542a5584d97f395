#pragma once

#include "core/images/geometry.h"

namespace isolume::images {

enum class PatientPlane { sagittal, coronal, axial };

/// The patient's plane nearest to the slices across this axis of the volume; a different one for each axis, whatever
/// the obliqueness.
PatientPlane patient_plane(const Geometry& geometry, int axis);
/// The axis whose slices are nearest to the plane; the inverse of `patient_plane`.
int axis_of(const Geometry& geometry, PatientPlane plane);

/// Orientation of a slice's axes on the screen.
struct SliceTurn {
  bool transposed = false;   ///< the slice's y runs across the screen, its x down
  bool flip_across = false;  ///< the horizontal axis increases to the left
  bool flip_down = false;    ///< the vertical axis increases upwards
};
/// Radiological convention: the patient's right on the left and the front at the top (axial), the right on the left
/// and the head at the top (coronal), the front on the left and the head at the top (sagittal). Only swaps and flips
/// the volume's own axes; oblique ones are not rotated.
SliceTurn radiological_turn(const Geometry& geometry, int axis);

}  // namespace isolume::images
