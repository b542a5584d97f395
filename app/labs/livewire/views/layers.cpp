#include "app/labs/livewire/views/layers.h"

#include <limits>

namespace isolume::labs::livewire {
namespace {

using isolume::livewire::CostGrid;
using isolume::livewire::Pixel;

constexpr float nothing = std::numeric_limits<float>::quiet_NaN();

float mean_arc_into(const CostGrid& grid, Pixel to) {
  float sum = 0;
  int count = 0;
  for (int direction = 0; direction < grid.directions(); ++direction) {
    const auto d = static_cast<std::size_t>(direction);
    const Pixel from{to.x - isolume::livewire::steps[d].x, to.y - isolume::livewire::steps[d].y};
    if (!grid.contains(from)) continue;
    sum += static_cast<float>(grid.arc(grid.index(from), grid.index(to), direction)) * 128 /
           static_cast<float>(grid.length[d]);
    ++count;
  }
  return count > 0 ? sum / static_cast<float>(count) : nothing;
}

}  // namespace

slices::HeatMap gradient_map(images::SliceId slice, const isolume::livewire::Features& features,
                             const std::string& unit) {
  return slices::make_heat_map(slice, features.width, features.height, features.gradient,
                               QObject::tr("Gradient"),
                               QString::fromStdString((unit.empty() ? "1" : unit) + "/px"));
}

slices::HeatMap cost_map(images::SliceId slice, const CostGrid& grid) {
  const auto scale = static_cast<float>(1 / grid.units_per_one);
  FieldValues values(grid.pixel_count());
  for (int y = 0; y < grid.height; ++y) {
    for (int x = 0; x < grid.width; ++x) {
      const std::size_t at = grid.index({x, y});
      values[at] = scale * (grid.arcs.empty() ? grid.node[at] : mean_arc_into(grid, {x, y}));
    }
  }
  return slices::make_heat_map(slice, grid.width, grid.height, std::move(values), QObject::tr("Cost"), {});
}

slices::HeatMap distance_map(images::SliceId slice, const CostGrid& grid,
                             const std::vector<std::uint32_t>& distances) {
  FieldValues values(distances.size());
  const double scale = 1 / grid.units_per_one;
  for (std::size_t at = 0; at < values.size(); ++at) {
    values[at] =
        distances[at] == isolume::livewire::unreached ? nothing : static_cast<float>(scale * distances[at]);
  }
  return slices::make_heat_map(slice, grid.width, grid.height, std::move(values), QObject::tr("Distance"),
                               QObject::tr("steps of cost 1"));
}

}  // namespace isolume::labs::livewire
