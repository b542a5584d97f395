#pragma once

#include "app/slices/heat_layer.h"
#include "core/livewire/cost_grid.h"
#include "core/livewire/costs.h"
#include "core/livewire/engine.h"

namespace isolume::labs::livewire {

// What the wire sees, as heat maps. For jobs: they take a few ms a megapixel.

/// Gradient magnitude, in the image's unit a pixel.
slices::HeatMap gradient_map(images::SliceId slice, const isolume::livewire::Features& features,
                             const std::string& unit);
/// Cost of a step of the shortest kind into a pixel, 0 (liked) to 1 (avoided). Where every arc has a cost of
/// its own: the mean over the arcs into the pixel, each divided by its length.
slices::HeatMap cost_map(images::SliceId slice, const isolume::livewire::CostGrid& grid);
/// Distances from the seed as Search::distances gives them, in the cost of such steps; nothing where none is
/// final.
slices::HeatMap distance_map(images::SliceId slice, const isolume::livewire::CostGrid& grid,
                             const std::vector<std::uint32_t>& distances);

}  // namespace isolume::labs::livewire
