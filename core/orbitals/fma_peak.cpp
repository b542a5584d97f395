#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/orbitals/fma_peak.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>
#include <chrono>

#include <hwy/highway.h>

#include "core/orbitals/fma_peak.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::orbitals::HWY_NAMESPACE {

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

}  // namespace isolume::orbitals::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::orbitals {

HWY_EXPORT(MultiplyAdds);

double measure_fma_peak(double seconds) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    float numbers[2] = {0.999F, 0.001F};
    const auto start = Clock::now();
    const double operations = HWY_DYNAMIC_DISPATCH(MultiplyAdds)(1'000'000, numbers);
    const double took = std::chrono::duration<double>(Clock::now() - start).count();
    volatile float kept = numbers[0];
    static_cast<void>(kept);
    best = std::max(best, operations / took);
  }
  return best;
}

}  // namespace isolume::orbitals
#endif
