#include "app/slices/slice_picture.h"

namespace isolume::slices {

QImage draw_slice_picture(const SlicePicture& wanted, int width, int height) {
  SliceView view;
  view.resize(width, height);
  view.set_document(wanted.image);
  view.set_slice(wanted.slice);
  if (wanted.copy) view.take_slice(wanted.slice, wanted.copy);
  view.set_window(wanted.window);
  view.set_interpolation(wanted.interpolation);
  if (wanted.kept) view.add_overlay(wanted.kept, SliceView::Drawn::kept);
  if (wanted.over) view.add_overlay(wanted.over);
  QImage picture(width, height, QImage::Format_RGB32);
  picture.fill(Qt::black);
  static_cast<QWidget&>(view).render(&picture);
  return picture;
}

}  // namespace isolume::slices
