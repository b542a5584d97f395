#pragma once

#include <array>
#include <cstdint>

namespace isolume::nbody {

inline constexpr int hilbert_levels = 21;

/// Where a point of a grid of 2^21 points a side comes along Hilbert's curve: numbers of 63 bits, of which the
/// first 3 k are the same within a cell of level k of the octree, and the curve's neighbours are neighbours in
/// space. Skilling, AIP Conf. Proc. 707, 381 (2004).
std::uint64_t hilbert_number(std::array<std::uint32_t, 3> place);

}  // namespace isolume::nbody
