#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/flames/game.h"

namespace isolume::flames {

/// What fell into one pixel: the number of points and the sums of their colours, each 0 to 255. Integers, so that the
/// sum does not depend on the order.
struct alignas(32) Bin {
  std::uint64_t count = 0, red = 0, green = 0, blue = 0;
  bool operator==(const Bin&) const = default;
};

/// The histogram of a flame, row by row from the top.
struct Tally {
  int width = 0, height = 0;
  std::vector<Bin> bins;
  std::int64_t points = 0;  ///< plotted, in the view or not

  Tally() = default;
  /// Throws ResourceError if there is not enough memory.
  Tally(int columns, int rows);
  /// Adds a histogram of the same size. Throws Error for another size.
  void add(const Tally& other);
  std::uint64_t in_view() const;  ///< sum of all counts
  double points_per_pixel() const {
    return static_cast<double>(points) / (static_cast<double>(width) * height);
  }
  bool operator==(const Tally&) const = default;
};

}  // namespace isolume::flames
