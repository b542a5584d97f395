#pragma once

#include "core/images/geometry.h"

namespace isolume::images {

enum class PatientPlane { sagittal, coronal, axial };

/// Which of the patient's planes the slices across this axis of the volume are nearest to; a different one
/// for each axis, whatever the obliqueness.
PatientPlane patient_plane(const Geometry& geometry, int axis);
/// The axis whose slices are nearest to the plane; the inverse of `patient_plane`.
int axis_of(const Geometry& geometry, PatientPlane plane);

/// How a slice's axes lie on the screen.
struct SliceTurn {
  bool transposed = false;   ///< the slice's y runs across the screen, its x down
  bool flip_across = false;  ///< what runs across the screen grows to the left
  bool flip_down = false;    ///< what runs down the screen grows upwards
};
/// As radiologists look at slices: the patient's right on the left and the front above (axial), the right on
/// the left and the head above (coronal), the front on the left and the head above (sagittal). By swapping
/// and flipping the volume's own axes; oblique ones are not turned.
SliceTurn radiological_turn(const Geometry& geometry, int axis);

}  // namespace isolume::images
