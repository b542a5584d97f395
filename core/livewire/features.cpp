#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/livewire/costs.h"

namespace isolume::livewire {

namespace {

/// Weights of value(x - radius) ... value(x + radius).
struct Kernel {
  std::vector<float> weights;
  int radius() const { return static_cast<int>(weights.size() / 2); }
};

Kernel scaled(const std::vector<double>& weights, double factor) {
  Kernel kernel;
  for (const double weight : weights) kernel.weights.push_back(static_cast<float>(weight * factor));
  return kernel;
}

/// Sums over a kernel of position^power * weight.
double moment(const std::vector<double>& weights, int power) {
  const int radius = static_cast<int>(weights.size() / 2);
  double sum = 0;
  for (int k = -radius; k <= radius; ++k)
    sum += std::pow(k, power) * weights[static_cast<std::size_t>(k + radius)];
  return sum;
}

/// A Gaussian and its derivatives, sampled out to 4 sigma and scaled so that constants, ramps and parabolas
/// have exactly the value, slope and curvature they should.
struct GaussianKernels {
  Kernel smooth, slope, curvature;
};
GaussianKernels gaussian_kernels(double sigma) {
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
  return {scaled(smooth, 1 / moment(smooth, 0)), scaled(slope, 1 / moment(slope, 1)),
          scaled(curvature, 2 / moment(curvature, 2))};
}

/// An index mirrored at the centres of the first and the last pixel, for any distance.
int mirrored(int index, int size) {
  if (size == 1) return 0;
  const int period = 2 * (size - 1);
  index = std::abs(index) % period;
  return index < size ? index : period - index;
}

/// Weighted sum of whole rows about row y.
void filter_down(const FieldValues& image, int width, int height, int y, const Kernel& kernel, float* sum) {
  std::fill_n(sum, width, 0.0F);
  for (int k = -kernel.radius(); k <= kernel.radius(); ++k) {
    const float* row =
        image.data() + static_cast<std::size_t>(mirrored(y + k, height)) * static_cast<std::size_t>(width);
    const float weight = kernel.weights[static_cast<std::size_t>(k + kernel.radius())];
    for (int x = 0; x < width; ++x) sum[x] += weight * row[x];
  }
}

/// A row with room for a kernel on both sides of it.
class MirroredRow {
 public:
  MirroredRow(int width, int margin)
      : width_(width), margin_(margin), values_(static_cast<std::size_t>(width + 2 * margin)) {}
  float* data() { return values_.data() + margin_; }
  void mirror() {
    for (int k = 1; k <= margin_; ++k) {
      data()[-k] = data()[mirrored(-k, width_)];
      data()[width_ - 1 + k] = data()[mirrored(width_ - 1 + k, width_)];
    }
  }
  void add_filtered(const Kernel& kernel, float* sum) {
    for (int k = -kernel.radius(); k <= kernel.radius(); ++k) {
      const float weight = kernel.weights[static_cast<std::size_t>(k + kernel.radius())];
      const float* from = data() + k;
      for (int x = 0; x < width_; ++x) sum[x] += weight * from[x];
    }
  }

 private:
  int width_, margin_;
  std::vector<float> values_;
};

/// The filters of one slice, row by row: down the columns first, which needs no buffers, then along the row.
struct Filters {
  Kernel smooth, slope;      ///< of the gradient
  GaussianKernels gaussian;  ///< of the Laplacian

  void fill_rows(const FieldValues& image, Features& features, int first, int last) const {
    const int width = features.width, height = features.height;
    MirroredRow row(width, std::max(smooth.radius(), gaussian.smooth.radius()));
    const auto pass = [&](const Kernel& down, const Kernel& along, int y, float* sum) {
      filter_down(image, width, height, y, down, row.data());
      row.mirror();
      row.add_filtered(along, sum);
    };
    for (int y = first; y < last; ++y) {
      const std::size_t start = static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
      float *x_slope = features.gradient_x.data() + start, *y_slope = features.gradient_y.data() + start,
            *laplacian = features.laplacian.data() + start, *magnitude = features.gradient.data() + start;
      for (float* values : {x_slope, y_slope, laplacian}) std::fill_n(values, width, 0.0F);
      pass(smooth, slope, y, x_slope);
      pass(slope, smooth, y, y_slope);
      pass(gaussian.smooth, gaussian.curvature, y, laplacian);
      pass(gaussian.curvature, gaussian.smooth, y, laplacian);
      for (int x = 0; x < width; ++x)
        magnitude[x] = std::sqrt(x_slope[x] * x_slope[x] + y_slope[x] * y_slope[x]);
    }
  }
};

Filters filters_of(const CostParameters& parameters) {
  Filters filters{.smooth = {}, .slope = {}, .gaussian = gaussian_kernels(parameters.sigma_px)};
  if (parameters.filter == GradientFilter::sobel) {
    filters.smooth.weights = {0.25F, 0.5F, 0.25F};
    filters.slope.weights = {-0.5F, 0, 0.5F};
  } else {
    filters.smooth = filters.gaussian.smooth;
    filters.slope = filters.gaussian.slope;
  }
  return filters;
}

/// The magnitude that 99.9 % of the pixels do not exceed; the greatest where that is 0; 1 in a flat image.
float scale_of(const FieldValues& magnitudes) {
  FieldValues sorted = magnitudes;
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) * 999 / 1000);
  std::ranges::nth_element(sorted, at);
  if (*at > 0) return *at;
  const float greatest = std::ranges::max(sorted);
  return greatest > 0 ? greatest : 1;
}

}  // namespace

Features compute_features(const images::SliceImage& slice, const CostParameters& parameters,
                          const jobs::Progress& progress) {
  Features features;
  features.width = slice.plane.width;
  features.height = slice.plane.height;
  // What is not a number would spread as far as the filters reach; it stands for "no data" in most files. The
  // square of what is larger than the bound would be infinite.
  constexpr float bound = 1e18F;
  FieldValues image = slice.values;
  for (float& value : image) value = std::isfinite(value) ? std::clamp(value, -bound, bound) : 0.0F;
  for (auto* values : {&features.gradient, &features.gradient_x, &features.gradient_y, &features.laplacian})
    values->resize(image.size());
  const Filters filters = filters_of(parameters);
  handover::parallel_for(tbb::blocked_range<int>(0, features.height, 16), [&](const auto& rows) {
    progress.check();
    filters.fill_rows(image, features, rows.begin(), rows.end());
  });
  progress.report(0.8, "edges");
  features.gradient_scale = scale_of(features.gradient);
  return features;
}

}  // namespace isolume::livewire
