#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace isolume::filters {

/// Puts the smaller one of two values at `low`, the greater one at `high`.
struct Comparator {
  std::uint8_t low = 0, high = 0;
};

/// Sorts nine values (R. W. Floyd; D. E. Knuth, The Art of Computer Programming 3, 5.3.4). The first nine comparators sort
/// the values 0 to 2, 3 to 5 and 6 to 8.
inline constexpr std::array<Comparator, 25> sort_nine{
    {{0, 1}, {3, 4}, {6, 7}, {1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {0, 3}, {3, 6}, {0, 3}, {1, 4},
     {4, 7}, {1, 4}, {2, 5}, {5, 8}, {2, 5}, {1, 3}, {5, 7}, {2, 6}, {4, 6}, {2, 4}, {2, 3}, {5, 6}}};
inline constexpr std::array<Comparator, 3> sort_three{{{0, 1}, {1, 2}, {0, 1}}};

/// Merges the sorted values 0 to 8 and 9 to 17 (K. E. Batcher, AFIPS Proc. 32, 307, 1968); the value that is k-th then
/// stands at order[k].
struct Merge {
  std::array<Comparator, 30> comparators{};
  std::array<std::uint8_t, 18> order{};
};

namespace detail {

struct Places {
  std::array<std::uint8_t, 18> at{};
  std::size_t size = 0;
  constexpr void add(std::uint8_t place) { at[size++] = place; }
  constexpr Places every_other(std::size_t first) const {
    Places part;
    for (std::size_t i = first; i < size; i += 2) part.add(at[i]);
    return part;
  }
};

constexpr Places merge(const Places& a, const Places& b, Merge& network, std::size_t& used) {
  if (a.size == 0) return b;
  if (b.size == 0) return a;
  Places merged;
  if (a.size == 1 && b.size == 1) {
    network.comparators[used++] = {a.at[0], b.at[0]};
    merged.add(a.at[0]);
    merged.add(b.at[0]);
    return merged;
  }
  const Places odd = merge(a.every_other(0), b.every_other(0), network, used);
  const Places even = merge(a.every_other(1), b.every_other(1), network, used);
  merged.add(odd.at[0]);
  for (std::size_t i = 0; i + 1 < odd.size || i < even.size; ++i) {
    if (i + 1 < odd.size && i < even.size) {
      network.comparators[used++] = {even.at[i], odd.at[i + 1]};
      merged.add(even.at[i]);
      merged.add(odd.at[i + 1]);
    } else {
      merged.add(i < even.size ? even.at[i] : odd.at[i + 1]);
    }
  }
  return merged;
}

}  // namespace detail

constexpr Merge make_merge() {
  Merge network;
  detail::Places a, b;
  for (std::uint8_t i = 0; i < 9; ++i) {
    a.add(i);
    b.add(static_cast<std::uint8_t>(9 + i));
  }
  std::size_t used = 0;
  network.order = detail::merge(a, b, network, used).at;
  return network;
}
inline constexpr Merge merge_nines = make_merge();

namespace detail {

constexpr void apply(const auto& comparators, auto& values) {
  for (const Comparator& each : comparators) {
    if (values[each.low] > values[each.high]) {
      const auto greater = values[each.low];
      values[each.low] = values[each.high];
      values[each.high] = greater;
    }
  }
}

/// A network that sorts all sequences of zeros and ones sorts all sequences (Knuth, theorem Z).
constexpr bool sorts_nine() {
  for (unsigned bits = 0; bits < 512; ++bits) {
    std::array<int, 9> values{};
    for (unsigned i = 0; i < 9; ++i) values[i] = static_cast<int>(bits >> i & 1U);
    apply(sort_nine, values);
    for (std::size_t i = 1; i < 9; ++i) {
      if (values[i - 1] > values[i]) return false;
    }
  }
  return true;
}
constexpr bool merges_nines() {
  for (std::size_t a = 0; a <= 9; ++a) {
    for (std::size_t b = 0; b <= 9; ++b) {
      std::array<int, 18> values{};
      for (std::size_t i = 0; i < 9; ++i) {
        values[i] = i < a ? 0 : 1;
        values[9 + i] = i < b ? 0 : 1;
      }
      apply(merge_nines.comparators, values);
      for (std::size_t i = 1; i < 18; ++i) {
        if (values[merge_nines.order[i - 1]] > values[merge_nines.order[i]]) return false;
      }
    }
  }
  return true;
}
static_assert(sorts_nine() && merges_nines());

}  // namespace detail

}  // namespace isolume::filters
