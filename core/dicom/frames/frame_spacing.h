#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/dicom/frames/frame_attributes.h"
#include "core/images/geometry.h"

namespace isolume::dicom {

/// The size of a frame's pixels in x and y. Remarks report what the size refers to if not to the patient, and
/// assumptions. Throws InputError if a value is not a number.
Eigen::Vector2d spacing_of(const FrameAttributes& frame);

/// The regions of an ultrasound image (PS3.3 C.8.5.5); empty if one scale holds everywhere.
std::vector<images::ScaledRegion> regions_of(const FrameAttributes& frame);

/// The distance to the next frame, as stated in the file; 0 if it is not.
double step_of(const FrameAttributes& frame);

}  // namespace isolume::dicom
