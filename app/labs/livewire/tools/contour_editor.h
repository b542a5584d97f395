#pragma once

#include <QObject>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "app/labs/livewire/tools/wire_finder.h"
#include "core/jobs/activity.h"
#include "core/livewire/edit.h"

namespace isolume::labs::livewire {

class TracingModel;

/// Changes contours that need wires: the work is done by the finder of wires, the result becomes an undo
/// entry of the model. One after the other, each on what the one before has left. Lives on the GUI thread.
class ContourEditor : public QObject {
  Q_OBJECT
 public:
  using OnGuiThread = std::function<void(std::function<void()>)>;
  ContourEditor(TracingModel& model, WireFinder& wires, OnGuiThread on_gui_thread);

  /// The contour. Throws Error where there is none, or where it or its label is locked.
  std::shared_ptr<const contours::Contour> editable(std::uint64_t id) const;
  /// All throw Error where there is no such contour or seed, or where it is locked.
  void move_seed(std::uint64_t contour, std::size_t seed, const Eigen::Vector2d& to);
  void insert_seed(std::uint64_t contour, std::size_t piece, const Eigen::Vector2d& at);
  void delete_seed(std::uint64_t contour, std::size_t seed);
  /// As a new contour, which is selected and shown. Throws Error where there is no such slice.
  void copy_to_slice(std::uint64_t contour, int index, double snap_radius_px);
  void resnap(std::uint64_t contour, double snap_radius_px);

  /// A drag: moves follow each other as fast as wires are found, and are one undo entry.
  void begin_drag(std::uint64_t contour, std::size_t seed);
  /// Puts a new seed there first.
  void begin_drag_of_new_seed(std::uint64_t contour, std::size_t piece, const Eigen::Vector2d& at);
  void drag_to(const Eigen::Vector2d& place);
  void end_drag();
  bool dragging() const { return drag_.has_value(); }

 private:
  using Change =
      std::function<contours::Contour(contours::Contour, const Ground&, const isolume::livewire::FindWire&)>;
  struct Edit {
    QString text;
    std::uint64_t contour = 0;
    images::SliceId slice;  ///< whose wires are needed
    Change change;
    bool adds = false;  ///< the result is a contour of its own
    int merge = 0;      ///< moves of one drag: a later one takes the place of one that waits
    jobs::Activity::Pointer activity = jobs::Activity::current();
  };
  struct Drag {
    std::shared_ptr<const contours::Contour> before;
    std::optional<std::size_t> seed;
    std::size_t piece = 0;
    Eigen::Vector2d at;  ///< of a new seed
    int merge = 0;
  };

  void put(Edit edit);
  void next();
  void take(const Edit& edit, contours::Contour result);

  TracingModel& model_;
  WireFinder& wires_;
  OnGuiThread on_gui_thread_;
  std::deque<Edit> waiting_;
  bool running_ = false;
  std::optional<Drag> drag_;
  int drags_ = 0;
};

}  // namespace isolume::labs::livewire
