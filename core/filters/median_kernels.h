#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/volumes/counts.h"

namespace isolume::filters {

/// Rows `first` to before `last` of plane z of the median over 3 x 3 x 3 voxels; beyond the border, the nearest value inside.
void median_of_27(const float* image, const volumes::Counts& counts, int first, int last, int z,
                  float* result);
/// The same over 3 or 9 voxels: each radius is 0 or 1, one or two of them 1.
void median_of_few(const float* image, const volumes::Counts& counts, const std::array<int, 3>& radius,
                   int first, int last, int z, float* result);

/// Numbers that follow a row of a block of ranks, which vectors may read.
inline constexpr std::size_t rank_overrun = 64;

/// A block of ranks with `radius` more of them at each side: rows of `row` numbers, planes of `plane`.
template <class Rank>
struct RankBlock {
  const Rank* ranks;
  std::size_t row, plane;
};
/// Medians of the ranks of a row of `count` voxels; the row's own first voxel has the neighbour (-radius) at `block.ranks`.
void median_rank_row(const RankBlock<std::int16_t>& block, const std::array<int, 3>& radius, int count,
                     std::int16_t* result);
void median_rank_row(const RankBlock<std::int32_t>& block, const std::array<int, 3>& radius, int count,
                     std::int32_t* result);

}  // namespace isolume::filters
