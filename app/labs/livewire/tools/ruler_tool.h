#pragma once

#include <QObject>
#include <optional>

#include "core/contours/contour.h"

namespace isolume::labs::livewire {

class TracingModel;

/// Measures distances and angles by hand: begun by a command, it takes the next clicks on the large view as points. What
/// is measured stays on its slice; its points can be dragged. Every change is one undo entry.
class RulerTool : public QObject {
  Q_OBJECT
 public:
  explicit RulerTool(TracingModel& model);

  /// The next clicks are its points.
  void begin(contours::RulerKind kind);
  void cancel();
  bool measuring() const { return draft_.has_value(); }
  /// Its points so far, the last one at the pointer; null where nothing is being measured.
  const contours::Ruler* draft() const { return draft_ ? &*draft_ : nullptr; }

  /// Of the large view, with `hit_px` for what a click may miss a point by, in pixels of the slice. False where the event
  /// is none of the tool's.
  bool press(const Eigen::Vector2d& place, double hit_px);
  bool move(const Eigen::Vector2d& place);
  bool release();
  bool dragging() const { return drag_.has_value(); }

  std::uint64_t add(contours::Ruler ruler);
  void move_point(std::uint64_t ruler, std::size_t point, const Eigen::Vector2d& to, int merge = 0);
  void remove(std::uint64_t ruler);
  /// The ruler with a point there, and which.
  struct Hit {
    std::uint64_t ruler = 0;
    std::size_t point = 0;
  };
  std::optional<Hit> hit(const Eigen::Vector2d& place, double radius_px) const;

 Q_SIGNALS:
  void changed();  ///< the draft
  void measured(std::uint64_t ruler);
  void point_moved(std::uint64_t ruler, std::size_t point);

 private:
  TracingModel& model_;
  std::optional<contours::Ruler> draft_;
  std::size_t fixed_ = 0;  ///< points of the draft
  std::optional<Hit> drag_;
  bool moved_ = false;
  int merge_ = 0;
};

}  // namespace isolume::labs::livewire
