#pragma once

#include "app/slices/slice_view.h"
#include "core/volumes/counts.h"

namespace isolume::labs::anatomy {

/// Draws lines that lie `spacing_mm` apart on the slice's grid, each of their points where the displacement takes it within
/// the slice's plane.
void draw_deformed_grid(QPainter& painter, const slices::SliceView& view,
                        const volumes::VectorField& displacement, double spacing_mm);

}  // namespace isolume::labs::anatomy
