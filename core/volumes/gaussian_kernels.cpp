#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/volumes/gaussian_kernels.cpp"
#include <vector>

#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/highway.h>

#include "core/volumes/gaussian_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::volumes::HWY_NAMESPACE {

/// The same point of all lines. Plain loops over them, which the compiler makes vectors of.
template <class Number>
struct Points {
  Number of[lines_at_once];
};

template <class Number>
struct Taps {
  Number input[4], feedback[4], steady;

  Taps(const std::array<double, 4>& from, const std::array<double, 4>& back) {
    double gain = 0, loss = 1;
    for (std::size_t k = 0; k < 4; ++k) {
      input[k] = static_cast<Number>(from[k]);
      feedback[k] = static_cast<Number>(back[k]);
      gain += from[k];
      loss += back[k];
    }
    steady = static_cast<Number>(gain / loss);
  }
};

/// Takes an input, returns the next output; before the first, all inputs were equal to `border`.
template <class Number>
class Recursion {
 public:
  Recursion(const Taps<Number>& taps, const Points<Number>& border) : taps_(taps) {
    for (int k = 0; k < 4; ++k) {
      inputs_[k] = border;
      for (int l = 0; l < lines_at_once; ++l) outputs_[k].of[l] = border.of[l] * taps.steady;
    }
  }
  HWY_INLINE void take(const Points<Number>& input) {
    inputs_[3] = inputs_[2];
    inputs_[2] = inputs_[1];
    inputs_[1] = inputs_[0];
    inputs_[0] = input;
  }
  HWY_INLINE const Points<Number>& next() {
    Points<Number> sum;
    for (int l = 0; l < lines_at_once; ++l) {
      Number value = 0;
      for (int k = 3; k >= 0; --k) value += taps_.input[k] * inputs_[k].of[l];
      for (int k = 3; k >= 0; --k) value -= taps_.feedback[k] * outputs_[k].of[l];
      sum.of[l] = value;
    }
    outputs_[3] = outputs_[2];
    outputs_[2] = outputs_[1];
    outputs_[1] = outputs_[0];
    outputs_[0] = sum;
    return outputs_[0];
  }

 private:
  Taps<Number> taps_;
  Points<Number> inputs_[4], outputs_[4];  ///< latest first
};

template <class Number>
void FilterLinesAs(const RecursiveFilter& filter, float* values, std::size_t points, std::size_t step,
                   std::size_t lines, std::size_t line_step) {
  thread_local std::vector<Points<Number>> inputs, sums;
  inputs.resize(points);
  sums.resize(points);
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t l = 0; l < lines_at_once; ++l) {
      inputs[i].of[l] = l < lines ? static_cast<Number>(values[i * step + l * line_step]) : Number(0);
    }
  }
  Recursion<Number> forward(Taps<Number>(filter.causal, filter.feedback), inputs.front());
  for (std::size_t i = 0; i < points; ++i) {
    forward.take(inputs[i]);
    sums[i] = forward.next();
  }
  Recursion<Number> backward(Taps<Number>(filter.anticausal, filter.feedback), inputs.back());
  for (std::size_t i = points; i-- > 0;) {
    const Points<Number>& back = backward.next();
    for (std::size_t l = 0; l < lines_at_once; ++l) sums[i].of[l] += back.of[l];
    backward.take(inputs[i]);
  }
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t l = 0; l < lines; ++l)
      values[i * step + l * line_step] = static_cast<float>(sums[i].of[l]);
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
