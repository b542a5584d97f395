#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/filters/declare.h"
#include "core/filters/in_parallel.h"
#include "core/filters/padded.h"
#include "core/filters/stencil_kernels.h"

namespace isolume::filters {
namespace {

struct BilateralParameters {
  double sigma_mm = 1.5;
  double range = 50;
};

const Schema<BilateralParameters>& bilateral_schema() {
  using P = BilateralParameters;
  static const Schema<P> schema({
      field("sigma", &P::sigma_mm, "Standard deviation")
          .unit("mm")
          .range(0.01, 100)
          .usual(0.5, 5)
          .help("Standard deviation of the weights by distance. Voxels beyond 2.5 of it have none."),
      field("range", &P::range, "Range of values")
          .logarithmic()
          .range(1e-6, 1e9)
          .usual(1, 1000)
          .help("Standard deviation of the weights by difference of values, in the unit of the image. Edges "
                "much higher than this stay."),
  });
  return schema;
}

constexpr double cut_off = 2.5;  ///< standard deviations, as in ITK

Filtered apply_bilateral(const grid::ScalarField& image, const BilateralParameters& parameters,
                         const jobs::Progress& progress) {
  const auto spacing = spacing_of(image.grid);
  const auto& counts = image.grid.dimensions;
  std::array<int, 3> radius{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (counts[axis] > 1)
      radius[axis] = static_cast<int>(
          std::min(cut_off * parameters.sigma_mm / spacing[axis], static_cast<double>(counts[axis])));
  }
  const Padded padded(image.values, counts, radius);
  std::vector<Neighbour> neighbours;
  const double log2_e = std::numbers::log2e;
  for (int k = -radius[2]; k <= radius[2]; ++k) {
    for (int j = -radius[1]; j <= radius[1]; ++j) {
      for (int i = -radius[0]; i <= radius[0]; ++i) {
        const double distance =
            std::hypot(i * spacing[0], j * spacing[1], k * spacing[2]) / parameters.sigma_mm;
        if (distance == 0 || distance > cut_off) continue;
        neighbours.push_back(
            {padded.offset(i, j, k), static_cast<float>(0.5 * distance * distance * log2_e)});
      }
    }
  }
  const auto scale = static_cast<float>(0.5 * log2_e / (parameters.range * parameters.range));
  FieldValues values(image.values.size());
  in_parallel(counts[1] * counts[2], progress, [&](int i) {
    bilateral_row(padded.row(i % counts[1], i / counts[1]), neighbours, scale, counts[0],
                  values.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(counts[0]));
  });
  Filtered result = like(image, std::move(values));
  remark_limits(image.grid, cut_off * parameters.sigma_mm, "bilateral", result.remarks);
  result.report["neighbours"] = neighbours.size();
  return result;
}

}  // namespace

FilterKind bilateral_filter() {
  return declare(
      "bilateral", "Bilateral",
      "Averages over near voxels of similar values, which keeps edges (C. Tomasi, R. Manduchi, ICCV 1998).",
      bilateral_schema(), apply_bilateral);
}

}  // namespace isolume::filters
