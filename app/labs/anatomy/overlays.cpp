#include "app/labs/anatomy/overlays.h"

#include <QPainter>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/labs/anatomy/deformed_grid.h"
#include "app/slices/outlined_text.h"

namespace isolume::labs::anatomy {

using isolume::anatomy::Alignment;
using isolume::anatomy::Comparison;
using isolume::anatomy::Shown;
using isolume::anatomy::ShownLabels;

namespace {

constexpr double grip_pixels = 10, ring_preferred_pixels = 3;
constexpr double shown_slices = 1.5;  ///< marks of slices farther away are not drawn

bool is_near(const slices::SliceView& view, const Eigen::Vector3d& position) {
  const images::SlicePlane& plane = view.plane();
  return std::abs(plane.distance_mm(position)) <= shown_slices * plane.slice_spacing_mm;
}

QPointF at(const slices::SliceView& view, const Eigen::Vector3d& position) {
  return view.to_widget(view.plane().place_at(position));
}

/// A green cross at the fixed point, a magenta ring where the moving one is shown, and a line between them. Dark edges keep
/// them visible on any image.
void draw_mark(QPainter& painter, const slices::SliceView& view, const Overlays::Mark& mark) {
  const bool has_fixed = is_near(view, mark.fixed), has_moving = is_near(view, mark.moving);
  if (!has_fixed && !has_moving) return;
  constexpr double arm = 7, radius = 6;
  const QPointF fixed = at(view, mark.fixed), moving = at(view, mark.moving);
  const auto draw = [&](const QColor& of_fixed, const QColor& of_moving, double width) {
    painter.setPen(QPen(of_fixed, width));
    if (has_fixed && has_moving) painter.drawLine(fixed, moving);
    if (has_fixed) {
      painter.drawLine(fixed - QPointF(arm, 0), fixed + QPointF(arm, 0));
      painter.drawLine(fixed - QPointF(0, arm), fixed + QPointF(0, arm));
    }
    painter.setPen(QPen(of_moving, width));
    if (has_moving) painter.drawEllipse(moving, radius, radius);
  };
  draw(Qt::black, Qt::black, 4);
  draw(QColor(0, 230, 0), QColor(255, 60, 255), 2);
  slices::draw_outlined(painter, (has_fixed ? fixed : moving) + QPointF(arm + 2, -arm),
                        Qt::AlignLeft | Qt::AlignBottom, QString::fromStdString(mark.name));
}

}  // namespace

Overlays::Overlays(slices::LinkedSlices& views) : views_(&views), flicker_(new QTimer(this)) {
  views.add_overlay(
      [this](QPainter& painter, const slices::SliceView& view) { layers_.paint(painter, view); },
      slices::SliceView::Drawn::kept);
  constexpr int flicker_ms = 500;
  flicker_->setInterval(flicker_ms);
  connect(flicker_, &QTimer::timeout, this, [this] {
    layers_.second.set_from(1 - layers_.second.from());
    if (views_) views_->update_overlays();
  });
  const slices::SliceView& large = views.large();
  connect(&large, &slices::SliceView::pressed, this,
          [this](const Eigen::Vector2d& place, auto) { press(place); });
  connect(&large, &slices::SliceView::dragged, this,
          [this](const Eigen::Vector2d& place, auto) { drag(place); });
  connect(&large, &slices::SliceView::released, this, [this] { release(); });
}

void Overlays::Layers::paint(QPainter& painter, const slices::SliceView& view) {
  second.paint(painter, view);
  labels.paint(painter, view);
  if (deformed != nullptr) draw_deformed_grid(painter, view, deformed->displacement, grid_mm);
  for (const Mark& mark : marks) draw_mark(painter, view, mark);
}

void Overlays::set_marks(std::vector<Mark> marks) {
  if (grip_) return;  // a hand holds one, and its release makes new ones
  layers_.marks = std::move(marks);
  if (views_) views_->update_overlays();
}

void Overlays::set_comparison(const Comparison& comparison) {
  comparison_ = comparison;
  if (comparison.shown != Shown::flicker) {
    flicker_->stop();
    layers_.second.set_from(comparison.wipe);
  } else if (!flicker_->isActive()) {
    layers_.second.set_from(0);
    flicker_->start();
  }
  update();
}

void Overlays::set_labels(std::shared_ptr<const CarriedLabels> labels) {
  labels_ = std::move(labels);
  update();
}

void Overlays::set_picture(std::shared_ptr<const images::Document> second,
                           std::shared_ptr<const Alignment> alignment) {
  layers_.second.set_image(std::move(second));
  alignment_ = std::move(alignment);
  update();
}

void Overlays::update() {
  layers_.labels.set_map(labels_ == nullptr || comparison_.labels == ShownLabels::none ? nullptr
                         : comparison_.labels == ShownLabels::fixed                    ? labels_->fixed
                                                                                       : labels_->moving);
  layers_.labels.set_opacity(comparison_.label_opacity);
  layers_.deformed = comparison_.grid ? alignment_ : nullptr;
  layers_.grid_mm = comparison_.grid_mm;
  if (views_) views_->update_overlays();
}

std::optional<Overlays::Grip> Overlays::grip_at(const Eigen::Vector2d& place) const {
  const slices::SliceView& large = views_->large();
  std::optional<Grip> found;
  double nearest = grip_pixels;
  for (std::size_t i = 0; i < layers_.marks.size(); ++i) {
    for (const bool is_moving : {true, false}) {
      const Mark& mark = layers_.marks[i];
      const Eigen::Vector3d& position = is_moving ? mark.moving : mark.fixed;
      if (!is_near(large, position)) continue;
      const QPointF away = at(large, position) - large.to_widget(place);
      // Of two marks in one place, the ring is dragged.
      const double distance = std::hypot(away.x(), away.y()) + (is_moving ? 0 : ring_preferred_pixels);
      if (distance < nearest) found = Grip{i, is_moving}, nearest = distance;
    }
  }
  return found;
}

void Overlays::press(const Eigen::Vector2d& place) {
  if (!is_draggable_) return;
  grip_ = grip_at(place);
  dragging_ = !grip_ && comparison_.shown == Shown::wipe;
  if (dragging_) drag(place);
}

void Overlays::release() {
  if (std::exchange(dragging_, false)) Q_EMIT wipe_dragged(layers_.second.from());
  const std::optional<Grip> grip = std::exchange(grip_, std::nullopt);
  if (!grip || grip->index >= layers_.marks.size()) return;
  const Mark mark = layers_.marks[grip->index];
  Q_EMIT mark_dragged(grip->index, grip->is_moving, grip->is_moving ? mark.moving : mark.fixed);
}

void Overlays::drag(const Eigen::Vector2d& place) {
  if (grip_) {
    Mark& mark = layers_.marks[grip_->index];
    (grip_->is_moving ? mark.moving : mark.fixed) = views_->large().plane().position(place);
    return views_->update_overlays();
  }
  if (!dragging_) return;
  const slices::SliceView& large = views_->large();
  layers_.second.set_from(std::clamp(large.to_widget(place).x() / large.width(), 0.0, 1.0));
  views_->update_overlays();
}

std::optional<NumberedMap> Overlays::drawn_labels() const {
  const auto& map = layers_.labels.map();
  return map == nullptr ? std::nullopt : std::optional<NumberedMap>({map, labels_->labels});
}

std::string Overlays::label_at(const Eigen::Vector3d& index) const {
  if (layers_.labels.map() == nullptr) return {};
  const auto number = layers_.labels.map()->at(index);
  return number ? labels_->names.at(*number) : std::string();
}

slices::SliceView::Overlay Overlays::over_picture() const {
  return [layers = layers_](QPainter& painter, const slices::SliceView& view) mutable {
    layers.paint(painter, view);
  };
}

}  // namespace isolume::labs::anatomy

#include "moc_overlays.cpp"
