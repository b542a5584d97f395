#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/images/frame_attributes.h"
#include "core/images/geometry.h"

namespace isolume::images {

/// How large a frame's pixels are, in x and y. Says in remarks what it is the size of where that is not the patient, and
/// what was assumed. Throws InputError where a value is not a number.
Eigen::Vector2d spacing_of(const FrameAttributes& frame);

/// The regions of an ultrasound image (PS3.3 C.8.5.5), where they do not all have one scale; empty otherwise.
std::vector<ScaledRegion> regions_of(const FrameAttributes& frame);

/// The distance to the next frame, as the file says; 0 where it does not.
double step_of(const FrameAttributes& frame);

}  // namespace isolume::images
