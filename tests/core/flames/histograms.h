#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "core/flames/engine.h"

namespace isolume::flames::test {

inline Tally played(const Engine& engine, const Flame& flame, const View& view, CloudRange clouds,
                    int threads = 1, std::uint64_t seed = 1) {
  Tally tally(view.width, view.height);
  dispatch::ComputeOptions options;
  options.threads = threads;
  engine.play(compile(flame, view, seed), clouds, tally, options);
  return tally;
}

/// Chi-square of two histograms for one distribution, per degree of freedom, over blocks of pixels with more than 20
/// points. It would be 1 on average for independent points; successive points of an orbit are not independent.
inline double chi_square(const Tally& a, const Tally& b, int block) {
  const int columns = (a.width + block - 1) / block;
  const int rows = (a.height + block - 1) / block;
  const auto blocks_of = [&](const Tally& tally) {
    std::vector<double> counts(static_cast<std::size_t>(columns * rows));
    for (int y = 0; y < tally.height; ++y) {
      for (int x = 0; x < tally.width; ++x)
        counts[static_cast<std::size_t>(y / block * columns + x / block)] +=
            static_cast<double>(tally.bins[static_cast<std::size_t>(y * tally.width + x)].count);
    }
    return counts;
  };
  const auto first = blocks_of(a), second = blocks_of(b);
  const double ratio = std::sqrt(static_cast<double>(b.points) / static_cast<double>(a.points));
  double sum = 0;
  int used = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] + second[i] <= 20) continue;
    const double difference = ratio * first[i] - second[i] / ratio;
    sum += difference * difference / (first[i] + second[i]);
    ++used;
  }
  return sum / used;
}

}  // namespace isolume::flames::test
