#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace isolume {

/// Philox4x32-10: four random words that are a function of a counter and a key only, so that they can be
/// computed in any order on any thread (Salmon, Moraes, Dror, Shaw, SC'11).
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t multipliers[] = {0xD2511F53, 0xCD9E8D57};
  constexpr std::uint32_t weyl[] = {0x9E3779B9, 0xBB67AE85};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = multipliers[0] * counter[0], second = multipliers[1] * counter[2];
    counter = {
        static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
        static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key = {key[0] + weyl[0], key[1] + weyl[1]};
  }
  return counter;
}

/// The random numbers of one item (a body, a photon) for one purpose, independent of other draws.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t item, std::uint32_t purpose = 0)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        counter_{0, purpose, static_cast<std::uint32_t>(item), static_cast<std::uint32_t>(item >> 32)} {}

  /// Uniform in (0, 1), 52 bits.
  double uniform() {
    if (left_ == 0) {
      words_ = philox(counter_, key_);
      ++counter_[0];
      left_ = 2;
    }
    --left_;
    const std::uint64_t bits = std::uint64_t{words_[2 * left_ + 1]} << 32 | words_[2 * left_];
    return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
  }
  /// Normal with mean 0 and variance 1 (Box, Muller).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> words_ = {};
  std::size_t left_ = 0;
};

}  // namespace isolume
