#include "core/nbody/forces/body_keys.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include "core/base/field_values.h"
#include "core/nbody/forces/hilbert.h"

namespace isolume::nbody {
namespace {

/// Three digits distinguish most of a million bodies; lower bits are compared only among equal keys.
constexpr int digit_bits = 11, digits = 3, number_bits = 3 * hilbert_levels,
              below = number_bits - digit_bits * digits;
constexpr std::size_t digit_values = 1 << digit_bits;

std::size_t digit(const BodyKey& key, int which) {
  return key.number >> (below + digit_bits * which) & (digit_values - 1);
}

/// Sorts runs of keys that share the upper digits.
void sort_below_digits(std::span<BodyKey> keys) {
  const auto digits_of = [](const BodyKey& key) { return key.number >> below; };
  for (auto first = keys.begin(), end = first; first != keys.end(); first = end) {
    while (end != keys.end() && digits_of(*end) == digits_of(*first)) ++end;
    if (end - first > 1) std::sort(first, end);
  }
}

/// Radix sort from the lowest digit on; stable for keys with the same digit.
void sort_by_digits(std::span<BodyKey> keys) {
  std::array<std::array<std::uint32_t, digit_values>, digits> counts{};
  for (const BodyKey& key : keys) {
    for (int which = 0; which < digits; ++which) ++counts[static_cast<std::size_t>(which)][digit(key, which)];
  }
  std::vector<BodyKey, UninitialisedAllocator<BodyKey>> other(keys.size());
  std::span<BodyKey> from = keys, to = other;
  for (int which = 0; which < digits; ++which) {
    auto& next = counts[static_cast<std::size_t>(which)];
    if (next[digit(from.front(), which)] == keys.size()) continue;  // all keys share this digit
    std::uint32_t before = 0;
    for (std::uint32_t& each : next) before += std::exchange(each, before);
    for (const BodyKey& key : from) to[next[digit(key, which)]++] = key;
    std::swap(from, to);
  }
  if (from.data() != keys.data()) std::ranges::copy(from, keys.begin());
  sort_below_digits(keys);
}

}  // namespace

void sort_keys(std::span<BodyKey> keys) {
  // Below few_keys, comparing keys is faster than counting digits; with more threads than the other limit, a parallel
  // comparison sort is faster.
  constexpr std::size_t few_keys = 512;
  constexpr int few_threads = 4;
  if (keys.size() < few_keys) {
    std::ranges::sort(keys, std::less<>());
  } else if (tbb::this_task_arena::max_concurrency() <= few_threads) {
    sort_by_digits(keys);
  } else {
    tbb::parallel_sort(keys.begin(), keys.end());
  }
}

}  // namespace isolume::nbody
