#pragma once

#include <QImage>
#include <map>
#include <memory>

#include "app/slices/slice_view.h"

namespace isolume::slices {

/// Another image of the same grid over a part of slice views, from a fraction of their width to the right: a wipe from one
/// image to the other. Cached for each view until image, window or view change.
class SecondImage {
 public:
  /// Null: none.
  void set_image(std::shared_ptr<const images::Document> image);
  /// 0: all of the view; 1: nothing of it.
  void set_from(double fraction) { from_ = fraction; }
  double from() const { return from_; }
  void paint(QPainter& painter, const SliceView& view);

 private:
  struct Picture {
    QImage image;
    images::SliceId slice;
    images::PictureMap map;
    images::Window window;
    bool stale = true;
  };

  std::shared_ptr<const images::Document> image_;
  double from_ = 0.5;
  std::map<const SliceView*, Picture> pictures_;
};

}  // namespace isolume::slices
