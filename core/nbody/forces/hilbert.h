#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace isolume::nbody {

inline constexpr int hilbert_levels = 21;

/// Index of a point of a grid of 2^21 points a side along the Hilbert curve: 63 bits, of which the first 3 k are the
/// same within a cell of level k of the octree; neighbours along the curve are neighbours in space. Skilling, AIP
/// Conf. Proc. 707, 381 (2004).
std::uint64_t hilbert_number(std::array<std::uint32_t, 3> place);

/// Grid points as separate coordinate arrays, for vectorised code.
struct GridPlaces {
  static constexpr std::size_t capacity = 256;
  alignas(64) std::uint32_t x[capacity] = {}, y[capacity] = {}, z[capacity] = {};
};
/// hilbert_number() of the first points, one for each of `numbers`; the points are overwritten.
void hilbert_numbers(GridPlaces& places, std::span<std::uint64_t> numbers);
/// Transforms coordinates in place such that interleaving their bits gives the numbers.
void turn_along_curve(GridPlaces& places, std::size_t count);

}  // namespace isolume::nbody
