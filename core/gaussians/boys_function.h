#pragma once

#include <span>

#include "core/gaussians/triple_index.h"

namespace isolume::gaussians {

/// The Boys function F_m(T), the integral over t from 0 to 1 of t^(2m) exp(-T t^2), for T >= 0 (Boys, Proc.
/// R. Soc. A 200, 542 (1950)), to a relative error of 1e-14, up to max_order:
/// - below `boys_far`, the highest m by a Taylor series of eight terms about the nearest of tabulated points
/// 1/8 apart; the lower ones by the stable downward recursion F_(m-1) = (2 T F_m + exp(-T)) / (2 m - 1);
/// - beyond, F_0 = sqrt(pi / T) / 2, whose error is below 1e-19, and the higher ones by upward recursion,
/// which is stable where T is larger than m.
inline constexpr double boys_far = 40;

/// Fills values[m] with F_m(T) for m = 0 ... values.size() - 1, at most max_order.
void boys_function(double t, std::span<double> values);

/// The table: for the order m, at T = i / boys_steps, the coefficients of the Taylor series.
inline constexpr int boys_steps = 8;
inline constexpr int boys_terms = 8;
inline constexpr int boys_rows = static_cast<int>(boys_far) * boys_steps + 1;
/// boys_rows x boys_terms numbers, aligned to 64 bytes.
const double* boys_table(int order);

}  // namespace isolume::gaussians
