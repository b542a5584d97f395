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

}  // namespace isolume::benchmarks::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::benchmarks {

HWY_EXPORT(MultiplyAdds);

namespace {

using Clock = std::chrono::steady_clock;

/// Operations a second of this thread (two a multiply-add).
double fma_peak(double seconds) {
  double best = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    float numbers[2] = {0.999F, 0.001F};
    const auto start = Clock::now();
    const double operations = HWY_DYNAMIC_DISPATCH(MultiplyAdds)(1'000'000, numbers);
    const double took = seconds_since(start);
    volatile float kept = numbers[0];
    static_cast<void>(kept);
    best = std::max(best, operations / took);
  }
  return best;
}

/// Runs `work(i)` on `threads` threads at once.
void on_threads(int threads, const std::function<void(int)>& work) {
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back([&work, i] { work(i); });
  work(0);
}

}  // namespace

MachinePeak measure_machine_peak(int threads) {
  std::vector<double> each(static_cast<std::size_t>(threads));
  on_threads(threads, [&](int i) { each[static_cast<std::size_t>(i)] = fma_peak(0.2); });
  return {threads, std::reduce(each.begin(), each.end()) * 1e-9};
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
