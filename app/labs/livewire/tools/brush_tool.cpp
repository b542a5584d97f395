#include "app/labs/livewire/tools/brush_tool.h"

#include <utility>

#include "app/labs/livewire/tools/tracing_model.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"
#include "core/contours/painting.h"

namespace isolume::labs::livewire {

using contours::Combination;

BrushTool::BrushTool(TracingModel& model) : model_(model) {
  const auto drop = [this] {
    stroke_.clear();
    Q_EMIT changed();
  };
  connect(&model_, &TracingModel::image_changed, this, drop);
  connect(&model_, &TracingModel::slice_changed, this, drop);
}

void BrushTool::choose(std::optional<PaintingTool> tool) {
  if (chosen_ == tool) return;
  chosen_ = tool;
  Q_EMIT changed();
}

void BrushTool::hold(std::optional<PaintingTool> tool) {
  held_ = tool;
  Q_EMIT changed();
}

bool BrushTool::press(const Eigen::Vector2d& place) {
  const auto tool = active();
  if (!tool) return false;
  if (tool == PaintingTool::fill) {
    Q_EMIT filled_at(place);
    return true;
  }
  stroke_does_ = tool == PaintingTool::paint ? Combination::add : Combination::subtract;
  stroke_ = {place};
  Q_EMIT changed();
  return true;
}

bool BrushTool::move(const Eigen::Vector2d& place) {
  constexpr double least_step_px = 0.25;
  if (!stroke_.empty() && (stroke_.back() - place).norm() >= least_step_px) stroke_.push_back(place);
  if (stroke_.empty() && !active()) return false;
  Q_EMIT changed();
  return true;
}

bool BrushTool::release(double radius_mm) {
  if (stroke_.empty()) return active().has_value();
  const contours::Polyline stroke = std::exchange(stroke_, {});
  try {
    paint(stroke, radius_mm, stroke_does_);
    Q_EMIT painted(stroke, stroke_does_);
  } catch (const Error& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
  }
  Q_EMIT changed();
  return true;
}

void BrushTool::paint(const contours::Polyline& stroke, double radius_mm, Combination combination) {
  contours::ContourSet next = model_.contours();
  const contours::Label* label = next.label(model_.current_label());
  if (label != nullptr && label->locked)
    throw Error(
        workbench::said(QObject::tr("%1 is locked. Unlock it with livewire.label.lock first."), label->name));
  const auto plane = images::plane_of(model_.image()->volume.geometry, model_.slice(), stroke);
  if (!plane)
    throw Error(workbench::said(
        QObject::tr("The stroke must lie within one ultrasound region whose axes are lengths.")));
  const bool adds = combination == Combination::add;
  auto outline = contours::brush_outline(stroke, radius_mm, plane->metric());
  contours::Contour contour =
      contours::contour_from_outline(std::move(outline.points), model_.slice(), true, model_.current_label());
  contour.combination = combination;
  next.add(std::move(contour));
  model_.change(adds ? tr("Paint") : tr("Erase"), std::move(next));
}

}  // namespace isolume::labs::livewire

#include "moc_brush_tool.cpp"
