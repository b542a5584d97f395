#pragma once

#include <cstdint>
#include <vector>

#include "app/opengl/shader_program.h"

namespace isolume::opengl {

/// Colours of sRGB as light: what adds up, and what HdrTarget holds.
Vector3 light_of(std::uint32_t srgb);

/// 256 colours as light, from the lowest value to the highest: viridis (core/base/viridis.h), even in lightness and
/// safe for colour blindness.
std::vector<Vector3> sequential_colours();
/// Colours that stay apart for the colour-blind (Okabe and Ito 2008), for things that are told from each other; none
/// of them is dark.
std::vector<Vector3> distinct_colours();

}  // namespace isolume::opengl
