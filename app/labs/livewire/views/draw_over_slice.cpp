#include "app/labs/livewire/views/draw_over_slice.h"

#include "app/labs/livewire/views/contour_overlay.h"

namespace isolume::labs::livewire {

void draw_over_slice(QPainter& painter, const slices::SliceView& view, slices::HeatLayer* layer,
                     const contours::ContourSet& contours, std::optional<std::uint64_t> selected,
                     const ToolParameters& look) {
  if (layer != nullptr) layer->paint(painter, view);
  draw_contours(painter, view, contours, selected,
                {.fill_opacity = look.fill_opacity, .line_px = look.wire_width});
  draw_rulers(painter, view, contours.rulers(), ruler_colour(), look.wire_width);
}

}  // namespace isolume::labs::livewire
