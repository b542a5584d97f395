// The inner product of the separable kernels, for one instruction set of Highway; included once for each.
#if defined(ISOLUME_CORE_ORBITALS_TILE_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ISOLUME_CORE_ORBITALS_TILE_PRODUCT_INL_H
#undef ISOLUME_CORE_ORBITALS_TILE_PRODUCT_INL_H
#else
#define ISOLUME_CORE_ORBITALS_TILE_PRODUCT_INL_H
#endif

#include <hwy/highway.h>

#include "core/orbitals/separable_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::orbitals::separable::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, tile_x>;
using Vector = hn::Vec<Tag>;
constexpr int lanes_x = static_cast<int>(hn::MaxLanes(Tag()));
constexpr int vectors_x = tile_x / lanes_x;
/// Rows (y, z) of one register tile: as many accumulators as fit into the registers next to the operands.
constexpr int tile_rows = lanes_x >= 16 ? 16 : lanes_x == 8 ? 4 : 2;

/// Adds A(x) B(row) to the values of a register tile.
HWY_INLINE void AddTerm(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
                        Vector (&sums)[tile_rows][vectors_x]) {
  const Tag d;
  Vector x[vectors_x];
#pragma GCC unroll 16
  for (int v = 0; v < vectors_x; ++v) x[v] = hn::Load(d, a + v * lanes_x);
#pragma GCC unroll 16
  for (int row = 0; row < tile_rows; ++row) {
    const Vector at_row = hn::Set(d, b[row]);
#pragma GCC unroll 16
    for (int v = 0; v < vectors_x; ++v) sums[row][v] = hn::MulAdd(x[v], at_row, sums[row][v]);
  }
}

}  // namespace isolume::orbitals::separable::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
