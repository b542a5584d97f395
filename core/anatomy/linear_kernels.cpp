// Vectors are kept in loops that scalable instruction sets would need written otherwise.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/anatomy/linear_kernels.cpp"
#include <algorithm>

#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/highway.h>

#include "core/anatomy/linear_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::anatomy::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;

constexpr int part_length = 256;  ///< points at once, for buffers on the stack

/// Adds the sums of a b x^k, k from 0 to `moments` - 1. `count` is a multiple of a vector's length.
template <int moments>
HWY_INLINE void AddMoments(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, int first, int count,
                           double* sums) {
  const Floats d;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  auto x = hn::Add(hn::Iota(d, 0.F), hn::Set(d, static_cast<float>(first)));
  const auto step = hn::Set(d, static_cast<float>(lanes));
  auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d);
  for (int i = 0; i < count; i += lanes) {
    const auto product = hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
    const auto moment = hn::Mul(product, x);
    s0 = hn::Add(s0, product);
    s1 = hn::Add(s1, moment);
    if constexpr (moments == 3) s2 = hn::MulAdd(moment, x, s2);
    x = hn::Add(x, step);
  }
  sums[0] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s0)));
  sums[1] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s1)));
  if constexpr (moments == 3) sums[2] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s2)));
}

void AddRowMoments(const float* row, const float* weights, int first, int last, int count, float x_per_mm,
                   const Neighbours& along_y, const Neighbours& along_z, RowMoments& moments) {
  const auto lanes = static_cast<int>(hn::Lanes(Floats()));
  for (int begin = first; begin < last; begin += part_length) {
    const int length = std::min(part_length, last - begin);
    float g[3][part_length], w[part_length];
    const float* HWY_RESTRICT from = row + begin;
    for (int i = 0; i < length; ++i) {
      const int before = begin + i > 0 ? i - 1 : i, after = begin + i + 1 < count ? i + 1 : i;
      g[0][i] = (from[after] - from[before]) * (after - before == 2 ? 0.5F * x_per_mm : x_per_mm);
      g[1][i] = along_y.per_mm * (from[along_y.after + i] - from[along_y.before + i]);
      g[2][i] = along_z.per_mm * (from[along_z.after + i] - from[along_z.before + i]);
    }
    std::copy_n(weights + (begin - first), length, w);
    const int padded = (length + lanes - 1) / lanes * lanes;
    for (float* each : {g[0], g[1], g[2], w}) std::fill(each + length, each + padded, 0.F);
    for (int axis = 0; axis < 3; ++axis) {
      AddMoments<2>(w, g[axis], begin, padded, moments.weighted[axis]);
      AddMoments<3>(g[axis], g[axis], begin, padded, moments.products[axis]);
    }
    AddMoments<3>(g[0], g[1], begin, padded, moments.products[3]);
    AddMoments<3>(g[0], g[2], begin, padded, moments.products[4]);
    AddMoments<3>(g[1], g[2], begin, padded, moments.products[5]);
  }
}

}  // namespace isolume::anatomy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::anatomy {

HWY_EXPORT(AddRowMoments);

void add_row_moments(const float* row, const float* weights, int first, int last, int count, float x_per_mm,
                     const Neighbours& along_y, const Neighbours& along_z, RowMoments& moments) {
  HWY_DYNAMIC_DISPATCH(AddRowMoments)
  (row, weights, first, last, count, x_per_mm, along_y, along_z, moments);
}

}  // namespace isolume::anatomy
#endif
