#include "core/flames/tally.h"

#include <functional>
#include <numeric>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"

namespace isolume::flames {

Tally::Tally(int columns, int rows) : width(columns), height(rows) {
  const auto pixels = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  dispatch::require_memory("The histogram of the flame", pixels * sizeof(Bin), "Choose a smaller picture.");
  bins.resize(pixels);
}

void Tally::add(const Tally& other) {
  if (other.width != width || other.height != height)
    throw Error("Histograms of different sizes cannot be added. Choose one size.");
  for (std::size_t i = 0; i < bins.size(); ++i) {
    bins[i].count += other.bins[i].count;
    bins[i].red += other.bins[i].red;
    bins[i].green += other.bins[i].green;
    bins[i].blue += other.bins[i].blue;
  }
  points += other.points;
}

std::uint64_t Tally::in_view() const {
  return std::transform_reduce(bins.begin(), bins.end(), std::uint64_t{0}, std::plus<>(),
                               [](const Bin& bin) { return bin.count; });
}

}  // namespace isolume::flames
