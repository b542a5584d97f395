#pragma once

#include <QImage>
#include <memory>
#include <optional>

#include "app/slices/slice_view.h"

namespace isolume::slices {

/// One slice in a picture, without a window.
struct SlicePicture {
  std::shared_ptr<const images::Document> image;
  images::SliceId slice;
  std::optional<images::Volume> copy = {};  ///< of the slice; needed where the image is a mapped file
  images::Window window;
  images::Interpolation interpolation = images::Interpolation::linear;
  SliceView::Overlay kept = {}, over = {};  ///< drawn over it, in this order
};
/// The whole slice, fitted into so many pixels, with its texts. Needs a QApplication, for its fonts.
QImage draw_slice_picture(const SlicePicture& wanted, int width, int height);

}  // namespace isolume::slices
