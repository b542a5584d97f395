#include "app/labs/livewire/views/slice_picture.h"

#include <QBuffer>
#include <cmath>

#include "app/labs/livewire/views/contour_overlay.h"
#include "app/workbench/contract/translated.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace isolume::labs::livewire {

void draw_over_slice(QPainter& painter, const slices::SliceView& view, slices::HeatLayer* layer,
                     const contours::ContourSet& contours, std::optional<std::uint64_t> selected,
                     const ToolParameters& look) {
  if (layer != nullptr) layer->paint(painter, view);
  draw_contours(painter, view, contours, selected,
                {.fill_opacity = look.fill_opacity, .line_px = look.wire_width});
  draw_rulers(painter, view, contours.rulers(), ruler_colour(), look.wire_width);
}

QImage draw_slice_picture(const SlicePicture& wanted, int width, int height, int dpi) {
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
  constexpr double inches_per_metre = 39.37007874;
  picture.setDotsPerMeterX(static_cast<int>(std::lround(dpi * inches_per_metre)));
  picture.setDotsPerMeterY(picture.dotsPerMeterX());
  return picture;
}

void write_png(const QImage& picture, const std::filesystem::path& path) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  if (!picture.save(&buffer, "PNG"))
    throw Error(workbench::said(QObject::tr("%1: the image could not be encoded as PNG."), path.string()));
  AtomicFile file(path);
  file.stream().write(bytes.constData(), bytes.size());
  file.commit();
}

}  // namespace isolume::labs::livewire
