#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/anatomy/bspline_kernels.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/highway.h>

#include "core/anatomy/bspline_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::anatomy::HWY_NAMESPACE {

// Plain loops, which the compiler makes vectors of.

void CombineRows(const std::array<const float*, 4>& rows, const std::array<float, 4>& weights, int count,
                 float* to) {
  const float *HWY_RESTRICT a = rows[0], *HWY_RESTRICT b = rows[1], *HWY_RESTRICT c = rows[2],
                            *HWY_RESTRICT d = rows[3];
  const float p = weights[0], q = weights[1], r = weights[2], s = weights[3];
  float* HWY_RESTRICT out = to;
  for (int i = 0; i < count; ++i) out[i] = p * a[i] + q * b[i] + r * c[i] + s * d[i];
}

void AddToRows(const float* values, const std::array<float, 4>& weights, int count,
               const std::array<float*, 4>& rows) {
  float *HWY_RESTRICT a = rows[0], *HWY_RESTRICT b = rows[1], *HWY_RESTRICT c = rows[2],
                      *HWY_RESTRICT d = rows[3];
  const float p = weights[0], q = weights[1], r = weights[2], s = weights[3];
  const float* HWY_RESTRICT from = values;
  for (int i = 0; i < count; ++i) {
    const float value = from[i];
    a[i] += p * value;
    b[i] += q * value;
    c[i] += r * value;
    d[i] += s * value;
  }
}

void AddProductsToRows(const float* x, const float* y, const std::array<float, 4>& weights, int count,
                       const std::array<float*, 4>& rows) {
  float *HWY_RESTRICT a = rows[0], *HWY_RESTRICT b = rows[1], *HWY_RESTRICT c = rows[2],
                      *HWY_RESTRICT d = rows[3];
  const float p = weights[0], q = weights[1], r = weights[2], s = weights[3];
  const float *HWY_RESTRICT first = x, *HWY_RESTRICT second = y;
  for (int i = 0; i < count; ++i) {
    const float value = first[i] * second[i];
    a[i] += p * value;
    b[i] += q * value;
    c[i] += r * value;
    d[i] += s * value;
  }
}

}  // namespace isolume::anatomy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::anatomy {

HWY_EXPORT(CombineRows);
HWY_EXPORT(AddToRows);
HWY_EXPORT(AddProductsToRows);

void combine_rows(const std::array<const float*, 4>& rows, const std::array<float, 4>& weights, int count,
                  float* to) {
  HWY_DYNAMIC_DISPATCH(CombineRows)(rows, weights, count, to);
}
void add_to_rows(const float* values, const std::array<float, 4>& weights, int count,
                 const std::array<float*, 4>& rows) {
  HWY_DYNAMIC_DISPATCH(AddToRows)(values, weights, count, rows);
}
void add_products_to_rows(const float* a, const float* b, const std::array<float, 4>& weights, int count,
                          const std::array<float*, 4>& rows) {
  HWY_DYNAMIC_DISPATCH(AddProductsToRows)(a, b, weights, count, rows);
}

}  // namespace isolume::anatomy
#endif
