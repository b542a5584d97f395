#include "app/slices/second_image.h"

#include <QPainter>

namespace isolume::slices {

void SecondImage::set_image(std::shared_ptr<const images::Document> image) {
  image_ = std::move(image);
  for (auto& [view, picture] : pictures_) picture.stale = true;
}

void SecondImage::paint(QPainter& painter, const SliceView& view) {
  if (image_ == nullptr || from_ >= 1 || view.document() == nullptr) return;
  if (view.document()->volume.geometry.dimensions != image_->volume.geometry.dimensions) return;
  Picture& picture = pictures_[&view];
  const images::PictureMap map = view.picture_map();
  const images::Window& window = view.window();
  if (picture.stale || !(picture.map == map) || !(picture.slice == view.slice()) ||
      picture.window.centre != window.centre || picture.window.width != window.width) {
    if (picture.image.width() != map.width || picture.image.height() != map.height)
      picture.image = QImage(map.width, map.height, QImage::Format_RGB32);
    images::render_slice(
        image_->volume, view.slice(), map, window, view.interpolation(),
        {reinterpret_cast<std::uint32_t*>(picture.image.bits()), picture.image.bytesPerLine() / 4});
    picture = {std::move(picture.image), view.slice(), map, window, false};
  }
  picture.image.setDevicePixelRatio(view.devicePixelRatioF());
  const double x = from_ * view.width();
  painter.setClipRect(QRectF(x, 0, view.width() - x, view.height()));
  painter.drawImage(QPointF(0, 0), picture.image);
  painter.setClipping(false);
  if (from_ > 0) {
    painter.setPen(QPen(Qt::black, 3));
    painter.drawLine(QPointF(x, 0), QPointF(x, view.height()));
    painter.setPen(QPen(Qt::white, 1));
    painter.drawLine(QPointF(x, 0), QPointF(x, view.height()));
  }
}

}  // namespace isolume::slices
