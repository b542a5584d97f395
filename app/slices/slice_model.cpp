#include "app/slices/slice_model.h"

#include <algorithm>
#include <utility>

namespace isolume::slices {

void SliceModel::put_image(std::shared_ptr<const images::Document> image) {
  image_ = std::move(image);
  const auto& size = image_->volume.geometry.dimensions;
  slice_ = {2, size[2] / 2};
  cursor_mm_ = image_->volume.geometry.position(
      {(size[0] - 1) / 2.0, (size[1] - 1) / 2.0, static_cast<double>(slice_.index)});
}

void SliceModel::set_image(std::shared_ptr<const images::Document> image) {
  put_image(std::move(image));
  Q_EMIT image_changed();
  Q_EMIT slice_changed();
  Q_EMIT cursor_changed();
}

void SliceModel::exchange_image(std::shared_ptr<const images::Document> image) {
  image_ = std::move(image);
  Q_EMIT image_exchanged();
}

void SliceModel::set_slice(images::SliceId slice) {
  if (image_ == nullptr) return;
  const auto& geometry = image_->volume.geometry;
  slice.index = std::clamp(slice.index, 0, geometry.dimensions[static_cast<std::size_t>(slice.axis)] - 1);
  if (slice == slice_) return;
  slice_ = slice;
  Q_EMIT slice_changed();
  // The crosshair stays on the shown slice.
  Eigen::Vector3d index = geometry.index_at(cursor_mm_);
  index[slice.axis] = slice.index;
  set_cursor(geometry.position(index));
}

void SliceModel::set_cursor(const Eigen::Vector3d& position_mm) {
  if (position_mm == cursor_mm_) return;
  cursor_mm_ = position_mm;
  Q_EMIT cursor_changed();
}

}  // namespace isolume::slices

#include "moc_slice_model.cpp"
