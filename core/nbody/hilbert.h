#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace isolume::nbody {

inline constexpr int hilbert_levels = 21;

/// Where a point of a grid of 2^21 points a side comes along Hilbert's curve: numbers of 63 bits, of which the
/// first 3 k are the same within a cell of level k of the octree, and the curve's neighbours are neighbours in
/// space. Skilling, AIP Conf. Proc. 707, 381 (2004).
std::uint64_t hilbert_number(std::array<std::uint32_t, 3> place);

/// Points of the grid, for vectors of them.
struct GridPlaces {
  static constexpr std::size_t capacity = 256;
  alignas(64) std::uint32_t x[capacity] = {}, y[capacity] = {}, z[capacity] = {};
};
/// hilbert_number() of the first of them, one for each of `numbers`; they are used up.
void hilbert_numbers(GridPlaces& places, std::span<std::uint64_t> numbers);
/// Turns their coordinates into those whose bits, one of each in turn, are the numbers.
void turn_along_curve(GridPlaces& places, std::size_t count);

}  // namespace isolume::nbody
