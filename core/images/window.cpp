#include "core/images/window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace isolume::images {
namespace {

constexpr std::size_t bins = 65536;

/// Bin b counts the values around low + b * width.
struct Histogram {
  double low = 0, width = 1;
  std::vector<std::size_t> counts = std::vector<std::size_t>(bins);
  std::size_t total = 0;
};

Histogram histogram_of(const Volume& volume, const jobs::Progress& progress) {
  const auto range = value_range(volume);
  Histogram histogram;
  histogram.low = range.low;
  visit_pixel_type(volume.type, [&](auto pixel) {
    using Pixel = decltype(pixel);
    // 16-bit integers get a bin each.
    constexpr bool whole = std::is_integral_v<Pixel> && sizeof(Pixel) <= 2;
    histogram.width =
        std::max(whole ? std::abs(volume.slope) : (range.high - range.low) / (bins - 1), 1e-300);
    const auto* stored = volume.pixels<Pixel>();
    const std::size_t count = volume.geometry.point_count();
    constexpr std::size_t between_checks = std::size_t{1} << 22;
    for (std::size_t at = 0; at < count; ++at) {
      if (at % between_checks == 0) {
        progress.check();
        progress.report(static_cast<double>(at) / static_cast<double>(count), "histogram");
      }
      const double value = volume.slope * static_cast<double>(stored[at]) + volume.intercept;
      if (!std::isfinite(value)) continue;
      const double bin = (value - histogram.low) / histogram.width;
      ++histogram.counts[static_cast<std::size_t>(std::clamp(bin + 0.5, 0.0, bins - 1.0))];
      ++histogram.total;
    }
  });
  require_readable(volume);
  return histogram;
}

double value_of_rank(const Histogram& histogram, double fraction) {
  const auto rank = static_cast<std::size_t>(
      std::clamp(fraction, 0.0, 1.0) * static_cast<double>(histogram.total - 1) + 0.5);
  std::size_t bin = 0;
  for (std::size_t passed = histogram.counts[0]; passed <= rank; passed += histogram.counts[bin]) ++bin;
  return histogram.low + static_cast<double>(bin) * histogram.width;
}

}  // namespace

const std::vector<Window>& ct_windows() {
  static const std::vector<Window> windows{
      {-600, 1500, "lung"}, {400, 1800, "bone"}, {40, 80, "brain"}, {40, 400, "soft tissue"}};
  return windows;
}

Window window_over(const ValueRange& range, std::string name) {
  const double centre = range.low + (range.high - range.low) / 2;
  const double least = std::max(std::abs(centre), 1.0) * 1e-6;
  return {centre, std::max(range.high - range.low, least), std::move(name)};
}

Window percentile_window(const Volume& volume, double low, double high, const jobs::Progress& progress) {
  const Histogram histogram = histogram_of(volume, progress);
  if (histogram.total == 0) return {};
  return window_over({value_of_rank(histogram, low), value_of_rank(histogram, high)}, "auto");
}

SampledValues sampled_values(const Volume& volume) {
  const auto& size = volume.geometry.dimensions;
  constexpr int across = 128;
  SampledValues sampled;
  for (int y = 0; y < across; ++y) {
    for (int x = 0; x < across; ++x) {
      const double value = volume.value(static_cast<int>((x + 0.5) * size[0] / across),
                                        static_cast<int>((y + 0.5) * size[1] / across), size[2] / 2);
      if (std::isfinite(value)) {
        sampled.finite.push_back(value);
      } else {
        ++sampled.not_finite;
      }
    }
  }
  return sampled;
}

Window first_window(const Document& document) {
  if (!document.windows.empty()) return document.windows.front();
  const Volume& volume = document.volume;
  if (volume.colours != nullptr) return window_over({0, volume.full_colour});
  if (volume.type == PixelType::uint8) {
    return window_over({std::min(volume.intercept, volume.slope * 255 + volume.intercept),
                        std::max(volume.intercept, volume.slope * 255 + volume.intercept)});
  }
  std::vector<double> values = sampled_values(volume).finite;
  if (values.empty()) return {};
  std::ranges::sort(values);
  const auto last = static_cast<double>(values.size() - 1);
  return window_over(
      {values[static_cast<std::size_t>(0.01 * last)], values[static_cast<std::size_t>(0.99 * last)]});
}

}  // namespace isolume::images
