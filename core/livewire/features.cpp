#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/livewire/costs.h"
#include "core/livewire/edge_rows.h"

namespace isolume::livewire {

namespace {

/// Sums over a kernel of position^power * weight.
double moment(const std::vector<double>& weights, int power) {
  const int radius = static_cast<int>(weights.size() / 2);
  double sum = 0;
  for (int k = -radius; k <= radius; ++k)
    sum += std::pow(k, power) * weights[static_cast<std::size_t>(k + radius)];
  return sum;
}

/// The half from the middle on, scaled.
std::vector<float> scaled_half(const std::vector<double>& weights, double factor) {
  std::vector<float> half;
  for (std::size_t k = weights.size() / 2; k < weights.size(); ++k)
    half.push_back(static_cast<float>(weights[k] * factor));
  return half;
}

/// A Gaussian and its derivatives, sampled out to 4 sigma and scaled such that constants, ramps and parabolas have
/// exactly the right value, slope and curvature.
rows::Kernels gaussian_kernels(double sigma) {
  const int radius = std::max(1, static_cast<int>(std::ceil(4 * sigma)));
  std::vector<double> smooth, slope, curvature;
  for (int k = -radius; k <= radius; ++k) {
    const double u = k / sigma, value = std::exp(-u * u / 2);
    smooth.push_back(value);
    slope.push_back(k * value);
    curvature.push_back((u * u - 1) * value);
  }
  const double excess = moment(curvature, 0) / moment(smooth, 0);
  for (std::size_t k = 0; k < curvature.size(); ++k) curvature[k] -= excess * smooth[k];
  return {scaled_half(smooth, 1 / moment(smooth, 0)), scaled_half(slope, 1 / moment(slope, 1)),
          scaled_half(curvature, 2 / moment(curvature, 2))};
}
rows::Kernels sobel_kernels() {
  return {{0.5F, 0.25F}, {0, 0.5F}, {0, 0}};
}

/// An index mirrored at the centres of the first and the last pixel, for any distance.
int mirrored(int index, int size) {
  if (size == 1) return 0;
  const int period = 2 * (size - 1);
  index = std::abs(index) % period;
  return index < size ? index : period - index;
}

/// Histogram of non-negative gradients by their bit patterns, which have the same order: an eighth of an octave per
/// bin.
class Histogram {
 public:
  static std::size_t bin(float value) { return std::bit_cast<std::uint32_t>(value) >> 20; }
  void add(const float* values, int count) {
    // Neighbouring values are similar, and repeated increments of one counter are slow.
    for (int i = 0; i < count; ++i) ++counts_[i % 4][bin(values[i])];
  }
  void add(const Histogram& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      for (std::size_t each = 0; each < bins; ++each) counts_[i][each] += other.counts_[i][each];
  }
  std::size_t count(std::size_t of) const {
    std::size_t sum = 0;
    for (const auto& counts : counts_) sum += counts[of];
    return sum;
  }

 private:
  static constexpr std::size_t bins = 2048;
  std::array<std::array<std::uint32_t, bins>, 4> counts_{};
};

/// The magnitude that 99.9 % of the pixels do not exceed; the maximum where that is 0; 1 in a flat image.
float scale_of(const FieldValues& magnitudes, const Histogram& histogram) {
  std::size_t rank = (magnitudes.size() - 1) * 999 / 1000, bin = 0;
  for (; rank >= histogram.count(bin); ++bin) rank -= histogram.count(bin);
  std::vector<float> candidates;
  candidates.reserve(histogram.count(bin));
  std::ranges::copy_if(magnitudes, std::back_inserter(candidates),
                       [&](float value) { return Histogram::bin(value) == bin; });
  const auto at = candidates.begin() + static_cast<std::ptrdiff_t>(rank);
  std::ranges::nth_element(candidates, at);
  if (*at > 0) return *at;
  const float greatest = std::ranges::max(magnitudes);
  return greatest > 0 ? greatest : 1;
}

/// Fills the features of a slice band by band: down the columns first, then along the row.
class Filters {
 public:
  Filters(const images::SliceImage& slice, const CostParameters& parameters, Features& features)
      : slice_(slice), features_(features), gaussian_(gaussian_kernels(parameters.sigma_px)) {
    if (parameters.filter == GradientFilter::sobel) gradient_ = sobel_kernels();
  }

  void fill_rows(int first, int last, Histogram& histogram) const {
    const int width = features_.width, radius = gaussian_.radius(), count = 2 * radius + 1;
    rows::Buffer image(count, width, 0), down(3, width, radius), along(4, width, 0);
    std::vector<const float*> around(static_cast<std::size_t>(count));
    const auto slot = [&](int y) { return (y + count) % count; };
    for (int y = first - radius; y < first + radius; ++y) copy_row(y, image[slot(y)]);
    for (int y = first; y < last; ++y) {
      copy_row(y + radius, image[slot(y + radius)]);
      for (int k = -radius; k <= radius; ++k)
        around[static_cast<std::size_t>(k + radius)] = image[slot(y + k)];
      const rows::Filtered columns{down[0], down[1], down[2]};
      const auto filter = [&](const rows::Kernels& kernels, float* laplacian) {
        rows::filter_down(kernels, around.data() + radius - kernels.radius(), width, columns);
        for (int row = 0; row < 3; ++row) mirror(down[row], kernels.radius());
        rows::filter_along(kernels, columns, width, along[0], along[1], laplacian);
      };
      filter(gaussian_, along[2]);
      if (gradient_) filter(*gradient_, along[3]);
      rows::magnitudes(along[0], along[1], width, along[3]);
      histogram.add(along[3], width);
      const std::size_t start = static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
      FieldValues* const to[] = {&features_.gradient_x, &features_.gradient_y, &features_.laplacian,
                                 &features_.gradient};
      for (int row = 0; row < 4; ++row) std::copy_n(along[row], width, to[row]->data() + start);
    }
  }

 private:
  /// NaN, which means "no data" in most files, would spread as far as the filters reach. Larger values than the bound
  /// would overflow when squared.
  void copy_row(int y, float* to) const {
    constexpr float bound = 1e18F;
    const int inside = mirrored(y, features_.height);
    const float* from =
        slice_.values.data() + static_cast<std::size_t>(inside) * static_cast<std::size_t>(features_.width);
    for (int x = 0; x < features_.width; ++x) {
      const float value = std::abs(from[x]) <= std::numeric_limits<float>::max() ? from[x] : 0.0F;
      to[x] = std::min(std::max(value, -bound), bound);
    }
  }
  void mirror(float* row, int margin) const {
    const int width = features_.width;
    for (int k = 1; k <= margin; ++k) {
      row[-k] = row[mirrored(-k, width)];
      row[width - 1 + k] = row[mirrored(width - 1 + k, width)];
    }
  }

  const images::SliceImage& slice_;
  Features& features_;
  rows::Kernels gaussian_;
  std::optional<rows::Kernels> gradient_;  ///< where it is not the Gaussian's
};

}  // namespace

Features compute_features(const images::SliceImage& slice, const CostParameters& parameters,
                          const jobs::Progress& progress) {
  Features features;
  features.width = slice.plane.columns;
  features.height = slice.plane.rows;
  for (auto* values : {&features.gradient, &features.gradient_x, &features.gradient_y, &features.laplacian})
    values->resize(slice.values.size());
  const Filters filters(slice, parameters, features);
  Histogram histogram;
  std::mutex mutex;
  handover::parallel_for(tbb::blocked_range<int>(0, features.height, 32), [&](const auto& rows) {
    progress.check();
    Histogram own;
    filters.fill_rows(rows.begin(), rows.end(), own);
    const std::scoped_lock lock(mutex);
    histogram.add(own);
  });
  progress.report(0.8, "edges");
  features.gradient_scale = scale_of(features.gradient, histogram);
  return features;
}

}  // namespace isolume::livewire
