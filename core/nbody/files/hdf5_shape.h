#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace isolume::nbody {

/// Number of values of a dataset along each of its dimensions.
using Shape = std::vector<std::uint64_t>;

/// 0 on overflow.
inline std::uint64_t product(const Shape& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t each : shape) {
    if (each != 0 && count > std::numeric_limits<std::uint64_t>::max() / 16 / each) return 0;
    count *= each;
  }
  return count;
}

}  // namespace isolume::nbody
