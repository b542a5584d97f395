// Vectors are kept in buffers of a fixed length, which scalable instruction sets do not allow.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/filters/stencil_kernels.cpp"
#include <algorithm>
#include <cmath>

#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/highway.h>

#include "core/filters/stencil_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::filters::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t most_lanes = 16;

// Where a loop is plain, the compiler makes vectors of it.

/// The compiler leaves std::sqrt of a loop scalar, since it may set errno.
HWY_INLINE void SqrtRow(float* values, std::size_t count) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::Sqrt(hn::LoadU(d, values + i)), d, values + i);
  for (; i < count; ++i) values[i] = std::sqrt(values[i]);
}

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

/// 2^x for x from -126 to 0, smaller ones as -126; relative error 1e-7 (polynomial of Cephes' exp2f, S. L. Moshier).
HWY_INLINE Vector Exp2(Vector x) {
  const Floats d;
  const hn::RebindToSigned<Floats> whole_numbers;
  x = hn::Max(x, hn::Set(d, -126.F));
  const auto whole = hn::NearestInt(x);
  const Vector rest = hn::Sub(x, hn::ConvertTo(d, whole));
  Vector power = hn::Set(d, 1.535336188319500E-4F);
  for (const float coefficient : {1.339887440266574E-3F, 9.618437357674640E-3F, 5.550332471162809E-2F,
                                  2.402264791363012E-1F, 6.931472028550421E-1F, 1.F})
    power = hn::MulAdd(power, rest, hn::Set(d, coefficient));
  return hn::BitCast(d, hn::Add(hn::BitCast(whole_numbers, power), hn::ShiftLeft<23>(whole)));
}

void WeightedSum(std::span<const float* const> rows, std::span<const float> weights, int count,
                 float* result) {
  constexpr std::size_t block = 64;
  const auto all = static_cast<std::size_t>(count);
  for (std::size_t begin = 0; begin < all; begin += block) {
    const std::size_t size = all - begin < block ? all - begin : block;
    float sums[block] = {};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const float* HWY_RESTRICT row = rows[k] + begin;
      const float weight = weights[k];
      for (std::size_t i = 0; i < size; ++i) sums[i] += weight * row[i];
    }
    for (std::size_t i = 0; i < size; ++i) result[begin + i] = sums[i];
  }
}

void DifferenceLength(const std::array<const float*, 3>& low, const std::array<const float*, 3>& high,
                      const std::array<float, 3>& factors, int count, float* HWY_RESTRICT result) {
  const float *HWY_RESTRICT x0 = low[0], *HWY_RESTRICT y0 = low[1], *HWY_RESTRICT z0 = low[2];
  const float *HWY_RESTRICT x1 = high[0], *HWY_RESTRICT y1 = high[1], *HWY_RESTRICT z1 = high[2];
  const float fx = factors[0], fy = factors[1], fz = factors[2];
  for (int i = 0; i < count; ++i) {
    const float dx = fx * (x1[i] - x0[i]), dy = fy * (y1[i] - y0[i]), dz = fz * (z1[i] - z0[i]);
    result[i] = dx * dx + dy * dy + dz * dz;
  }
  SqrtRow(result, static_cast<std::size_t>(count));
}

/// conductance(d^2) factor d for the differences d of two rows.
template <class ConductanceOf>
HWY_INLINE void FluxOf(const ConductanceOf& conductance_of, const float* from, const float* to, float factor,
                       std::size_t count, float* result) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto set = [&](const float* a, const float* b, float* c) HWY_ATTR {
    const Vector difference = hn::Sub(hn::LoadU(d, b), hn::LoadU(d, a));
    const Vector conductance = conductance_of(hn::Mul(difference, difference));
    hn::StoreU(hn::Mul(conductance, hn::Mul(difference, hn::Set(d, factor))), d, c);
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) set(from + i, to + i, result + i);
  if (i == count) return;
  float ends[3][most_lanes] = {};
  std::copy(from + i, from + count, ends[0]);
  std::copy(to + i, to + count, ends[1]);
  set(ends[0], ends[1], ends[2]);
  std::copy_n(ends[2], count - i, result + i);
}

void Flux(Conductance conductance, const float* from, const float* to, float scale, float factor, int count,
          float* result) {
  const Floats d;
  const auto all = static_cast<std::size_t>(count);
  if (conductance == Conductance::exponential) {
    const float scale2 = -1.44269504F * scale * scale;  // log2(e)
    FluxOf([&](Vector square) HWY_ATTR { return Exp2(hn::Mul(square, hn::Set(d, scale2))); }, from, to,
           factor, all, result);
  } else {
    const float scale2 = scale * scale;
    FluxOf(
        [&](Vector square) HWY_ATTR {
          const Vector one = hn::Set(d, 1.F);
          return hn::Div(one, hn::MulAdd(square, hn::Set(d, scale2), one));
        },
        from, to, factor, all, result);
  }
}

void AddDivergence(const float* HWY_RESTRICT image, const float* HWY_RESTRICT x,
                   const std::array<const float*, 2>& y, const std::array<const float*, 2>& z, int count,
                   float* HWY_RESTRICT result) {
  const float *HWY_RESTRICT y0 = y[0], *HWY_RESTRICT y1 = y[1];
  const float *HWY_RESTRICT z0 = z[0], *HWY_RESTRICT z1 = z[1];
  for (int i = 0; i < count; ++i)
    result[i] = image[i] + ((x[i + 1] - x[i]) + (y1[i] - y0[i]) + (z1[i] - z0[i]));
}

void BilateralRow(const float* image, std::span<const Neighbour> neighbours, float scale, int count,
                  float* result) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d), all = static_cast<std::size_t>(count);
  const Vector minus_scale = hn::Set(d, -scale);
  const auto add = [&](const float* from, Vector centre, Vector minus_exponent, Vector& sum,
                       Vector& weights) HWY_ATTR {
    const Vector value = hn::LoadU(d, from), difference = hn::Sub(value, centre);
    const Vector weight = Exp2(hn::MulAdd(hn::Mul(difference, difference), minus_scale, minus_exponent));
    sum = hn::MulAdd(weight, value, sum);
    weights = hn::Add(weights, weight);
  };
  // Two vectors at a time, whose operations overlap. Beyond the end of the row the image is padded.
  for (std::size_t i = 0; i < all; i += 2 * lanes) {
    const float* here = image + i;
    const Vector centre0 = hn::LoadU(d, here), centre1 = hn::LoadU(d, here + lanes);
    Vector sum0 = centre0, sum1 = centre1, weights0 = hn::Set(d, 1.F), weights1 = weights0;
    for (const Neighbour& each : neighbours) {
      const Vector minus_exponent = hn::Set(d, -each.exponent);
      add(here + each.offset, centre0, minus_exponent, sum0, weights0);
      add(here + each.offset + lanes, centre1, minus_exponent, sum1, weights1);
    }
    float means[2 * most_lanes];
    hn::StoreU(hn::Div(sum0, weights0), d, means);
    hn::StoreU(hn::Div(sum1, weights1), d, means + lanes);
    std::copy_n(means, std::min(2 * lanes, all - i), result + i);
  }
}

void DualStep(const float* HWY_RESTRICT image, const float* HWY_RESTRICT next_y,
              const float* HWY_RESTRICT next_z, const std::array<float, 3>& steps, int count,
              const VectorRow<float>& p) {
  constexpr std::size_t block = 256;
  const auto all = static_cast<std::size_t>(count);
  const float sx = steps[0], sy = steps[1], sz = steps[2];
  for (std::size_t begin = 0; begin < all; begin += block) {
    const std::size_t size = all - begin < block ? all - begin : block;
    const bool is_last = begin + size == all;
    const float* HWY_RESTRICT v = image + begin;
    const float *HWY_RESTRICT vy = next_y + begin, *HWY_RESTRICT vz = next_z + begin;
    float *HWY_RESTRICT px = p[0] + begin, *HWY_RESTRICT py = p[1] + begin, *HWY_RESTRICT pz = p[2] + begin;
    float lengths[block];
    for (std::size_t i = 0; i + (is_last ? 1 : 0) < size; ++i) px[i] += sx * (v[i + 1] - v[i]);
    for (std::size_t i = 0; i < size; ++i) {
      py[i] += sy * (vy[i] - v[i]);
      pz[i] += sz * (vz[i] - v[i]);
      const float length2 = px[i] * px[i] + py[i] * py[i] + pz[i] * pz[i];
      lengths[i] = length2 > 1.F ? length2 : 1.F;
    }
    SqrtRow(lengths, size);
    for (std::size_t i = 0; i < size; ++i) {
      const float factor = 1.F / lengths[i];
      px[i] *= factor;
      py[i] *= factor;
      pz[i] *= factor;
    }
  }
}

void Divergence(const VectorRow<const float>& p, const float* before_y, const float* before_z,
                const std::array<float, 3>& inverse_spacing, int count, float* HWY_RESTRICT result) {
  const float *HWY_RESTRICT x = p[0], *HWY_RESTRICT y = p[1], *HWY_RESTRICT z = p[2];
  const float fx = inverse_spacing[0], fy = inverse_spacing[1], fz = inverse_spacing[2];
  result[0] = fx * x[0];
  for (int i = 1; i < count; ++i) result[i] = fx * (x[i] - x[i - 1]);
  for (int i = 0; i < count; ++i) result[i] += fy * y[i] + fz * z[i];
  if (before_y != nullptr) {
    for (int i = 0; i < count; ++i) result[i] -= fy * before_y[i];
  }
  if (before_z != nullptr) {
    for (int i = 0; i < count; ++i) result[i] -= fz * before_z[i];
  }
}

void PrimalStep(const float* HWY_RESTRICT divergence, const float* HWY_RESTRICT noisy, float step,
                float weight, float theta, int count, float* HWY_RESTRICT u,
                float* HWY_RESTRICT extrapolated) {
  const float pull = step * weight, share = 1 / (1 + pull);
  for (int i = 0; i < count; ++i) {
    const float next = share * (u[i] + step * divergence[i] + pull * noisy[i]);
    extrapolated[i] = next + theta * (next - u[i]);
    u[i] = next;
  }
}

/// Partial sums, which a vector holds.
constexpr std::size_t sum_lanes = 8;

template <class Term>
HWY_INLINE double SumOf(int count, const Term& term) {
  double sums[sum_lanes] = {};
  const auto all = static_cast<std::size_t>(count);
  std::size_t i = 0;
  for (; i + sum_lanes <= all; i += sum_lanes) {
    for (std::size_t l = 0; l < sum_lanes; ++l) sums[l] += term(i + l);
  }
  double total = 0;
  for (; i < all; ++i) total += term(i);
  for (const double each : sums) total += each;
  return total;
}

double Sum(const float* values, int count) {
  return SumOf(count, [values](std::size_t i) HWY_ATTR { return static_cast<double>(values[i]); });
}

double SquaredDistance(const float* a, const float* b, int count) {
  return SumOf(count, [a, b](std::size_t i) HWY_ATTR {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    return difference * difference;
  });
}

double DualSum(const float* d, const float* b, double scale, int count) {
  return SumOf(count, [=](std::size_t i) HWY_ATTR {
    const auto each = static_cast<double>(d[i]);
    return each * (each * scale + static_cast<double>(b[i]));
  });
}

}  // namespace isolume::filters::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::filters {

HWY_EXPORT(WeightedSum);
HWY_EXPORT(DifferenceLength);
HWY_EXPORT(Flux);
HWY_EXPORT(AddDivergence);
HWY_EXPORT(BilateralRow);
HWY_EXPORT(DualStep);
HWY_EXPORT(Divergence);
HWY_EXPORT(PrimalStep);
HWY_EXPORT(Sum);
HWY_EXPORT(SquaredDistance);
HWY_EXPORT(DualSum);

void weighted_sum(std::span<const float* const> rows, std::span<const float> weights, int count,
                  float* result) {
  HWY_DYNAMIC_DISPATCH(WeightedSum)(rows, weights, count, result);
}

void difference_length(const std::array<const float*, 3>& low, const std::array<const float*, 3>& high,
                       const std::array<float, 3>& factors, int count, float* result) {
  HWY_DYNAMIC_DISPATCH(DifferenceLength)(low, high, factors, count, result);
}

void flux(Conductance conductance, const float* from, const float* to, float scale, float factor, int count,
          float* result) {
  HWY_DYNAMIC_DISPATCH(Flux)(conductance, from, to, scale, factor, count, result);
}

void add_divergence(const float* image, const float* x, const std::array<const float*, 2>& y,
                    const std::array<const float*, 2>& z, int count, float* result) {
  HWY_DYNAMIC_DISPATCH(AddDivergence)(image, x, y, z, count, result);
}

void bilateral_row(const float* image, std::span<const Neighbour> neighbours, float scale, int count,
                   float* result) {
  HWY_DYNAMIC_DISPATCH(BilateralRow)(image, neighbours, scale, count, result);
}

void dual_step(const float* image, const float* next_y, const float* next_z,
               const std::array<float, 3>& steps, int count, const VectorRow<float>& p) {
  HWY_DYNAMIC_DISPATCH(DualStep)(image, next_y, next_z, steps, count, p);
}

void divergence(const VectorRow<const float>& p, const float* before_y, const float* before_z,
                const std::array<float, 3>& inverse_spacing, int count, float* result) {
  HWY_DYNAMIC_DISPATCH(Divergence)(p, before_y, before_z, inverse_spacing, count, result);
}

void primal_step(const float* divergence, const float* noisy, float step, float weight, float theta,
                 int count, float* u, float* extrapolated) {
  HWY_DYNAMIC_DISPATCH(PrimalStep)(divergence, noisy, step, weight, theta, count, u, extrapolated);
}

double sum(const float* values, int count) {
  return HWY_DYNAMIC_DISPATCH(Sum)(values, count);
}

double squared_distance(const float* a, const float* b, int count) {
  return HWY_DYNAMIC_DISPATCH(SquaredDistance)(a, b, count);
}

double dual_sum(const float* d, const float* b, double scale, int count) {
  return HWY_DYNAMIC_DISPATCH(DualSum)(d, b, scale, count);
}

}  // namespace isolume::filters
#endif
