// Vectors are kept in arrays, which scalable instruction sets do not allow.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tomography/column_kernels.cpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/highway.h>

#include "core/tomography/column_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::tomography::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, column_padding>;
using Ints = hn::Rebind<std::int32_t, Floats>;
using Vector = hn::Vec<Floats>;

HWY_INLINE int Lanes() {
  return static_cast<int>(hn::Lanes(Floats()));
}

/// A line of numbers with zeros on both sides, wide enough for vectors that reach outside.
class PaddedLine {
 public:
  static constexpr int margin = 5 * column_padding;

  void Resize(int length) {
    const auto size = static_cast<std::size_t>(length + 2 * margin);
    if (numbers_.size() != size) numbers_.assign(size, 0.F);
    length_ = length;
  }
  float* at(int index) { return numbers_.data() + margin + index; }
  /// Vectors may have written here.
  void ClearEnd() { std::fill_n(at(length_), column_padding, 0.F); }

 private:
  std::vector<float> numbers_;
  int length_ = 0;
};

/// The k from which on, and before which, low < first + step * k < high.
struct Span {
  int begin = 0, end = 0;
};
HWY_INLINE Span Between(float first, float step, float low, float high, int count) {
  const float last = static_cast<float>(count);
  if (step == 0) return {0, first > low && first < high ? count : 0};
  float from = (low - first) / step, to = (high - first) / step;
  if (step < 0) std::swap(from, to);
  from = std::clamp(std::floor(from), 0.F, last);
  to = std::clamp(std::ceil(to) + 1, 0.F, last);
  return {static_cast<int>(from), static_cast<int>(to)};
}

/// Numbers of a line at several indices, by permutations of registers: gathers take several times as long. So many
/// vectors hold all that the indices reach.
template <int Tables>
class LookUp {
 public:
  HWY_INLINE explicit LookUp(hn::Vec<Ints> index)
      : indices_(hn::IndicesFromVec(Floats(), hn::And(index, hn::Set(Ints(), Lanes() - 1)))),
        is_second_(hn::RebindMask(Floats(), hn::Gt(index, hn::Set(Ints(), Lanes() - 1)))) {}

  HWY_INLINE Vector operator()(const float* line) const {
    const Floats d;
    const Vector first = hn::TableLookupLanes(hn::LoadU(d, line), indices_);
    if constexpr (Tables == 1) return first;
    return hn::IfThenElse(is_second_, hn::TableLookupLanes(hn::LoadU(d, line + Lanes()), indices_), first);
  }

 private:
  decltype(hn::IndicesFromVec(Floats(), hn::Vec<Ints>())) indices_;
  hn::Mask<Floats> is_second_;
};

/// Indices of vectors of positions first + step * k.
template <int Tables>
struct Stepper {
  const Floats d;
  const Ints di;
  float first, step, reach;
  Vector offsets;

  HWY_INLINE Stepper(float from, float by) : first(from), step(by) {
    reach = std::min(0.F, static_cast<float>(Lanes() - 1) * by);
    offsets = hn::Mul(hn::Iota(d, 0), hn::Set(d, by));
  }
  /// The number of the line that index 0 stands for; `rest`: positions from there.
  HWY_INLINE int Base(int k, Vector& rest) const {
    const float at = first + step * static_cast<float>(k);
    const float base = std::floor(at + reach);
    rest = hn::Max(hn::Add(hn::Set(d, at - base), offsets), hn::Zero(d));
    return static_cast<int>(base);
  }
  HWY_INLINE hn::Vec<Ints> Index(Vector rest) const {
    return hn::Min(hn::ConvertTo(di, rest), hn::Set(di, Tables * Lanes() - 1));
  }
};

template <int Tables>
HWY_INLINE void SampleLine(const float* line, float first, float step, Span span, float* sums) {
  const Floats d;
  const Stepper<Tables> stepper(first, step);
  const int lanes = Lanes();
  for (int k = span.begin / lanes * lanes; k < span.end; k += lanes) {
    Vector rest;
    const float* from = line + stepper.Base(k, rest);
    const auto index = stepper.Index(rest);
    const Vector fraction = hn::Sub(rest, hn::ConvertTo(d, index));
    const LookUp<Tables> look_up(index);
    const Vector low = look_up(from), high = look_up(from + 1);
    hn::StoreU(hn::Add(hn::LoadU(d, sums + k), hn::MulAdd(fraction, hn::Sub(high, low), low)), d, sums + k);
  }
}

void SampleColumns(std::span<const ColumnStep<const float>> steps, int length, float* sums,
                   std::size_t sums_stride, int count) {
  const Floats d;
  const int lanes = Lanes();
  thread_local PaddedLine padded;
  padded.Resize(length);
  for (const auto& each : steps) {
    const Span span = Between(each.first, each.step, -1, static_cast<float>(length), count);
    if (span.begin < span.end) {
      // Only what is sampled is computed.
      const float a = each.first + each.step * static_cast<float>(span.begin);
      const float b = each.first + each.step * static_cast<float>(span.end);
      const int low = static_cast<int>(std::clamp(std::min(a, b) - 2, 0.F, static_cast<float>(length)));
      const int high = static_cast<int>(std::clamp(std::max(a, b) + 3, 0.F, static_cast<float>(length)));
      const Vector first = hn::Set(d, each.weights[0]), second = hn::Set(d, each.weights[1]);
      for (int j = low / lanes * lanes; j < high; j += lanes) {
        hn::StoreU(hn::MulAdd(first, hn::LoadU(d, each.near[0] + j),
                              hn::Mul(second, hn::LoadU(d, each.near[1] + j))),
                   d, padded.at(j));
      }
      padded.ClearEnd();
      if (std::abs(each.step) <= 1) {
        SampleLine<1>(padded.at(0), each.first, each.step, span, sums);
      } else if (std::abs(each.step) <= 2) {
        SampleLine<2>(padded.at(0), each.first, each.step, span, sums);
      } else {
        for (int k = span.begin; k < span.end; ++k) {
          const float at = each.first + each.step * static_cast<float>(k);
          if (!(at > -1 && at < static_cast<float>(length))) continue;
          const float cell = std::floor(at);
          const float* from = padded.at(static_cast<int>(cell));
          sums[k] += from[0] + (at - cell) * (from[1] - from[0]);
        }
      }
    }
    sums += sums_stride;
  }
}

/// What j receives of the values at positions first + step * k.
template <int Tables>
HWY_INLINE void SpreadLine(const float* line, const ColumnStep<float>& to, Span span) {
  const Floats d;
  const float inverse = 1 / to.step, size = std::abs(inverse);
  // The values from (j - first) / step - size on lie within one step of j.
  const Stepper<Tables> stepper(1 - size - to.first * inverse, inverse);
  const int lanes = Lanes(), taps = static_cast<int>(std::ceil(2 * size));
  const Vector first = hn::Set(d, to.weights[0]), second = hn::Set(d, to.weights[1]);
  const Vector step = hn::Set(d, to.step), one = hn::Set(d, 1);
  for (int j = span.begin / lanes * lanes; j < span.end; j += lanes) {
    Vector rest;
    const int base = stepper.Base(j, rest);
    const auto index = stepper.Index(rest);
    const LookUp<Tables> look_up(index);
    // Distance of the first value from j.
    const float from_j = to.first + to.step * static_cast<float>(base) - static_cast<float>(j);
    Vector distance = hn::Sub(hn::MulAdd(step, hn::ConvertTo(d, index), hn::Set(d, from_j)), hn::Iota(d, 0));
    Vector sum = hn::Zero(d);
    for (int tap = 0; tap < taps; ++tap) {
      const Vector hat = hn::Max(hn::Sub(one, hn::Abs(distance)), hn::Zero(d));
      sum = hn::MulAdd(hat, look_up(line + base + tap), sum);
      distance = hn::Add(distance, step);
    }
    hn::StoreU(hn::MulAdd(first, sum, hn::LoadU(d, to.near[0] + j)), d, to.near[0] + j);
    hn::StoreU(hn::MulAdd(second, sum, hn::LoadU(d, to.near[1] + j)), d, to.near[1] + j);
  }
}

void SpreadColumn(std::span<const ColumnStep<float>> steps, int length, const float* values, int count) {
  thread_local PaddedLine padded;
  padded.Resize(count);
  std::copy_n(values, count, padded.at(0));
  for (const auto& each : steps) {
    const float size = std::abs(each.step);
    if (size >= 0.5F && size <= 8) {
      // The j that any value reaches.
      const float last = each.first + each.step * static_cast<float>(count - 1);
      const auto end = static_cast<float>(length);
      const Span span{static_cast<int>(std::clamp(std::floor(std::min(each.first, last)), 0.F, end)),
                      static_cast<int>(std::clamp(std::ceil(std::max(each.first, last)) + 1, 0.F, end))};
      if (size >= 1) {
        SpreadLine<1>(padded.at(0), each, span);
      } else {
        SpreadLine<2>(padded.at(0), each, span);
      }
      continue;
    }
    for (int k = 0; k < count; ++k) {
      const float at = each.first + each.step * static_cast<float>(k);
      if (!(at > -1 && at < static_cast<float>(length))) continue;
      const float cell = std::floor(at), fraction = at - cell;
      const int j = static_cast<int>(cell);
      for (std::size_t i = 0; i < 2; ++i) {
        const float value = each.weights[i] * values[k];
        if (j >= 0) each.near[i][j] += (1 - fraction) * value;
        if (j + 1 < length) each.near[i][j + 1] += fraction * value;
      }
    }
  }
}

/// The first of two neighbours, and the weights of both.
struct Neighbours {
  hn::Vec<Ints> cell;
  Vector low, high;

  HWY_INLINE Neighbours(Vector at, int count) {
    const Floats d;
    const Vector zero = hn::Zero(d), one = hn::Set(d, 1);
    const Vector last = hn::Set(d, static_cast<float>(std::max(count - 2, 0)));
    cell = hn::ConvertTo(Ints(), hn::Min(hn::Max(at, zero), last));
    const Vector from = hn::Sub(at, hn::ConvertTo(d, cell));
    low = hn::Max(hn::Sub(one, hn::Abs(from)), zero);
    high = count > 1 ? hn::Max(hn::Sub(one, hn::Abs(hn::Sub(from, one))), zero) : zero;
  }
};

void SampleDetector(const float* view, int columns, int rows, std::size_t stride, const DetectorRow& row,
                    float* sums, int count) {
  constexpr int most = 256;
  const Floats d;
  const int lanes = Lanes();
  std::int32_t cells[most];
  float factors[2][most], low_parts[most], high_parts[most];
  float pairs[2][2 * most];
  const auto point = [&row, d](std::size_t k, Vector at) HWY_ATTR {
    return hn::MulAdd(at, hn::Set(d, row.step[k]), hn::Set(d, row.first[k]));
  };
  for (int i = 0; i < count; i += lanes) {
    const Vector at = hn::Iota(d, static_cast<float>(i));
    const Vector depth = point(2, at), least = hn::Set(d, 1e-6F);
    const Vector inverse = hn::Div(hn::Set(d, 1), hn::Max(depth, least));
    const Neighbours u(hn::Mul(point(0, at), inverse), columns), v(hn::Mul(point(1, at), inverse), rows);
    // Behind the source, there are no rays.
    const Vector factor = hn::IfThenElseZero(hn::Gt(depth, least), hn::Mul(hn::Set(d, row.scale), inverse));
    const Vector squared = hn::Mul(factor, factor);
    hn::StoreU(hn::Add(hn::Mul(u.cell, hn::Set(Ints(), static_cast<std::int32_t>(stride))), v.cell), Ints(),
               cells + i);
    hn::StoreU(hn::Mul(squared, u.low), d, factors[0] + i);
    hn::StoreU(hn::Mul(squared, u.high), d, factors[1] + i);
    hn::StoreU(v.low, d, low_parts + i);
    hn::StoreU(v.high, d, high_parts + i);
  }
  // By ordinary instructions, two neighbours at once: gathers take several times as long.
  const std::size_t next = columns > 1 ? stride : 0;
  for (int i = 0; i < count; ++i) {
    const float* from = view + cells[i];
    std::memcpy(&pairs[0][2 * i], from, 8);
    std::memcpy(&pairs[1][2 * i], from + next, 8);
  }
  for (int i = 0; i < count; i += lanes) {
    Vector a, b, c, e;
    hn::LoadInterleaved2(d, pairs[0] + 2 * i, a, b);
    hn::LoadInterleaved2(d, pairs[1] + 2 * i, c, e);
    const Vector low = hn::LoadU(d, low_parts + i), high = hn::LoadU(d, high_parts + i);
    const Vector first = hn::MulAdd(low, a, hn::Mul(high, b)), second = hn::MulAdd(low, c, hn::Mul(high, e));
    const Vector sum =
        hn::MulAdd(hn::LoadU(d, factors[0] + i), first, hn::Mul(hn::LoadU(d, factors[1] + i), second));
    hn::StoreU(hn::Add(sum, hn::LoadU(d, sums + i)), d, sums + i);
  }
}

}  // namespace isolume::tomography::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::tomography {

HWY_EXPORT(SampleColumns);
HWY_EXPORT(SpreadColumn);
HWY_EXPORT(SampleDetector);

void sample_columns(std::span<const ColumnStep<const float>> steps, int length, float* sums,
                    std::size_t sums_stride, int count) {
  HWY_DYNAMIC_DISPATCH(SampleColumns)(steps, length, sums, sums_stride, count);
}

void spread_column(std::span<const ColumnStep<float>> steps, int length, const float* values, int count) {
  HWY_DYNAMIC_DISPATCH(SpreadColumn)(steps, length, values, count);
}

void sample_detector(const float* view, int columns, int rows, std::size_t stride, const DetectorRow& row,
                     float* sums, int count) {
  HWY_DYNAMIC_DISPATCH(SampleDetector)(view, columns, rows, stride, row, sums, count);
}

}  // namespace isolume::tomography
#endif
