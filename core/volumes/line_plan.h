#pragma once

#include <vector>

namespace isolume::volumes {

/// Whether a number of points is a product of 2, 3, 5 and 7 alone, and at least 1.
bool suits_transform(int count);
/// The smallest such number that is not below this one (at least 1).
int next_transform_count(int count);

/// The passes of a complex Fourier transform of one length, in Stockham's order, which needs no bit reversal
/// (P. N. Swarztrauber, Parallel Computing 1, 45, 1984).
struct LinePlan {
  struct Pass {
    int radix = 1;   ///< 2, 3, 4, 5 or 7
    int groups = 1;  ///< butterflies with twiddle factors of their own
    int stride = 1;  ///< points that share a twiddle factor
    /// exp(-2 pi i j k / (radix * groups)), as pairs of real and imaginary part: for each group j, k from 1 to radix - 1.
    std::vector<float> twiddles;
  };
  int count = 1;
  std::vector<Pass> passes;
};

/// `count` must suit (suits_transform).
LinePlan make_line_plan(int count);

}  // namespace isolume::volumes
