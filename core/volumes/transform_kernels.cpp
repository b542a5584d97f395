// Vectors are kept in arrays, which scalable instruction sets do not allow.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/volumes/transform_kernels.cpp"
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/highway.h>

#include "core/base/field_values.h"
#include "core/volumes/transform_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::volumes::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

HWY_INLINE std::size_t Lanes() {
  return hn::Lanes(Floats());
}

struct Complex {
  Vector re, im;
};
HWY_INLINE Complex operator+(Complex a, Complex b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
HWY_INLINE Complex operator-(Complex a, Complex b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
/// a * (w[0] + i w[1])
HWY_INLINE Complex Times(Complex a, const float* w) {
  const Floats d;
  const Vector re = hn::Set(d, w[0]), im = hn::Set(d, w[1]);
  return {hn::NegMulAdd(a.im, im, hn::Mul(a.re, re)), hn::MulAdd(a.im, re, hn::Mul(a.re, im))};
}
/// -i a
HWY_INLINE Complex TimesMinusI(Complex a) {
  return {a.im, hn::Neg(a.re)};
}

/// Each vector of a line holds the same point of as many lines as it has lanes; points follow each other after `step`
/// numbers.
struct Line {
  float *re, *im;
  std::size_t step;
  HWY_INLINE Complex operator[](std::size_t point) const {
    const Floats d;
    return {hn::LoadU(d, re + point * step), hn::LoadU(d, im + point * step)};
  }
  HWY_INLINE void set(std::size_t point, Complex value) const {
    const Floats d;
    hn::StoreU(value.re, d, re + point * step);
    hn::StoreU(value.im, d, im + point * step);
  }
};

/// cos and sin of 2 pi k / R.
template <int R>
struct Roots;
template <>
struct Roots<3> {
  static constexpr float cosines[3] = {1, -0.5F, -0.5F};
  static constexpr float sines[3] = {0, 0.8660254037844386F, -0.8660254037844386F};
};
template <>
struct Roots<5> {
  static constexpr float cosines[5] = {1, 0.3090169943749475F, -0.8090169943749475F, -0.8090169943749475F,
                                       0.3090169943749475F};
  static constexpr float sines[5] = {0, 0.9510565162951535F, 0.5877852522924731F, -0.5877852522924731F,
                                     -0.9510565162951535F};
};
template <>
struct Roots<7> {
  static constexpr float cosines[7] = {1,
                                       0.6234898018587336F,
                                       -0.2225209339563144F,
                                       -0.9009688679024191F,
                                       -0.9009688679024191F,
                                       -0.2225209339563144F,
                                       0.6234898018587336F};
  static constexpr float sines[7] = {0,
                                     0.7818314824680298F,
                                     0.9749279121818236F,
                                     0.4338837391175581F,
                                     -0.4338837391175581F,
                                     -0.9749279121818236F,
                                     -0.7818314824680298F};
};

/// The transform of R points, R odd: pairs of points share their products.
template <int R>
HWY_INLINE void Butterfly(Complex* a) {
  const Floats d;
  constexpr int half = (R - 1) / 2;
  const Complex zeroth = a[0];
  Complex sums[half], differences[half];
  for (int k = 0; k < half; ++k) {
    sums[k] = a[k + 1] + a[R - 1 - k];
    differences[k] = a[k + 1] - a[R - 1 - k];
  }
  for (int k = 0; k < half; ++k) a[0] = a[0] + sums[k];
  for (int m = 1; m <= half; ++m) {
    Complex even = zeroth, odd{hn::Zero(d), hn::Zero(d)};
    for (int k = 1; k <= half; ++k) {
      const Vector cosine = hn::Set(d, Roots<R>::cosines[m * k % R]);
      const Vector sine = hn::Set(d, Roots<R>::sines[m * k % R]);
      even = {hn::MulAdd(sums[k - 1].re, cosine, even.re), hn::MulAdd(sums[k - 1].im, cosine, even.im)};
      odd = {hn::MulAdd(differences[k - 1].re, sine, odd.re),
             hn::MulAdd(differences[k - 1].im, sine, odd.im)};
    }
    a[m] = even + TimesMinusI(odd);
    a[R - m] = even - TimesMinusI(odd);
  }
}
template <>
HWY_INLINE void Butterfly<2>(Complex* a) {
  const Complex b = a[0];
  a[0] = b + a[1];
  a[1] = b - a[1];
}
template <>
HWY_INLINE void Butterfly<4>(Complex* a) {
  const Complex even = a[0] + a[2], odd = a[1] + a[3];
  const Complex even_difference = a[0] - a[2], odd_difference = TimesMinusI(a[1] - a[3]);
  a[0] = even + odd;
  a[1] = even_difference + odd_difference;
  a[2] = even - odd;
  a[3] = even_difference - odd_difference;
}

template <int R>
void RunPass(const LinePlan::Pass& pass, Line from, Line to) {
  const Floats d;
  const auto groups = static_cast<std::size_t>(pass.groups), stride = static_cast<std::size_t>(pass.stride);
  const float* w = pass.twiddles.data();
  // Distances between the points of a butterfly; pointers instead of products of indices.
  const std::size_t in = stride * groups * from.step, out = stride * to.step;
  const float *in_re = from.re, *in_im = from.im;
  for (std::size_t j = 0; j < groups; ++j, w += 2 * (R - 1)) {
    float* out_re = to.re + R * out * j;
    float* out_im = to.im + R * out * j;
    for (std::size_t q = 0; q < stride; ++q) {
      Complex a[R];
      for (std::size_t k = 0; k < R; ++k) a[k] = {hn::LoadU(d, in_re + k * in), hn::LoadU(d, in_im + k * in)};
      Butterfly<R>(a);
      for (std::size_t k = 1; k < R; ++k) a[k] = Times(a[k], w + 2 * (k - 1));
      for (std::size_t k = 0; k < R; ++k) {
        hn::StoreU(a[k].re, d, out_re + k * out);
        hn::StoreU(a[k].im, d, out_im + k * out);
      }
      in_re += from.step;
      in_im += from.step;
      out_re += to.step;
      out_im += to.step;
    }
  }
}

void RunPass(const LinePlan::Pass& pass, Line from, Line to) {
  switch (pass.radix) {
    case 2:
      return RunPass<2>(pass, from, to);
    case 3:
      return RunPass<3>(pass, from, to);
    case 4:
      return RunPass<4>(pass, from, to);
    case 5:
      return RunPass<5>(pass, from, to);
    default:
      return RunPass<7>(pass, from, to);
  }
}

/// Memory of a thread for lines, and for rows of real numbers.
struct Scratch {
  FieldValues numbers;
  Line lines[3];
  float* rows;

  Scratch(std::size_t points, std::size_t row_points) {
    const std::size_t each = points * Lanes();
    numbers.resize(6 * each + row_points * Lanes());
    float* at = numbers.data();
    for (Line& line : lines) {
      line = {at, at + each, Lanes()};
      at += 2 * each;
    }
    rows = at;
  }
};
HWY_INLINE Scratch& ScratchFor(std::size_t points, std::size_t row_points) {
  thread_local std::unique_ptr<Scratch> scratch;
  thread_local std::size_t most = 0, most_of_rows = 0;
  if (!scratch || points > most || row_points > most_of_rows) {
    most = std::max(most, points);
    most_of_rows = std::max(most_of_rows, row_points);
    scratch = std::make_unique<Scratch>(most, most_of_rows);
  }
  return *scratch;
}

/// Transforms a line; `from` and `to` may be the same. The first pass reads it and the last one writes it where it is.
/// Uses the lines 0 and 1 of the memory, which may be `from`, but not `to`.
void TransformLines(const LinePlan& plan, Line from, Line to, const Scratch& scratch) {
  const std::size_t passes = plan.passes.size();
  if (passes < 2) {
    const Line other = scratch.lines[1];
    if (passes == 1) RunPass(plan.passes.front(), from, other);
    for (std::size_t i = 0; i < static_cast<std::size_t>(plan.count); ++i)
      to.set(i, passes == 1 ? other[i] : from[i]);
    return;
  }
  for (std::size_t i = 0; i < passes; ++i) {
    const Line next = i + 1 == passes ? to : scratch.lines[(i + 1) % 2];
    RunPass(plan.passes[i], from, next);
    from = next;
  }
}

/// to[i][r] = from[r][i] for `count` numbers i of each of the rows r, a vector's lanes of them.
HWY_INLINE void Transpose(const float* from, std::size_t from_step, float* to, std::size_t to_step,
                          std::size_t rows, std::size_t count) {
  std::size_t r = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<float, 4> d;
  const hn::Repartition<double, decltype(d)> pairs;
  for (; r + 4 <= rows; r += 4) {
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
      const float* at = from + r * from_step + i;
      const auto a = hn::LoadU(d, at), b = hn::LoadU(d, at + from_step);
      const auto c = hn::LoadU(d, at + 2 * from_step), e = hn::LoadU(d, at + 3 * from_step);
      const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
      const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
      const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
      const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
      float* into = to + i * to_step + r;
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_low, ce_low)), d, into);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_low, ce_low)), d, into + to_step);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_high, ce_high)), d, into + 2 * to_step);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_high, ce_high)), d, into + 3 * to_step);
    }
    for (; i < count; ++i) {
      for (std::size_t k = r; k < r + 4; ++k) to[i * to_step + k] = from[k * from_step + i];
    }
  }
#endif
  for (; r < rows; ++r) {
    for (std::size_t i = 0; i < count; ++i) to[i * to_step + r] = from[r * from_step + i];
  }
}

/// Even points become real parts, odd ones imaginary parts, of a line of half the length: transforms of real numbers
/// by one of complex numbers (W. H. Press et al., Numerical Recipes, 12.3).
void ForwardRows(const RowPlan& plan, const float* values, int row_count, float* modes, int row_length) {
  const Floats d;
  const std::size_t lanes = Lanes();
  const auto count = static_cast<std::size_t>(plan.count), points = static_cast<std::size_t>(plan.line.count);
  const auto length = static_cast<std::size_t>(row_length), rows = static_cast<std::size_t>(row_count);
  // The result has a mode more than a line of half the length has points.
  Scratch& scratch = ScratchFor(points + 1, count);
  Transpose(values, count, scratch.rows, lanes, rows, count);
  const std::size_t present = count / 2 + 1;
  const bool is_even = count % 2 == 0;
  const Line result = scratch.lines[2];
  if (is_even) {
    TransformLines(plan.line, {scratch.rows, scratch.rows + lanes, 2 * lanes}, result, scratch);
  } else {
    for (std::size_t k = 0; k < points; ++k)
      scratch.lines[0].set(k, {hn::LoadU(d, scratch.rows + k * lanes), hn::Zero(d)});
    TransformLines(plan.line, scratch.lines[0], result, scratch);
  }
  if (is_even) {
    const Complex first = result[0];
    const Vector half = hn::Set(d, 0.5F);
    for (std::size_t k = 1, opposite = points - 1; k <= opposite; ++k, --opposite) {
      const Complex a = result[k], b = result[opposite];
      // Transforms of the even points and of the odd ones: of b, conjugates.
      const Complex even{hn::Mul(half, hn::Add(a.re, b.re)), hn::Mul(half, hn::Sub(a.im, b.im))};
      const Complex odd{hn::Mul(half, hn::Add(a.im, b.im)), hn::Mul(half, hn::Sub(b.re, a.re))};
      const Complex turned = Times(odd, plan.twiddles.data() + 2 * k);
      result.set(k, even + turned);
      result.set(opposite, {hn::Sub(even.re, turned.re), hn::Sub(turned.im, even.im)});
    }
    result.set(0, {hn::Add(first.re, first.im), hn::Zero(d)});
    result.set(points, {hn::Sub(first.re, first.im), hn::Zero(d)});
  }
  Transpose(result.re, lanes, modes, 2 * length, present, rows);
  Transpose(result.im, lanes, modes + length, 2 * length, present, rows);
  for (std::size_t r = 0; r < 2 * rows; ++r) {
    for (std::size_t k = present; k < length; ++k) modes[r * length + k] = 0;
  }
}

void InverseRows(const RowPlan& plan, const float* modes, int row_length, int row_count, float scale,
                 float* values) {
  const Floats d;
  const std::size_t lanes = Lanes();
  const auto count = static_cast<std::size_t>(plan.count), points = static_cast<std::size_t>(plan.line.count);
  const auto length = static_cast<std::size_t>(row_length), rows = static_cast<std::size_t>(row_count);
  Scratch& scratch = ScratchFor(points + 1, count);
  const Line line = scratch.lines[0];
  const std::size_t present = count / 2 + 1;
  Transpose(modes, 2 * length, line.re, lanes, rows, present);
  Transpose(modes + length, 2 * length, line.im, lanes, rows, present);
  const Vector factor = hn::Set(d, scale);
  const auto scaled = [&](std::size_t k) HWY_ATTR {
    const Complex value = line[k];
    return Complex{hn::Mul(factor, value.re), hn::Mul(factor, value.im)};
  };
  // Real and imaginary parts are exchanged for the inverse transform.
  if (count % 2 == 0) {
    const Complex first = scaled(0), last = scaled(points);
    // The steps of ForwardRows backwards, twice as large.
    for (std::size_t k = 1, opposite = points - 1; k <= opposite; ++k, --opposite) {
      const Complex a = scaled(k), b = scaled(opposite);
      const Complex even{hn::Add(a.re, b.re), hn::Sub(a.im, b.im)};
      const float back[2] = {plan.twiddles[2 * k], -plan.twiddles[2 * k + 1]};
      const Complex odd = Times({hn::Sub(a.re, b.re), hn::Add(a.im, b.im)}, back);
      line.set(k, {hn::Sub(even.re, odd.im), hn::Add(even.im, odd.re)});
      line.set(opposite, {hn::Add(even.re, odd.im), hn::Sub(odd.re, even.im)});
    }
    line.set(0, {hn::Add(first.re, last.re), hn::Sub(first.re, last.re)});
    TransformLines(plan.line, {line.im, line.re, lanes}, {scratch.rows + lanes, scratch.rows, 2 * lanes},
                   scratch);
  } else {
    for (std::size_t k = 0; k < present; ++k) {
      const Complex value = scaled(k);
      line.set(k, value);
      if (k > 0) line.set(count - k, {value.re, hn::Neg(value.im)});
    }
    const Line result = scratch.lines[2];
    TransformLines(plan.line, {line.im, line.re, lanes}, {result.im, result.re, lanes}, scratch);
    for (std::size_t k = 0; k < points; ++k) hn::StoreU(result[k].re, d, scratch.rows + k * lanes);
  }
  Transpose(scratch.rows, lanes, values, count, count, rows);
}

void TransformColumns(const LinePlan& plan, bool is_inverse, float* modes, std::size_t step, int row_length) {
  if (plan.count == 1) return;
  const auto points = static_cast<std::size_t>(plan.count), length = static_cast<std::size_t>(row_length);
  Scratch& scratch = ScratchFor(points, 0);
  // The inverse transform exchanges real and imaginary parts.
  float* first = is_inverse ? modes + length : modes;
  float* second = is_inverse ? modes : modes + length;
  for (std::size_t k = 0; k < length; k += Lanes()) {
    const Line line{first + k, second + k, step};
    TransformLines(plan, line, line, scratch);
  }
}

int LaneCount() {
  return static_cast<int>(Lanes());
}

}  // namespace isolume::volumes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::volumes {

HWY_EXPORT(ForwardRows);
HWY_EXPORT(InverseRows);
HWY_EXPORT(TransformColumns);
HWY_EXPORT(LaneCount);

RowPlan make_row_plan(int count) {
  RowPlan plan;
  plan.count = count;
  plan.line = make_line_plan(count % 2 == 0 ? count / 2 : count);
  if (count % 2 == 0) {
    for (int k = 0; k < count / 2; ++k) {
      const double angle = -2 * std::numbers::pi * k / count;
      plan.twiddles.push_back(static_cast<float>(std::cos(angle)));
      plan.twiddles.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  return plan;
}

int transform_lanes() {
  return HWY_DYNAMIC_DISPATCH(LaneCount)();
}
void forward_rows(const RowPlan& plan, const float* values, int rows, float* modes, int row_length) {
  HWY_DYNAMIC_DISPATCH(ForwardRows)(plan, values, rows, modes, row_length);
}
void inverse_rows(const RowPlan& plan, const float* modes, int row_length, int rows, float scale,
                  float* values) {
  HWY_DYNAMIC_DISPATCH(InverseRows)(plan, modes, row_length, rows, scale, values);
}
void transform_columns(const LinePlan& plan, bool is_inverse, float* modes, std::size_t step,
                       int row_length) {
  HWY_DYNAMIC_DISPATCH(TransformColumns)(plan, is_inverse, modes, step, row_length);
}

}  // namespace isolume::volumes
#endif
