#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace isolume::nbody {

/// Highest order of terms, in both lengths together. Measured with a million bodies and 99 % of the errors below
/// 1e-3: with order 4 cells must be farther away, with 6 and 7 the additional terms cost more than they save.
inline constexpr int taylor_top = 5;

/// Number of multi-indices of orders 0 to `order`.
constexpr std::size_t taylor_count_to(int order) {
  const auto n = static_cast<std::size_t>(order + 1);
  return n * (n + 1) * (n + 2) / 6;
}

inline constexpr std::size_t taylor_count = taylor_count_to(taylor_top);

struct TaylorStep {
  std::size_t before = 0;  ///< the multi-index that has one less in
  std::size_t axis = 0;    ///< this axis,
  float exponent = 1;      ///< whose exponent is this
};

namespace detail {

struct Exponents {
  int x = 0, y = 0, z = 0;
  constexpr int order() const { return x + y + z; }
};
constexpr std::size_t taylor_number(Exponents e) {
  const int n = e.order();
  const auto in_order = static_cast<std::size_t>((n - e.x) * (n - e.x + 1) / 2 + e.z);
  return (n > 0 ? taylor_count_to(n - 1) : 0) + in_order;
}
constexpr std::array<Exponents, taylor_count> taylor_exponents() {
  std::array<Exponents, taylor_count> all;
  for (int x = 0; x <= taylor_top; ++x) {
    for (int y = 0; x + y <= taylor_top; ++y) {
      for (int z = 0; x + y + z <= taylor_top; ++z) all[taylor_number({x, y, z})] = {x, y, z};
    }
  }
  return all;
}
inline constexpr auto exponents = taylor_exponents();

}  // namespace detail

constexpr int taylor_order(std::size_t a) {
  return detail::exponents[a].order();
}

/// Index of a + b; 0 where its order is above the highest.
inline constexpr auto taylor_sum = [] {
  std::array<std::array<std::uint8_t, taylor_count>, taylor_count> sums = {};
  for (std::size_t a = 0; a < taylor_count; ++a) {
    for (std::size_t b = 0; b < taylor_count; ++b) {
      const auto one = detail::exponents[a], other = detail::exponents[b];
      if (one.order() + other.order() > taylor_top) continue;
      sums[a][b] = static_cast<std::uint8_t>(
          detail::taylor_number({one.x + other.x, one.y + other.y, one.z + other.z}));
    }
  }
  return sums;
}();

/// How each multi-index follows from one of the order below.
inline constexpr auto taylor_steps = [] {
  std::array<TaylorStep, taylor_count> steps = {};
  for (std::size_t a = 1; a < taylor_count; ++a) {
    auto e = detail::exponents[a];
    const std::size_t axis = e.x > 0 ? 0 : e.y > 0 ? 1 : 2;
    int& exponent = axis == 0 ? e.x : axis == 1 ? e.y : e.z;
    steps[a] = {0, axis, static_cast<float>(exponent)};
    --exponent;
    steps[a].before = detail::taylor_number(e);
  }
  return steps;
}();

}  // namespace isolume::nbody
