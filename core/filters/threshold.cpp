#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/filters/declare.h"
#include "core/filters/in_parallel.h"

namespace isolume::filters {
namespace {

enum class ThresholdOutput { mask, values };

struct ThresholdParameters {
  double low = 0.5;
  double high = static_cast<double>(std::numeric_limits<float>::max());
  ThresholdOutput output = ThresholdOutput::mask;
  double outside = 0;
};

const Schema<ThresholdParameters>& threshold_schema() {
  using P = ThresholdParameters;
  constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
  static const Schema<P> schema({
      field("low", &P::low, "From")
          .range(-most, most)
          .special(-most, "No lower limit")
          .help("Least value inside, in the unit of the image."),
      field("high", &P::high, "To")
          .range(-most, most)
          .special(most, "No upper limit")
          .help("Greatest value inside, in the unit of the image."),
      field("output", &P::output, "Output", {{"mask", "1 inside, 0 outside"}, {"values", "Values inside"}})
          .help("A mask, or the values of the image inside."),
      field("outside", &P::outside, "Value outside")
          .range(-most, most)
          .only_when("output", {"values"})
          .help("Value of the voxels outside."),
  });
  return schema;
}

Filtered apply_threshold(const grid::ScalarField& image, const ThresholdParameters& parameters,
                         const jobs::Progress& progress) {
  if (parameters.low > parameters.high) {
    throw Error(fmt::format("low: {} is above high, {}: no value is between them. Exchange them.",
                            parameters.low, parameters.high));
  }
  const FieldValues& values = image.values;
  FieldValues result(values.size());
  const bool is_mask = parameters.output == ThresholdOutput::mask;
  const auto outside = is_mask ? 0.F : static_cast<float>(parameters.outside);
  const auto plane =
      static_cast<std::size_t>(image.grid.dimensions[0]) * static_cast<std::size_t>(image.grid.dimensions[1]);
  std::vector<std::size_t> inside(static_cast<std::size_t>(image.grid.dimensions[2]));
  in_parallel(image.grid.dimensions[2], progress, [&](int z) {
    const std::size_t begin = static_cast<std::size_t>(z) * plane;
    std::size_t count = 0;
    for (std::size_t i = begin; i < begin + plane; ++i) {
      const auto value = static_cast<double>(values[i]);
      const bool is_inside = value >= parameters.low && value <= parameters.high;
      count += is_inside ? 1 : 0;
      const float kept = is_mask ? 1.F : values[i];
      result[i] = is_inside ? kept : outside;
    }
    inside[static_cast<std::size_t>(z)] = count;
  });
  Filtered filtered = like(image, std::move(result));
  if (is_mask) filtered.image.unit.clear();
  std::size_t voxels = 0;
  for (const std::size_t each : inside) voxels += each;
  filtered.report["voxels_inside"] = voxels;
  return filtered;
}

}  // namespace

FilterKind threshold_filter() {
  FilterKind kind = declare("threshold", "Threshold", "Selects voxels by their values.", threshold_schema(),
                            apply_threshold);
  kind.needs_right_angles = false;
  return kind;
}

}  // namespace isolume::filters
