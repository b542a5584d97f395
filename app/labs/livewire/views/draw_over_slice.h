#pragma once

#include <cstdint>
#include <optional>

#include "app/labs/livewire/views/tool_parameters.h"
#include "app/slices/heat_layer.h"
#include "app/slices/slice_view.h"
#include "core/contours/contour.h"

namespace isolume::labs::livewire {

/// Draws what lies over a slice: the layer (null: none), then the contours.
void draw_over_slice(QPainter& painter, const slices::SliceView& view, slices::HeatLayer* layer,
                     const contours::ContourSet& contours, std::optional<std::uint64_t> selected,
                     const ToolParameters& look);

}  // namespace isolume::labs::livewire
