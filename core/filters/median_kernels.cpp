// Vectors are kept in arrays, which scalable instruction sets do not allow.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/filters/median_kernels.cpp"
#include <algorithm>
#include <type_traits>
#include <utility>

#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/highway.h>

#include "core/filters/median_kernels.h"
#include "core/filters/networks.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::filters::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

/// Voxels of a row that are worked on together, so that what belongs to them stays in the nearest cache.
constexpr std::size_t chunk = 64;
constexpr std::size_t most_lanes = 16;
/// A part of a row with one voxel more at each side.
using Part = float[chunk + 2 + most_lanes];

/// Comparators [begin, end) of a network, each at places that the compiler knows.
template <const auto& network, std::size_t begin, std::size_t... I>
HWY_INLINE void ApplyAt(Vector* v, std::index_sequence<I...>) {
  const auto compare = [](Vector& a, Vector& b) HWY_ATTR {
    const Vector low = hn::Min(a, b);
    b = hn::Max(a, b);
    a = low;
  };
  (compare(v[network[begin + I].low], v[network[begin + I].high]), ...);
}
template <const auto& network, std::size_t begin = 0, std::size_t end = network.size()>
HWY_INLINE void Apply(Vector* v) {
  ApplyAt<network, begin>(v, std::make_index_sequence<end - begin>());
}

/// A view of a volume whose indices are clamped to its border.
struct Clamped {
  const float* values;
  int nx, ny, nz;

  HWY_INLINE void Copy(int x, int y, int z, std::size_t size, float* to) const {
    const float* row =
        values + static_cast<std::size_t>(nx) *
                     (static_cast<std::size_t>(std::clamp(z, 0, nz - 1)) * static_cast<std::size_t>(ny) +
                      static_cast<std::size_t>(std::clamp(y, 0, ny - 1)));
    std::size_t i = 0;
    for (; x < 0 && i < size; ++i, ++x) to[i] = row[0];
    const std::size_t inside = std::min(size - i, static_cast<std::size_t>(std::max(nx - x, 0)));
    std::copy_n(row + x, inside, to + i);
    std::fill(to + i + inside, to + size, row[nx - 1]);
  }
};

/// For each voxel of a part of a row, the nine values of its neighbours along x and z, sorted.
struct Nines {
  alignas(64) float sorted[9][chunk];

  HWY_INLINE void Set(const Clamped& image, int x, int y, int z) {
    const Floats d;
    alignas(64) Part rows[3], triples[3];
    for (std::size_t k = 0; k < 3; ++k)
      image.Copy(x - 1, y, z - 1 + static_cast<int>(k), chunk + 2 + most_lanes, rows[k]);
    for (std::size_t i = 0; i < chunk + 2; i += hn::Lanes(d)) {
      Vector v[3];
      for (std::size_t k = 0; k < 3; ++k) v[k] = hn::LoadU(d, rows[k] + i);
      Apply<sort_three>(v);
      for (std::size_t k = 0; k < 3; ++k) hn::StoreU(v[k], d, triples[k] + i);
    }
    for (std::size_t i = 0; i < chunk; i += hn::Lanes(d)) {
      Vector v[9];
      for (std::size_t k = 0; k < 9; ++k) v[k] = hn::LoadU(d, triples[k % 3] + i + k / 3);
      Apply<sort_nine, 9>(v);
      for (std::size_t k = 0; k < 9; ++k) hn::Store(v[k], d, sorted[k] + i);
    }
  }
};

/// The 14th of 18 merged values and 9 more: the least of max(13th + 1 - j of the 18, j-th of the 9) over j.
template <std::size_t... J>
HWY_INLINE Vector MedianWith(const Vector* merged, const Nines& third, std::size_t i,
                             std::index_sequence<J...>) {
  const Floats d;
  Vector median = merged[merge_nines.order[13]];
  ((median = hn::Min(median, hn::Max(merged[merge_nines.order[12 - J]], hn::Load(d, third.sorted[J] + i)))),
   ...);
  return median;
}

constexpr const auto& merge_comparators = merge_nines.comparators;

void MedianOf27(const float* values, const volumes::Counts& counts, int first, int last, int z,
                float* result) {
  const Floats d;
  const Clamped image{values, counts[0], counts[1], counts[2]};
  for (int x = 0; x < counts[0]; x += static_cast<int>(chunk)) {
    const std::size_t size = std::min(chunk, static_cast<std::size_t>(counts[0] - x));
    Nines nines[4];  // of row y at y & 3
    const auto of = [&nines](int y) -> Nines& { return nines[static_cast<unsigned>(y) & 3U]; };
    of(first - 1).Set(image, x, first - 1, z);
    of(first).Set(image, x, first, z);
    // Two rows of results share the merged neighbours of both.
    for (int y = first; y < last; y += 2) {
      of(y + 1).Set(image, x, y + 1, z);
      of(y + 2).Set(image, x, y + 2, z);
      alignas(64) float medians[2][chunk];
      for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
        Vector v[18];
        for (std::size_t k = 0; k < 9; ++k) {
          v[k] = hn::Load(d, of(y).sorted[k] + i);
          v[9 + k] = hn::Load(d, of(y + 1).sorted[k] + i);
        }
        Apply<merge_comparators>(v);
        hn::Store(MedianWith(v, of(y - 1), i, std::make_index_sequence<9>()), d, medians[0] + i);
        hn::Store(MedianWith(v, of(y + 2), i, std::make_index_sequence<9>()), d, medians[1] + i);
      }
      for (int k = 0; k < 2 && y + k < last; ++k) {
        float* row = result + static_cast<std::size_t>(counts[0]) *
                                  (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts[1]) +
                                   static_cast<std::size_t>(y + k));
        std::copy_n(medians[k], size, row + x);
      }
    }
  }
}

void MedianOfFew(const float* values, const volumes::Counts& counts, const std::array<int, 3>& radius,
                 int first, int last, int z, float* result) {
  const Floats d;
  const Clamped image{values, counts[0], counts[1], counts[2]};
  for (int y = first; y < last; ++y) {
    float* row = result + static_cast<std::size_t>(counts[0]) *
                              (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts[1]) +
                               static_cast<std::size_t>(y));
    for (int x = 0; x < counts[0]; x += static_cast<int>(chunk)) {
      Part parts[9];
      const float* from[9];
      std::size_t rows = 0, used = 0;
      for (int k = -radius[2]; k <= radius[2]; ++k) {
        for (int j = -radius[1]; j <= radius[1]; ++j, ++rows) {
          image.Copy(x - 1, y + j, z + k, chunk + 2 + most_lanes, parts[rows]);
          for (int i = -radius[0]; i <= radius[0]; ++i) from[used++] = parts[rows] + 1 + i;
        }
      }
      alignas(64) float medians[chunk];
      for (std::size_t i = 0; i < chunk; i += hn::Lanes(d)) {
        Vector v[9];
        for (std::size_t k = 0; k < used; ++k) v[k] = hn::LoadU(d, from[k] + i);
        if (used == 9) {
          Apply<sort_nine>(v);
        } else {
          Apply<sort_three>(v);
        }
        hn::Store(used == 9 ? v[4] : v[1], d, medians + i);
      }
      std::copy_n(medians, std::min(chunk, static_cast<std::size_t>(counts[0] - x)), row + x);
    }
  }
}

/// Bisects the ranks between the least and the greatest of the neighbours of two vectors of voxels.
template <class Rank>
void MedianRankRow(const RankBlock<Rank>& block, const std::array<int, 3>& radius, int count, Rank* result) {
  const hn::ScalableTag<Rank> d;
  using Unsigned = std::make_unsigned_t<Rank>;
  const hn::ScalableTag<Unsigned> du;
  using Ranks = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const auto wide = static_cast<std::size_t>(2 * radius[0] + 1),
             high = static_cast<std::size_t>(2 * radius[1] + 1);
  const auto deep = static_cast<std::size_t>(2 * radius[2] + 1);
  const Ranks half = hn::Set(d, static_cast<Rank>(wide * high * deep / 2));
  for (std::size_t x = 0; x < static_cast<std::size_t>(count); x += 2 * lanes) {
    const auto for_each = [&](const auto& visit) HWY_ATTR {
      for (std::size_t k = 0; k < deep; ++k) {
        for (std::size_t j = 0; j < high; ++j) {
          const Rank* from = block.ranks + k * block.plane + j * block.row + x;
          for (std::size_t i = 0; i < wide; ++i)
            visit(hn::LoadU(d, from + i), hn::LoadU(d, from + i + lanes));
        }
      }
    };
    Ranks low0 = hn::LoadU(d, block.ranks + x), high0 = low0;
    Ranks low1 = hn::LoadU(d, block.ranks + x + lanes), high1 = low1;
    for_each([&](Ranks a, Ranks b) HWY_ATTR {
      low0 = hn::Min(low0, a);
      high0 = hn::Max(high0, a);
      low1 = hn::Min(low1, b);
      high1 = hn::Max(high1, b);
    });
    // The median is the least rank with no more than half of the neighbours above it.
    const auto middle = [&](Ranks low, Ranks up) HWY_ATTR {
      return hn::Add(low, hn::BitCast(d, hn::ShiftRight<1>(hn::BitCast(du, hn::Sub(up, low)))));
    };
    while (!hn::AllTrue(d, hn::And(hn::Eq(low0, high0), hn::Eq(low1, high1)))) {
      const Ranks middle0 = middle(low0, high0), middle1 = middle(low1, high1);
      Ranks above0 = hn::Zero(d), above1 = hn::Zero(d);
      for_each([&](Ranks a, Ranks b) HWY_ATTR {
        above0 = hn::Sub(above0, hn::VecFromMask(d, hn::Gt(a, middle0)));
        above1 = hn::Sub(above1, hn::VecFromMask(d, hn::Gt(b, middle1)));
      });
      const Ranks one = hn::Set(d, Rank{1});
      const auto is_higher0 = hn::Gt(above0, half), is_higher1 = hn::Gt(above1, half);
      low0 = hn::IfThenElse(is_higher0, hn::Add(middle0, one), low0);
      high0 = hn::IfThenElse(is_higher0, high0, middle0);
      low1 = hn::IfThenElse(is_higher1, hn::Add(middle1, one), low1);
      high1 = hn::IfThenElse(is_higher1, high1, middle1);
    }
    hn::StoreU(low0, d, result + x);
    hn::StoreU(low1, d, result + x + lanes);
  }
}

void MedianRankRow16(const RankBlock<std::int16_t>& block, const std::array<int, 3>& radius, int count,
                     std::int16_t* result) {
  MedianRankRow(block, radius, count, result);
}
void MedianRankRow32(const RankBlock<std::int32_t>& block, const std::array<int, 3>& radius, int count,
                     std::int32_t* result) {
  MedianRankRow(block, radius, count, result);
}

}  // namespace isolume::filters::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::filters {

HWY_EXPORT(MedianOf27);
HWY_EXPORT(MedianOfFew);
HWY_EXPORT(MedianRankRow16);
HWY_EXPORT(MedianRankRow32);

void median_of_27(const float* image, const volumes::Counts& counts, int first, int last, int z,
                  float* result) {
  HWY_DYNAMIC_DISPATCH(MedianOf27)(image, counts, first, last, z, result);
}

void median_of_few(const float* image, const volumes::Counts& counts, const std::array<int, 3>& radius,
                   int first, int last, int z, float* result) {
  HWY_DYNAMIC_DISPATCH(MedianOfFew)(image, counts, radius, first, last, z, result);
}

void median_rank_row(const RankBlock<std::int16_t>& block, const std::array<int, 3>& radius, int count,
                     std::int16_t* result) {
  HWY_DYNAMIC_DISPATCH(MedianRankRow16)(block, radius, count, result);
}

void median_rank_row(const RankBlock<std::int32_t>& block, const std::array<int, 3>& radius, int count,
                     std::int32_t* result) {
  HWY_DYNAMIC_DISPATCH(MedianRankRow32)(block, radius, count, result);
}

}  // namespace isolume::filters
#endif
