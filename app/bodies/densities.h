#pragma once

#include <span>
#include <vector>

namespace isolume::bodies {

/// About how densely the bodies lie at each of them, for colours: mass divided by volume on a grid of 64 cells a side
/// around nine tenths of the bodies, shared out and read linearly between the middles of cells (cloud in cell). Three
/// coordinates a body; bodies outside the grid have the smallest density that there is inside. Above 0 throughout.
std::vector<float> densities(std::span<const float> positions, std::span<const float> masses);

}  // namespace isolume::bodies
