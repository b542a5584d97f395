#include "core/electrostatics/potential/difference_numbers.h"

#include <algorithm>
#include <cmath>

namespace isolume::electrostatics {

DifferenceNumbers difference_numbers(std::span<const float> differences, const jobs::Progress& progress) {
  constexpr std::size_t block = 1 << 20;
  DifferenceNumbers numbers;
  double sum = 0, squares = 0;
  for (std::size_t from = 0; from < differences.size(); from += block) {
    progress.check();
    for (const float value : differences.subspan(from, std::min(block, differences.size() - from))) {
      if (!std::isfinite(value)) continue;
      ++numbers.count;
      sum += value;
      squares += static_cast<double>(value) * value;
      if (std::abs(value) > std::abs(numbers.largest)) numbers.largest = value;
    }
  }
  if (numbers.count == 0) return numbers;
  numbers.mean = sum / static_cast<double>(numbers.count);
  numbers.rms = std::sqrt(squares / static_cast<double>(numbers.count));
  return numbers;
}

}  // namespace isolume::electrostatics
