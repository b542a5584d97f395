#include <algorithm>

#include "core/filters/declare.h"
#include "core/filters/in_parallel.h"
#include "core/filters/smooth.h"
#include "core/filters/stencil_kernels.h"

namespace isolume::filters {
namespace {

struct GradientParameters {
  double sigma_mm = 0;
};

const Schema<GradientParameters>& gradient_schema() {
  static const Schema<GradientParameters> schema({
      field("sigma", &GradientParameters::sigma_mm, "Standard deviation")
          .unit("mm")
          .range(0, 1000)
          .usual(0, 10)
          .help("Standard deviation of a Gaussian that smooths the image first; 0 leaves it as it is."),
  });
  return schema;
}

/// Lengths of the gradient: central differences inside, one-sided ones at the border, none along axes of one voxel.
FieldValues gradient_lengths(std::span<const float> image, const grid::Grid& grid,
                             const jobs::Progress& progress) {
  const auto& counts = grid.dimensions;
  const auto row = static_cast<std::size_t>(counts[0]), plane = row * static_cast<std::size_t>(counts[1]);
  FieldValues lengths(image.size());
  const auto inverse = [&](int axis, int distance) {
    return distance == 0 ? 0.F : static_cast<float>(1 / (grid.spacing(axis) * distance));
  };
  in_parallel(counts[2], progress, [&](int z) {
    thread_local FieldValues padded;
    padded.resize(std::max(padded.size(), row + 2));
    const int z0 = std::max(z - 1, 0), z1 = std::min(z + 1, counts[2] - 1);
    for (int y = 0; y < counts[1]; ++y) {
      const int y0 = std::max(y - 1, 0), y1 = std::min(y + 1, counts[1] - 1);
      const auto at = [&](int j, int k) {
        return image.data() + static_cast<std::size_t>(k) * plane + static_cast<std::size_t>(j) * row;
      };
      const float* here = at(y, z);
      std::copy_n(here, row, padded.data() + 1);
      // Extrapolated, so that the central difference at the border is the one-sided one.
      padded[0] = row > 1 ? 2 * here[0] - here[1] : here[0];
      padded[row + 1] = row > 1 ? 2 * here[row - 1] - here[row - 2] : here[0];
      difference_length({padded.data(), at(y0, z), at(y, z0)}, {padded.data() + 2, at(y1, z), at(y, z1)},
                        {inverse(0, 2), inverse(1, y1 - y0), inverse(2, z1 - z0)}, counts[0],
                        lengths.data() + (at(y, z) - image.data()));
    }
  });
  return lengths;
}

Filtered apply_gradient(const grid::ScalarField& image, const GradientParameters& parameters,
                        const jobs::Progress& progress) {
  const FieldValues& values = image.values;
  FieldValues smoothed;
  if (parameters.sigma_mm > 0) {
    smoothed = copy_in_parallel(values);
    std::array<double, 3> sigma = spacing_of(image.grid);
    for (double& each : sigma) each = parameters.sigma_mm / each;
    smooth(smoothed, image.grid.dimensions, sigma, progress.part(0, 0.5));
  }
  Filtered result = like(image, gradient_lengths(smoothed.empty() ? values : smoothed, image.grid,
                                                 progress.part(smoothed.empty() ? 0 : 0.5, 1)));
  if (!image.unit.empty()) result.image.unit = image.unit + "/mm";
  return result;
}

}  // namespace

FilterKind gradient_filter() {
  return declare("gradient", "Gradient magnitude",
                 "Length of the gradient, per mm: large at edges. Use it before a watershed.",
                 gradient_schema(), apply_gradient);
}

}  // namespace isolume::filters
