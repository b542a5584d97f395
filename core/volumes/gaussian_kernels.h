#pragma once

#include <array>
#include <cstddef>

namespace isolume::volumes {

/// y[n] = sum of causal[k] x[n - k] - sum of feedback[k] y[n - 1 - k], and the same from the other end with
/// sum of anticausal[k] x[n + 1 + k]; the result is the sum of both.
struct RecursiveFilter {
  std::array<double, 4> causal, anticausal, feedback;
};

/// Lines that are filtered together.
inline constexpr int lines_at_once = 16;

/// Filters `lines` <= lines_at_once lines in place. Points follow each other after `step` numbers, lines after
/// `line_step`. In double precision where `is_wide`, as needed from standard deviations of some voxels on.
void filter_lines(const RecursiveFilter& filter, bool is_wide, float* values, int points, std::size_t step,
                  int lines, std::size_t line_step);

}  // namespace isolume::volumes
