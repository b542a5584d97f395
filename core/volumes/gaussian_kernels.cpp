// Vectors are members of classes, which scalable instruction sets do not allow.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/volumes/gaussian_kernels.cpp"
#include <vector>

#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/highway.h>

#include "core/volumes/gaussian_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::volumes::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The same point of all lines.
template <class Number>
struct Points {
  Number of[lines_at_once];
};

/// One direction of the filter, of as many lines as a vector has lanes. `input[k]` is the k-th weight of inputs; before the
/// first point, all inputs were equal to it.
template <class Number>
class Recursion {
 public:
  using Tag = hn::CappedTag<Number, lines_at_once>;
  using Vector = hn::Vec<Tag>;

  HWY_INLINE Recursion(const std::array<double, 4>& from, const std::array<double, 4>& back, Vector border) {
    const Tag d;
    double gain = 0, loss = 1;
    const auto set = [d](double number) HWY_ATTR { return hn::Set(d, static_cast<Number>(number)); };
    for (std::size_t k = 0; k < 4; ++k) {
      gain += from[k];
      loss += back[k];
    }
    a0_ = set(from[0]), a1_ = set(from[1]), a2_ = set(from[2]), a3_ = set(from[3]);
    b0_ = set(back[0]), b1_ = set(back[1]), b2_ = set(back[2]), b3_ = set(back[3]);
    y0_ = y1_ = y2_ = y3_ = hn::Mul(border, set(gain / loss));
  }
  /// The next output, from the inputs of which `x0` is the one of the first weight.
  HWY_INLINE Vector Next(Vector x0, Vector x1, Vector x2, Vector x3) {
    // The latest output comes last, so that the next one waits for one operation alone.
    Vector sum = hn::MulAdd(a0_, x0, hn::MulAdd(a1_, x1, hn::MulAdd(a2_, x2, hn::Mul(a3_, x3))));
    sum = hn::NegMulAdd(b0_, y0_,
                        hn::NegMulAdd(b1_, y1_, hn::NegMulAdd(b2_, y2_, hn::NegMulAdd(b3_, y3_, sum))));
    y3_ = y2_;
    y2_ = y1_;
    y1_ = y0_;
    y0_ = sum;
    return sum;
  }

 private:
  Vector a0_, a1_, a2_, a3_, b0_, b1_, b2_, b3_;
  Vector y0_, y1_, y2_, y3_;  ///< latest first
};

/// Both directions; numbers of a line follow each other after `lines_at_once` numbers.
template <class Number>
void FilterVector(const RecursiveFilter& filter, const Number* inputs, std::size_t points, Number* sums) {
  const typename Recursion<Number>::Tag d;
  constexpr std::size_t step = lines_at_once;
  const auto first = hn::LoadU(d, inputs), last = hn::LoadU(d, inputs + (points - 1) * step);
  Recursion<Number> forward(filter.causal, filter.feedback, first);
  auto x1 = first, x2 = first, x3 = first;
  for (std::size_t i = 0; i < points; ++i) {
    const auto x0 = hn::LoadU(d, inputs + i * step);
    hn::StoreU(forward.Next(x0, x1, x2, x3), d, sums + i * step);
    x3 = x2;
    x2 = x1;
    x1 = x0;
  }
  Recursion<Number> backward(filter.anticausal, filter.feedback, last);
  auto x0 = last;
  x1 = x2 = x3 = last;
  for (std::size_t i = points; i-- > 0;) {
    const auto sum = hn::Add(hn::LoadU(d, sums + i * step), backward.Next(x0, x1, x2, x3));
    hn::StoreU(sum, d, sums + i * step);
    x3 = x2;
    x2 = x1;
    x1 = x0;
    x0 = hn::LoadU(d, inputs + i * step);
  }
}

template <class Number>
void FilterLinesAs(const RecursiveFilter& filter, float* values, std::size_t points, std::size_t step,
                   std::size_t lines, std::size_t line_step) {
  thread_local std::vector<Points<Number>> inputs, sums;
  inputs.resize(points);
  sums.resize(points);
  if (step == 1) {
    // Each line is read from its begin to its end.
    for (std::size_t l = 0; l < lines_at_once; ++l) {
      const float* line = values + (l < lines ? l : 0) * line_step;
      for (std::size_t i = 0; i < points; ++i) inputs[i].of[l] = static_cast<Number>(line[i]);
    }
  } else if (line_step == 1 && lines == lines_at_once) {
    for (std::size_t i = 0; i < points; ++i) {
      const float* from = values + i * step;
      for (std::size_t l = 0; l < lines_at_once; ++l) inputs[i].of[l] = static_cast<Number>(from[l]);
    }
  } else {
    for (std::size_t i = 0; i < points; ++i) {
      for (std::size_t l = 0; l < lines_at_once; ++l)
        inputs[i].of[l] = l < lines ? static_cast<Number>(values[i * step + l * line_step]) : Number(0);
    }
  }
  const std::size_t lanes = hn::Lanes(typename Recursion<Number>::Tag());
  for (std::size_t l = 0; l < lines_at_once; l += lanes)
    FilterVector(filter, inputs.data()->of + l, points, sums.data()->of + l);
  if (step == 1) {
    for (std::size_t l = 0; l < lines; ++l) {
      float* line = values + l * line_step;
      for (std::size_t i = 0; i < points; ++i) line[i] = static_cast<float>(sums[i].of[l]);
    }
  } else if (line_step == 1 && lines == lines_at_once) {
    for (std::size_t i = 0; i < points; ++i) {
      float* to = values + i * step;
      for (std::size_t l = 0; l < lines_at_once; ++l) to[l] = static_cast<float>(sums[i].of[l]);
    }
  } else {
    for (std::size_t i = 0; i < points; ++i) {
      for (std::size_t l = 0; l < lines; ++l)
        values[i * step + l * line_step] = static_cast<float>(sums[i].of[l]);
    }
  }
}

void FilterLines(const RecursiveFilter& filter, bool is_wide, float* values, int points, std::size_t step,
                 int lines, std::size_t line_step) {
  const auto filter_as = is_wide ? FilterLinesAs<double> : FilterLinesAs<float>;
  filter_as(filter, values, static_cast<std::size_t>(points), step, static_cast<std::size_t>(lines),
            line_step);
}

}  // namespace isolume::volumes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::volumes {

HWY_EXPORT(FilterLines);

void filter_lines(const RecursiveFilter& filter, bool is_wide, float* values, int points, std::size_t step,
                  int lines, std::size_t line_step) {
  HWY_DYNAMIC_DISPATCH(FilterLines)(filter, is_wide, values, points, step, lines, line_step);
}

}  // namespace isolume::volumes
#endif
