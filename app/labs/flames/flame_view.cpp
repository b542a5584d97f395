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
  drag_ = Drag{.from = to_plane(event->position())};
  const Affine scale = to_widget();
  if (triangles_ && event->button() == Qt::LeftButton)
    drag_->grip = grip_at(flame_, chosen_, drag_->from, reach_px / std::hypot(scale.a, scale.d));
  if (!drag_->grip) return;
  const int number = drag_->grip->function;
  drag_->map = flame_.functions[static_cast<std::size_t>(number - 1)].affine;
  if (number != chosen_) on_command("parameter.set", {"function", std::to_string(number)}, true);
}

void FlameView::drag_to(const QMouseEvent* event, bool finished) {
  if (!drag_) return;
  const Drag drag = *drag_;
  if (finished) drag_.reset();
  if (finished && !drag.moved) return;
  if (!finished) drag_->moved = true;
  const PlanePoint to = to_plane(event->position());
  if (!drag.grip) return set_view(panned(flame_.view, drag.from, to), finished);
  const Affine map = dragged(drag.map, drag.grip->corner, drag.from, to);
  std::vector<std::string> words{std::to_string(drag.grip->function)};
  for (const double each : {map.a, map.b, map.c, map.d, map.e, map.f})
    words.push_back(parameters::to_text(each));
  on_command("flames.map.set", words, finished);
}

void FlameView::wheelEvent(QWheelEvent* event) {
  set_view(zoomed(flame_.view, std::exp2(event->angleDelta().y() / 480.0), to_plane(event->position())),
           true);
}

void FlameView::set_view(const View& view, bool finished) const {
  using parameters::to_text;
  on_command("flames.view.set", {to_text(view.x), to_text(view.y), to_text(view.scale)}, finished);
}

}  // namespace isolume::labs::flames
