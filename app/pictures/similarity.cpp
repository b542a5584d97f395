#include "app/pictures/similarity.h"

#include <algorithm>
#include <cstddef>

namespace isolume::pictures {
namespace {

double window_similarity(std::span<const double> a, std::span<const double> b, std::size_t first,
                         std::size_t row_length, int width, int height) {
  constexpr double c1 = 6.5025;   // (0.01 * 255)^2
  constexpr double c2 = 58.5225;  // (0.03 * 255)^2
  double sum_a = 0, sum_b = 0, sum_aa = 0, sum_bb = 0, sum_ab = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const std::size_t i = first + static_cast<std::size_t>(y) * row_length + static_cast<std::size_t>(x);
      sum_a += a[i];
      sum_b += b[i];
      sum_aa += a[i] * a[i];
      sum_bb += b[i] * b[i];
      sum_ab += a[i] * b[i];
    }
  }
  const double n = static_cast<double>(width) * height;
  const double mean_a = sum_a / n;
  const double mean_b = sum_b / n;
  const double variance_a = sum_aa / n - mean_a * mean_a;
  const double variance_b = sum_bb / n - mean_b * mean_b;
  const double covariance = sum_ab / n - mean_a * mean_b;
  return (2 * mean_a * mean_b + c1) * (2 * covariance + c2) /
         ((mean_a * mean_a + mean_b * mean_b + c1) * (variance_a + variance_b + c2));
}

}  // namespace

double structural_similarity(std::span<const double> a, std::span<const double> b, int width, int height) {
  constexpr int window = 8;
  constexpr int stride = 4;
  const int across = std::min(window, width), down = std::min(window, height);
  const auto row_length = static_cast<std::size_t>(width);
  double sum = 0;
  int count = 0;
  for (int y = 0; y + down <= height; y += stride) {
    for (int x = 0; x + across <= width; x += stride, ++count) {
      const std::size_t first = static_cast<std::size_t>(y) * row_length + static_cast<std::size_t>(x);
      sum += window_similarity(a, b, first, row_length, across, down);
    }
  }
  return sum / count;
}

}  // namespace isolume::pictures
