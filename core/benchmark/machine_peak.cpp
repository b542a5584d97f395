#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/benchmark/machine_peak.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

#include <hwy/highway.h>

#include "core/base/clock.h"
#include "core/base/field_values.h"
#include "core/benchmark/machine_peak.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::benchmarks::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Ten chains hide the latency of two multiply-add units; returns the number of operations, and hands the sum
/// out so that nothing can be left away.
double MultiplyAdds(long rounds, float* result) {
  const hn::ScalableTag<float> d;
  constexpr int chains = 10;
  hn::Vec<decltype(d)> sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = hn::Set(d, static_cast<float>(i));
  const auto factor = hn::Set(d, result[0]);
  const auto term = hn::Set(d, result[1]);
  for (long round = 0; round < rounds; ++round) {
#pragma GCC unroll 10
    for (int i = 0; i < chains; ++i) sums[i] = hn::MulAdd(sums[i], factor, term);
  }
  for (int i = 1; i < chains; ++i) sums[0] = hn::Add(sums[0], sums[i]);
  result[0] = hn::GetLane(sums[0]);
  return 2.0 * chains * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

/// What a pair of points costs, without loads: returns the number of pairs.
template <int multiply_adds, int additions>
HWY_INLINE double Pairs(long rounds, float* result) {
  const hn::ScalableTag<float> d;
  constexpr int chains = 6;
  hn::Vec<decltype(d)> sums[chains], roots[chains], others[chains];
  for (int i = 0; i < chains; ++i) {
    sums[i] = roots[i] = others[i] = hn::Set(d, static_cast<float>(i + 1));
  }
  const auto factor = hn::Set(d, result[0]);
  const auto term = hn::Set(d, result[1]);
  for (long round = 0; round < rounds; ++round) {
#pragma GCC unroll 13
    for (int step = 0; step < multiply_adds; ++step) {
#pragma GCC unroll 6
      for (int i = 0; i < chains; ++i) sums[i] = hn::MulAdd(sums[i], factor, term);
    }
#pragma GCC unroll 4
    for (int step = 0; step < additions; ++step) {
#pragma GCC unroll 6
      for (int i = 0; i < chains; ++i) others[i] = hn::Add(others[i], term);
    }
#pragma GCC unroll 6
    for (int i = 0; i < chains; ++i) roots[i] = hn::ApproximateReciprocalSqrt(roots[i]);
  }
  for (int i = 0; i < chains; ++i) sums[0] = hn::Add(sums[0], hn::Add(roots[i], hn::Add(others[i], sums[i])));
  result[0] = hn::GetLane(sums[0]);
  return chains * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

double PairSums(long rounds, float* result) {
  return Pairs<13, 4>(rounds, result);
}
double PairPotentials(long rounds, float* result) {
  return Pairs<6, 2>(rounds, result);
}

}  // namespace isolume::benchmarks::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::benchmarks {

HWY_EXPORT(MultiplyAdds);
HWY_EXPORT(PairSums);
HWY_EXPORT(PairPotentials);

namespace {

using Clock = std::chrono::steady_clock;

/// What this thread does of a kind of work at best, a second: `work` returns how much it did.
double peak(double seconds, const std::function<double(float* numbers)>& work) {
  double best = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    float numbers[2] = {0.999F, 0.001F};
    const auto start = Clock::now();
    const double done = work(numbers);
    const double took = seconds_since(start);
    volatile float kept = numbers[0];
    static_cast<void>(kept);
    best = std::max(best, done / took);
  }
  return best;
}

/// Runs `work(i)` on `threads` threads at once.
void on_threads(int threads, const std::function<void(int)>& work) {
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back([&work, i] { work(i); });
  work(0);
}

double peak_of_all(int threads, const std::function<double(float* numbers)>& work) {
  std::vector<double> each(static_cast<std::size_t>(threads));
  on_threads(threads, [&](int i) { each[static_cast<std::size_t>(i)] = peak(0.2, work); });
  return std::reduce(each.begin(), each.end());
}

}  // namespace

MachinePeak measure_machine_peak(int threads) {
  const auto multiply_adds = [](float* numbers) {
    return HWY_DYNAMIC_DISPATCH(MultiplyAdds)(1'000'000, numbers);
  };
  return {threads, peak_of_all(threads, multiply_adds) * 1e-9};
}

double measure_pair_peak(int threads) {
  return peak_of_all(threads,
                     [](float* numbers) { return HWY_DYNAMIC_DISPATCH(PairSums)(200'000, numbers); });
}

double measure_potential_peak(int threads) {
  return peak_of_all(threads,
                     [](float* numbers) { return HWY_DYNAMIC_DISPATCH(PairPotentials)(200'000, numbers); });
}

double fastest_write_ms(std::size_t bytes, int threads) {
  const std::size_t count = bytes / sizeof(float);
  const auto parts = static_cast<std::size_t>(threads);
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 40; ++repeat) {
    const auto start = Clock::now();
    FieldValues values(count);
    on_threads(threads, [&](int thread) {
      const auto i = static_cast<std::size_t>(thread);
      const auto part = [&](std::size_t n) {
        return values.begin() + static_cast<std::ptrdiff_t>(count * n / parts);
      };
      std::fill(part(i), part(i + 1), 1.0F);
    });
    best = std::min(best, milliseconds_since(start));
  }
  return best;
}

}  // namespace isolume::benchmarks
#endif
