#pragma once

#include <QObject>
#include <memory>

#include "core/images/document.h"

namespace isolume::slices {

/// An image, and where the person is in it: what linked views look at and change. Lives on the GUI thread.
class SliceModel : public QObject {
  Q_OBJECT
 public:
  explicit SliceModel(QObject* parent = nullptr) : QObject(parent) {}

  /// Null while nothing is open.
  const std::shared_ptr<const images::Document>& image() const { return image_; }
  /// Shows the middle of a new image.
  void set_image(std::shared_ptr<const images::Document> image);
  /// Another image of the same grid: places stay.
  void exchange_image(std::shared_ptr<const images::Document> image);

  /// The slice in the large view.
  images::SliceId slice() const { return slice_; }
  void set_slice(images::SliceId slice);
  /// Where the crosshair is, in mm; the small views show the slices through it.
  Eigen::Vector3d cursor_mm() const { return cursor_mm_; }
  void set_cursor(const Eigen::Vector3d& position_mm);

 Q_SIGNALS:
  void image_changed();
  void image_exchanged();  ///< for another one of the same grid
  void slice_changed();
  void cursor_changed();

 protected:
  /// As set_image, without signals.
  void put_image(std::shared_ptr<const images::Document> image);

 private:
  std::shared_ptr<const images::Document> image_;
  images::SliceId slice_;
  Eigen::Vector3d cursor_mm_ = Eigen::Vector3d::Zero();
};

}  // namespace isolume::slices
