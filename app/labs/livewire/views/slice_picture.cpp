#include "app/labs/livewire/views/slice_picture.h"

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

QImage draw_slice_picture(const SlicePicture& wanted, int width, int height) {
  slices::SliceView view;
  view.resize(width, height);
  view.set_document(wanted.image);
  view.set_slice(wanted.slice);
  if (wanted.copy) view.take_slice(wanted.slice, wanted.copy);
  view.set_window(wanted.window);
  view.set_interpolation(wanted.interpolation);
  if (wanted.kept) view.add_overlay(wanted.kept, slices::SliceView::Drawn::kept);
  if (wanted.over) view.add_overlay(wanted.over);
  QImage picture(width, height, QImage::Format_RGB32);
  picture.fill(Qt::black);
  static_cast<QWidget&>(view).render(&picture);
  return picture;
}

}  // namespace isolume::labs::livewire
