#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/multipoles/softening.h"

namespace isolume::multipoles {

/// Powers of x, y and z of each term of a Taylor series, and the positions of sums of powers.
struct SofteningIndex {
  using Powers = std::array<int, 3>;

  std::array<Powers, softening_terms> powers = {};
  /// Term t > 0 is term `lower` times one power of `axis`, and term `second_lower` times two where it has as
  /// many.
  std::array<std::uint8_t, softening_terms> lower = {}, second_lower = {}, axis = {};
  /// The product of terms a and b is kept where b < partners[a]; it is then term sum[a][b].
  std::array<std::uint8_t, softening_terms> partners = {};
  std::array<std::array<std::uint8_t, softening_terms>, softening_terms> sum = {};

  static constexpr std::size_t terms_to(int degree) {
    return static_cast<std::size_t>((degree + 1) * (degree + 2) * (degree + 3) / 6);
  }
  std::uint8_t find(const Powers& of) const {
    for (std::size_t i = 0; i < softening_terms; ++i) {
      if (powers[i] == of) return static_cast<std::uint8_t>(i);
    }
    return 0;
  }
  SofteningIndex() {
    std::size_t count = 0;
    for (int degree = 0; degree <= softening_degree; ++degree) {
      for (int x = degree; x >= 0; --x) {
        for (int y = degree - x; y >= 0; --y) powers[count++] = {x, y, degree - x - y};
      }
    }
    for (std::size_t i = 0; i < softening_terms; ++i) {
      const Powers& of = powers[i];
      partners[i] = static_cast<std::uint8_t>(terms_to(softening_degree - of[0] - of[1] - of[2]));
      if (i == 0) continue;
      const std::size_t along = of[0] > 0 ? 0 : of[1] > 0 ? 1 : 2;
      Powers less = of;
      --less[along];
      lower[i] = find(less);
      axis[i] = static_cast<std::uint8_t>(along);
      --less[along];
      if (less[along] >= 0) second_lower[i] = find(less);
    }
    for (std::size_t i = 0; i < softening_terms; ++i) {
      sum[i][0] = static_cast<std::uint8_t>(i);
      for (std::size_t j = 1; j < partners[i]; ++j) {
        Powers of = powers[i];
        for (std::size_t k = 0; k < 3; ++k) of[k] += powers[j][k];
        sum[i][j] = find(of);
      }
    }
  }
};

const SofteningIndex& softening_index();

}  // namespace isolume::multipoles
