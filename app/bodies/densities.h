#pragma once

#include <span>
#include <vector>

namespace isolume::bodies {

/// Approximate density at each body, for colours: cloud-in-cell assignment and interpolation on a grid of 64
/// cells per side around nine tenths of the bodies. Three coordinates per body. Bodies outside the grid get
/// the smallest density inside. All densities are positive.
std::vector<float> densities(std::span<const float> positions, std::span<const float> masses);

}  // namespace isolume::bodies
