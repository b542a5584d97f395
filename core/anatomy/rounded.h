#pragma once

#include <cmath>

namespace isolume::anatomy {

/// Rounds terms to multiples of a power of two so coarse that their sums are exact: the same in any order and grouping (J. Demmel,
/// H. D. Nguyen, Fast reproducible floating-point summation, ARITH 2013). The sum of their magnitudes is at most `greatest`.
class Rounded {
 public:
  explicit Rounded(double greatest) : shift_(std::ldexp(1.5, std::ilogb(greatest) + 2)) {}
  double operator()(double term) const { return (term + shift_) - shift_; }
  double shift() const { return shift_; }

 private:
  double shift_;  ///< the last digits of its sum with a term are lost
};

}  // namespace isolume::anatomy
