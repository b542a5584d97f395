#include "core/volumes/gaussian.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/filters/declare.h"
#include "core/filters/in_parallel.h"
#include "core/filters/smooth.h"
#include "core/filters/stencil_kernels.h"

namespace isolume::filters {
namespace {

/// Weights from -radius to radius.
std::vector<float> sampled_gaussian(double sigma) {
  const int radius = static_cast<int>(std::ceil(5 * sigma));
  std::vector<double> exact;
  double total = 0;
  for (int i = -radius; i <= radius; ++i) {
    exact.push_back(std::exp(-0.5 * (i / sigma) * (i / sigma)));
    total += exact.back();
  }
  std::vector<float> weights;
  for (const double each : exact) weights.push_back(static_cast<float>(each / total));
  return weights;
}

/// Convolves the lines along an axis with few weights.
void convolve(std::span<float> volume, const volumes::Counts& counts, std::size_t axis,
              std::span<const float> weights, const jobs::Progress& progress) {
  const int radius = static_cast<int>(weights.size() / 2);
  const auto row = static_cast<std::size_t>(counts[0]);
  const auto strides = std::array<std::size_t, 3>{1, row, row * static_cast<std::size_t>(counts[1])};
  // Tasks are planes across the axis that varies slowest, and hold copies of what they replace.
  const std::size_t across = axis == 2 ? 1 : 2;
  in_parallel(counts[across], progress, [&](int plane) {
    const auto lines = static_cast<std::size_t>(axis == 0 ? counts[1] : counts[axis]);
    float* first = volume.data() + static_cast<std::size_t>(plane) * strides[across];
    const std::size_t step = axis == 2 ? strides[2] : strides[1];
    const auto edge = static_cast<std::size_t>(axis == 0 ? radius : 0), width = row + 2 * edge;
    thread_local FieldValues copy;
    copy.resize(std::max(copy.size(), lines * width));
    for (std::size_t i = 0; i < lines; ++i) {
      float* to = copy.data() + i * width;
      const float* from = first + i * step;
      std::fill_n(to, edge, from[0]);
      std::copy_n(from, row, to + edge);
      std::fill_n(to + edge + row, edge, from[row - 1]);
    }
    std::vector<const float*> rows(weights.size());
    for (int i = 0; i < static_cast<int>(lines); ++i) {
      for (int k = -radius; k <= radius; ++k) {
        const int line = axis == 0 ? i : std::clamp(i + k, 0, static_cast<int>(lines) - 1);
        rows[static_cast<std::size_t>(k + radius)] =
            copy.data() + static_cast<std::size_t>(line) * width + (axis == 0 ? k + radius : 0);
      }
      weighted_sum(rows, weights, counts[0], first + static_cast<std::size_t>(i) * step);
    }
  });
}

struct GaussianParameters {
  double sigma_mm = 1;
};

const Schema<GaussianParameters>& gaussian_schema() {
  static const Schema<GaussianParameters> schema({
      field("sigma", &GaussianParameters::sigma_mm, "Standard deviation")
          .unit("mm")
          .range(0, 1000)
          .usual(0, 10)
          .help("Standard deviation of the Gaussian along each axis; 0 changes nothing."),
  });
  return schema;
}

Filtered apply_gaussian(const grid::ScalarField& image, const GaussianParameters& parameters,
                        const jobs::Progress& progress) {
  FieldValues values = copy_in_parallel(image.values.host());
  std::array<double, 3> sigma = spacing_of(image.grid);
  for (double& each : sigma) each = parameters.sigma_mm / each;
  smooth(values, image.grid.dimensions, sigma, progress);
  Filtered result = like(image, std::move(values));
  result.report["sigma_voxels"] = sigma;
  return result;
}

}  // namespace

void smooth(std::span<float> volume, const volumes::Counts& counts, const std::array<double, 3>& sigma,
            const jobs::Progress& progress) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    progress.check();
    const auto share = static_cast<double>(axis);
    progress.report(share / 3);
    constexpr double negligible = 0.1;  // the weight of the next voxel is 2e-22
    if (counts[axis] == 1 || sigma[axis] < negligible) continue;
    if (sigma[axis] < 1) {
      convolve(volume, counts, axis, sampled_gaussian(sigma[axis]),
               progress.part(share / 3, (share + 1) / 3));
    } else {
      std::array<double, 3> alone{};
      alone[axis] = sigma[axis];
      volumes::smooth_gaussian(volume, counts, alone);
    }
  }
}

FilterKind gaussian_filter() {
  return declare(
      "gaussian", "Gaussian",
      "Smooths with a Gaussian. Noise falls, and so do edges narrower than the standard deviation.",
      gaussian_schema(), apply_gaussian);
}

}  // namespace isolume::filters
