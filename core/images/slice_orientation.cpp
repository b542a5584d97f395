#include "core/images/slice_orientation.h"

#include <algorithm>

namespace isolume::images {

PatientPlane patient_plane(const Geometry& geometry, int axis) {
  const auto axes = axes_nearest_to_patient(geometry);
  return static_cast<PatientPlane>(std::ranges::find(axes, axis) - axes.begin());
}

int axis_of(const Geometry& geometry, PatientPlane plane) {
  return axes_nearest_to_patient(geometry)[static_cast<std::size_t>(plane)];
}

SliceTurn radiological_turn(const Geometry& geometry, int axis) {
  const auto axes = axes_nearest_to_patient(geometry);
  const PatientPlane plane = patient_plane(geometry, axis);
  // Signs of the patient's axes L, P, H that increase to the right of the screen, and downwards or upwards.
  const int patient_across = plane == PatientPlane::sagittal ? 1 : 0;
  const int patient_down = plane == PatientPlane::axial ? 1 : 2;
  const int across = axes[static_cast<std::size_t>(patient_across)],
            down = axes[static_cast<std::size_t>(patient_down)];
  const bool grows_down = geometry.step(patient_down, down) >= 0;
  return {.transposed = across > down,
          .flip_across = geometry.step(patient_across, across) < 0,
          .flip_down = plane == PatientPlane::axial ? !grows_down : grows_down};
}

}  // namespace isolume::images
