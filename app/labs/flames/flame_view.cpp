#include "app/labs/flames/flame_view.h"

#include <QMouseEvent>
#include <QPainter>
#include <cmath>

#include "core/flames/game.h"

namespace isolume::labs::flames {

using namespace isolume::flames;

FlameView::FlameView() {
  setObjectName("flames.view");
  setMinimumSize(160, 120);
}

void FlameView::show_picture(const QImage& picture, const QString& text) {
  picture_ = picture;
  text_ = text;
  update();
}

void FlameView::show_flame(const Flame& flame, int chosen, bool triangles) {
  flame_ = flame;
  chosen_ = chosen;
  triangles_ = triangles;
  update();
}

View FlameView::view() const {
  const QSize pixels = (QSizeF(size()) * devicePixelRatioF()).toSize().expandedTo({16, 16});
  return resized(flame_.view, pixels.width(), pixels.height());
}

Affine FlameView::to_widget() const {
  const double ratio = 1 / devicePixelRatioF();
  return chained(to_pixels(view()), {ratio, 0, 0, 0, ratio, 0});
}

PlanePoint FlameView::to_plane(const QPointF& point) const {
  return inverse(to_widget(), {point.x(), point.y()});
}

void FlameView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), Qt::black);
  painter.drawImage(rect(), picture_);
  painter.setRenderHint(QPainter::Antialiasing);
  const Affine to_pixel = to_widget();
  for (int number = 1; triangles_ && number <= static_cast<int>(flame_.functions.size()); ++number) {
    QPolygonF corners;
    for (const PlanePoint& corner :
         triangle_of(flame_.functions[static_cast<std::size_t>(number - 1)].affine)) {
      const PlanePoint at = image(to_pixel, corner);
      corners << QPointF(at.x, at.y);
    }
    const bool chosen = number == chosen_;
    const QColor colour = chosen ? QColor(255, 255, 255) : QColor(190, 200, 215, 200);
    // A dark rim below a light line is visible on any picture.
    for (const QPen& pen : {QPen(QColor(0, 0, 0, 160), chosen ? 4 : 3), QPen(colour, chosen ? 2 : 1)}) {
      painter.setPen(pen);
      painter.setBrush(Qt::NoBrush);
      painter.drawPolygon(corners);
    }
    painter.setBrush(colour);
    for (const QPointF& corner : corners) painter.drawEllipse(corner, chosen ? 4.5 : 3, chosen ? 4.5 : 3);
    for (int k = 0; k < 3 && chosen; ++k) painter.drawText(corners[k] + QPointF(8, -6), QString("OXY"[k]));
  }
  const QRect box = painter.fontMetrics().boundingRect(text_).adjusted(-6, -4, 6, 4);
  const QRect place(QPoint(8, height() - box.height() - 8), box.size());
  painter.fillRect(place, QColor(0, 0, 0, 150));
  painter.setPen(Qt::white);
  painter.drawText(place, Qt::AlignCenter, text_);
}

void FlameView::mousePressEvent(QMouseEvent* event) {
  constexpr double reach_px = 9;
  drag_ = Drag{.from = to_plane(event->position()), .grip = {}, .map = {}};
  const Affine scale = to_widget();
  if (triangles_ && event->button() == Qt::LeftButton)
    drag_->grip = grip_at(flame_, chosen_, drag_->from, reach_px / std::hypot(scale.a, scale.d));
  if (!drag_->grip) return;
  drag_->map = flame_.functions[static_cast<std::size_t>(drag_->grip->function - 1)].affine;
  if (drag_->grip->function != chosen_) on_choice(drag_->grip->function);
}

void FlameView::drag_to(const QPointF& point, bool finished) {
  const PlanePoint to = to_plane(point);
  if (!drag_->grip) return on_view(panned(flame_.view, drag_->from, to), finished);
  on_map(drag_->grip->function, dragged(drag_->map, drag_->grip->corner, drag_->from, to), finished);
}

void FlameView::mouseMoveEvent(QMouseEvent* event) {
  if (!drag_) return;
  drag_->moved = true;
  drag_to(event->position(), false);
}

void FlameView::mouseReleaseEvent(QMouseEvent* event) {
  if (drag_ && drag_->moved) drag_to(event->position(), true);
  drag_.reset();
}

void FlameView::wheelEvent(QWheelEvent* event) {
  on_view(zoomed(flame_.view, std::exp2(event->angleDelta().y() / 480.0), to_plane(event->position())), true);
}

}  // namespace isolume::labs::flames
