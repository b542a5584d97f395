#pragma once

#include <QImage>
#include <cstdint>
#include <memory>
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

/// One slice in a picture, without a window.
struct SlicePicture {
  std::shared_ptr<const images::Document> image;
  images::SliceId slice;
  std::optional<images::Volume> copy = {};  ///< of the slice; needed where the image is a mapped file
  images::Window window;
  images::Interpolation interpolation = images::Interpolation::linear;
  slices::SliceView::Overlay kept = {}, over = {};  ///< drawn over it, in this order
};
/// The whole slice, fitted into so many pixels, with its texts. Needs a QApplication, for its fonts.
QImage draw_slice_picture(const SlicePicture& wanted, int width, int height);

}  // namespace isolume::labs::livewire
