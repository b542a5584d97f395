#include "core/filters/label_statistics.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::filters {

std::vector<LabelStatistics> label_statistics(const grid::ScalarField& image, const grid::ScalarField& labels,
                                              const jobs::Progress& progress) {
  constexpr int most_labels = 1 << 24;  // that floats count
  if (image.grid.dimensions != labels.grid.dimensions || !image.grid.step.isApprox(labels.grid.step, 1e-4) ||
      (image.grid.origin - labels.grid.origin).norm() > 1e-2 * image.grid.spacing().minCoeff()) {
    throw Error("the labels lie on another grid than the image. Resample them to it first.");
  }
  std::map<int, LabelStatistics> all;
  LabelStatistics* last = nullptr;  // neighbours mostly have the same label
  for (std::size_t i = 0; i < image.values.size(); ++i) {
    constexpr std::size_t between_checks = 1U << 20U;
    if (i % between_checks == 0) progress.check();
    const float label = labels.values[i];
    if (!(label >= 0 && label <= static_cast<float>(most_labels) && label == std::floor(label))) {
      throw Error(
          fmt::format("{} is no label: labels are whole numbers from 0 to {}. Choose an image of labels.",
                      label, most_labels));
    }
    const auto value = static_cast<double>(image.values[i]);
    if (last == nullptr || last->label != static_cast<int>(label)) {
      last = &all.try_emplace(
                     static_cast<int>(label),
                     LabelStatistics{.label = static_cast<int>(label), .least = value, .greatest = value})
                  .first->second;
    }
    // Welford's recurrence, which loses no digits: the sum of squares is that of distances to the mean so far.
    ++last->voxels;
    const double distance = value - last->mean;
    last->mean += distance / static_cast<double>(last->voxels);
    last->standard_deviation += distance * (value - last->mean);
    last->least = std::min(last->least, value);
    last->greatest = std::max(last->greatest, value);
  }
  std::vector<LabelStatistics> list;
  for (auto& [label, each] : all) {
    each.volume_mm3 = static_cast<double>(each.voxels) * image.grid.cell_volume();
    each.standard_deviation =
        each.voxels > 1 ? std::sqrt(each.standard_deviation / static_cast<double>(each.voxels - 1)) : 0;
    list.push_back(each);
  }
  return list;
}

}  // namespace isolume::filters
