#include "app/labs/anatomy/overlays.h"

#include <QPainter>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "app/labs/anatomy/deformed_grid.h"

namespace isolume::labs::anatomy {

using isolume::anatomy::Alignment;
using isolume::anatomy::Comparison;
using isolume::anatomy::Shown;
using isolume::anatomy::ShownLabels;

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
  connect(&large, &slices::SliceView::pressed, this, [this](const Eigen::Vector2d& place, auto) {
    dragging_ = comparison_.shown == Shown::wipe;
    drag(place);
  });
  connect(&large, &slices::SliceView::dragged, this,
          [this](const Eigen::Vector2d& place, auto) { drag(place); });
  connect(&large, &slices::SliceView::released, this, [this] {
    if (std::exchange(dragging_, false)) Q_EMIT wipe_dragged(layers_.second.from());
  });
}

void Overlays::Layers::paint(QPainter& painter, const slices::SliceView& view) {
  second.paint(painter, view);
  labels.paint(painter, view);
  if (deformed != nullptr) draw_deformed_grid(painter, view, deformed->displacement, grid_mm);
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

void Overlays::drag(const Eigen::Vector2d& place) {
  if (!dragging_) return;
  const slices::SliceView& large = views_->large();
  layers_.second.set_from(std::clamp(large.to_widget(place).x() / large.width(), 0.0, 1.0));
  views_->update_overlays();
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
