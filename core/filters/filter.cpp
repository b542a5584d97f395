#include "core/filters/filter.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/commands/declaration.h"
#include "core/filters/declare.h"

namespace isolume::filters {

const std::vector<FilterKind>& filter_kinds() {
  static const std::vector<FilterKind> kinds{
      gaussian_filter(), median_filter(),    bilateral_filter(), diffusion_filter(), total_variation_filter(),
      gradient_filter(), threshold_filter(), resample_filter(),  bias_filter(),      histogram_filter(),
      erosion_filter(),  dilation_filter(),  opening_filter(),   closing_filter(),   components_filter(),
      watershed_filter()};
  return kinds;
}

const FilterKind& filter_kind(std::string_view name) {
  std::string known;
  for (const FilterKind& kind : filter_kinds()) {
    if (kind.name == name) return kind;
    known += (known.empty() ? "" : ", ") + kind.name;
  }
  throw Error(fmt::format("There is no filter named {}. Choose one of {}.", quoted(name), known));
}

std::unique_ptr<Filter> make_filter(std::string_view name) {
  const FilterKind& kind = filter_kind(name);
  return kind.make(kind);
}

nlohmann::ordered_json json_of(const std::vector<FilterKind>& kinds) {
  auto all = nlohmann::ordered_json::array();
  for (const FilterKind& kind : kinds) {
    auto parameters = nlohmann::ordered_json::array();
    for (const auto& each : kind.parameters) {
      commands::Argument argument;
      argument.description = each;
      parameters.push_back(commands::to_json(std::move(argument).optional(each.default_value)));
    }
    all.push_back({{"name", kind.name},
                   {"title", kind.title},
                   {"help", kind.help},
                   {"parameters", std::move(parameters)}});
  }
  return all;
}

void require_suitable(const FilterKind& kind, const grid::Grid& grid) {
  if (grid.point_count() == 0)
    throw Error(fmt::format("{}: the image has no voxels. Choose another image.", kind.name));
  if (grid.unit != grid::LengthUnit::millimetre) {
    throw Error(fmt::format(
        "{}: the lengths of the image are in {}, and filters measure in mm. Convert the image to mm.",
        kind.name, to_text(grid.unit)));
  }
  if (kind.needs_right_angles && !grid.is_orthogonal()) {
    throw Error(fmt::format(
        "{}: the axes of the image are not at right angles (a tilted gantry). Resample it to a grid whose "
        "axes are.",
        kind.name));
  }
}

std::array<int, 3> radius_in_voxels(const grid::Grid& grid, double radius_mm, std::string_view parameter) {
  std::array<int, 3> radius{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid.dimensions[axis] == 1) continue;
    const double voxels = std::round(radius_mm / grid.spacing(static_cast<int>(axis)));
    radius[axis] = static_cast<int>(std::min(voxels, static_cast<double>(grid.dimensions[axis])));
  }
  if (std::ranges::max(radius) == 0) {
    throw Error(
        fmt::format("{}: {} mm is less than half a voxel along each axis ({:.4g} x {:.4g} x {:.4g} "
                    "mm). Give a larger one.",
                    parameter, radius_mm, grid.spacing(0), grid.spacing(1), grid.spacing(2)));
  }
  return radius;
}

void remark_limits(const grid::Grid& grid, double radius_mm, std::string_view filter, Remarks& remarks) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int count = grid.dimensions[axis];
    if (count == 1 || std::round(radius_mm / grid.spacing(static_cast<int>(axis))) <= count) continue;
    remarks.converted(
        fmt::format("{}: the neighbourhood of a radius of {:.4g} mm is longer than the image along axis {}, "
                    "and was limited to {} voxels at each side.",
                    filter, radius_mm, axis + 1, count));
  }
}

}  // namespace isolume::filters
