#pragma once

#include <cstdint>
#include <vector>

#include "app/opengl/shader_program.h"

namespace isolume::opengl {

/// sRGB colours in linear light, which adds up and which HdrTarget holds.
Vector3 light_of(std::uint32_t srgb);

/// 256 colours in linear light, from the lowest value to the highest: viridis (core/base/viridis.h),
/// perceptually uniform and safe for colour blindness.
std::vector<Vector3> sequential_colours();
/// Qualitative colours for colour-blind viewers (Okabe and Ito 2008); none of them is dark.
std::vector<Vector3> distinct_colours();

}  // namespace isolume::opengl
