#include "app/workbench/look/picture_view.h"

#include <QMouseEvent>
#include <QPainter>
#include <cmath>

namespace isolume::workbench {

QImage image_of(std::shared_ptr<const void> owner, const std::uint8_t* rgba, int width, int height) {
  return QImage(
      rgba, width, height, 4 * width, QImage::Format_RGBA8888,
      [](void* shared) { delete static_cast<std::shared_ptr<const void>*>(shared); },
      new std::shared_ptr<const void>(std::move(owner)));
}

PictureView::PictureView(const QString& object_name) {
  setObjectName(object_name);
  setMinimumSize(160, 120);
}

void PictureView::show_picture(const QImage& picture, const QString& caption) {
  picture_ = picture;
  caption_ = caption;
  update();
}

QSize PictureView::pixels() const {
  return (QSizeF(size()) * devicePixelRatioF()).toSize().expandedTo({16, 16});
}

void PictureView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), Qt::black);
  painter.drawImage(rect(), picture_);
  painter.setRenderHint(QPainter::Antialiasing);
  draw_over(painter);
  if (caption_.isEmpty()) return;
  const QRect box = painter.fontMetrics().boundingRect(caption_).adjusted(-6, -4, 6, 4);
  const QRect place(QPoint(8, height() - box.height() - 8), box.size());
  painter.fillRect(place, QColor(0, 0, 0, 150));
  painter.setPen(Qt::white);
  painter.drawText(place, Qt::AlignCenter, caption_);
}

void PictureView::mousePressEvent(QMouseEvent* event) {
  hand.press(event->position(), event->button());
}

void PictureView::mouseMoveEvent(QMouseEvent* event) {
  hand.drag(event->position(), false);
}

void PictureView::mouseReleaseEvent(QMouseEvent* event) {
  hand.drag(event->position(), true);
}

void PictureView::wheelEvent(QWheelEvent* event) {
  constexpr double units_per_doubling = 480;  // four notches of a usual wheel
  hand.zoom(event->position(), std::exp2(event->angleDelta().y() / units_per_doubling));
}

void PictureView::resizeEvent(QResizeEvent*) {
  resized();
}

}  // namespace isolume::workbench
