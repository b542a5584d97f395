#include "app/labs/flames/flame_view.h"

#include <QPainter>
#include <cmath>

#include "core/flames/game.h"

namespace isolume::labs::flames {

using namespace isolume::flames;

FlameView::FlameView(std::function<void(const Act& act, bool finished)> act, std::function<void()> resized) {
  const auto act_if = [act](const std::optional<Act>& what, bool finished) {
    if (what) act(*what, finished);
  };
  view_->hand.press = [this, act_if](const QPointF& at, Qt::MouseButton button) {
    constexpr double reach_px = 9;
    const Affine scale = to_widget();
    act_if(hand_.take_hold(flame_, chosen_, triangles_ && button == Qt::LeftButton, to_plane(at),
                           reach_px / std::hypot(scale.a, scale.d)),
           true);
  };
  view_->hand.drag = [this, act_if](const QPointF& at, bool finished) {
    act_if(finished ? hand_.release(flame_, to_plane(at)) : hand_.move(flame_, to_plane(at)), finished);
  };
  view_->hand.zoom = [this, act](const QPointF& at, double factor) {
    act(zoom(flame_.view, factor, to_plane(at)), true);
  };
  view_->draw_over = [this](QPainter& painter) { draw_triangles(painter); };
  view_->resized = std::move(resized);
}

void FlameView::show_flame(const Flame& flame, int chosen, bool triangles) {
  flame_ = flame;
  chosen_ = chosen;
  triangles_ = triangles;
  view_->update();
}

View FlameView::view() const {
  return resized(flame_.view, view_->pixels().width(), view_->pixels().height());
}

Affine FlameView::to_widget() const {
  const double ratio = 1 / view_->devicePixelRatioF();
  return chained(to_pixels(view()), {ratio, 0, 0, 0, ratio, 0});
}

PlanePoint FlameView::to_plane(const QPointF& point) const {
  return inverse(to_widget(), {point.x(), point.y()});
}

void FlameView::draw_triangles(QPainter& painter) const {
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
}

}  // namespace isolume::labs::flames
