#pragma once

#include <QObject>
#include <optional>

#include "core/contours/contour.h"

namespace isolume::labs::livewire {

class TracingModel;

/// What the left button does to the current label in the large view, in place of tracing.
enum class PaintingTool { paint, erase, fill };

/// A round brush that adds to the current label or cuts out of it on the shown slice, or a click that fills a region
/// there, while it is chosen or a key is held. A stroke is one undo entry: contours of what the brush has covered.
class BrushTool : public QObject {
  Q_OBJECT
 public:
  explicit BrushTool(TracingModel& model);

  /// Until another is chosen; nothing: tracing.
  void choose(std::optional<PaintingTool> tool);
  std::optional<PaintingTool> chosen() const { return chosen_; }
  /// While a key is down, in place of what is chosen.
  void hold(std::optional<PaintingTool> tool);
  std::optional<PaintingTool> held() const { return held_; }
  /// What the next press does; nothing: it traces.
  std::optional<PaintingTool> active() const { return held_ ? held_ : chosen_; }
  /// Of the large view. False where the event is not the brush's.
  bool press(const Eigen::Vector2d& place);
  bool move(const Eigen::Vector2d& place);
  bool release(double radius_mm);
  /// Places of the stroke so far; empty between strokes.
  const contours::Polyline& stroke() const { return stroke_; }

  /// Throws Error where the label is locked or the slice has several scales.
  void paint(const contours::Polyline& stroke, double radius_mm, contours::Combination combination);

 Q_SIGNALS:
  void changed();
  void painted(const contours::Polyline& stroke, contours::Combination combination);
  void filled_at(const Eigen::Vector2d& place);  ///< by a press; the region is for others to find
  void failed(const QString& why);

 private:
  TracingModel& model_;
  std::optional<PaintingTool> chosen_, held_;
  contours::Combination stroke_does_ = contours::Combination::add;
  contours::Polyline stroke_;
};

}  // namespace isolume::labs::livewire
