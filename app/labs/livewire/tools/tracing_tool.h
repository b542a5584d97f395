#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <cstdint>
#include <functional>
#include <map>

#include "app/labs/livewire/tools/wire_finder.h"
#include "core/livewire/tracer.h"

namespace isolume::labs::livewire {

class TracingModel;

struct WireTimes {
  double search_ms = 0;         ///< in the job that finds wires
  double after_pointer_ms = 0;  ///< from the pointer's move until the GUI thread had the wire
};

/// The tracer with all that it needs: a clock, the finder of its wires, and the model, which gets its
/// contours. A draft stays on its slice while the person looks at others. Lives on the GUI thread.
class TracingTool : public QObject {
  Q_OBJECT
 public:
  using OnGuiThread = std::function<void(std::function<void()>)>;
  TracingTool(TracingModel& model, WireFinder& wires, OnGuiThread on_gui_thread);

  void set_settings(const isolume::livewire::TracerSettings& settings);
  /// To be called after WireFinder::change.
  void costs_changed();

  // By the pointer, at a place of the model's slice.
  void move(const Eigen::Vector2d& place);
  void press(const Eigen::Vector2d& place);
  void release(const Eigen::Vector2d& place);
  void double_click(const Eigen::Vector2d& place);
  // By keys and commands.
  void hold_freehand(bool held);
  void hold_no_snap(bool held);
  void undo_seed();
  void escape();
  void restore();
  void close();
  void finish_open();
  /// Goes on with a draft on that slice, in the place of the present one.
  void resume(images::SliceId slice, const Eigen::Vector2d& seed, std::vector<contours::Piece> pieces);
  /// A contour as it was traced: as one undo entry, and `traced` tells of it.
  void add(contours::Contour contour);

  const isolume::livewire::Tracer& tracer() const { return tracer_; }
  bool tracing() const { return tracer_.state() != isolume::livewire::Tracer::State::idle; }
  /// That is traced on.
  images::SliceId slice() const { return slice_; }
  /// Its ground; null while it is being made.
  const WireFinder::GroundPointer& ground() const { return ground_; }

 Q_SIGNALS:
  void draft_changed();
  void seeds_changed();
  /// Another piece of the draft is fixed, and all wires are there.
  void piece_traced();
  void ground_changed();
  /// The live wire has come.
  void wire_timed(const WireTimes& times);
  void traced(std::uint64_t contour);
  /// A sentence for the status line.
  void said(const QString& text);

 private:
  double now() const;
  void after_event();
  bool elsewhere() const;
  void load_slice(images::SliceId slice);
  void ask_for_ground();
  void ask(const isolume::livewire::WireRequest& request);
  void take_wire(std::uint64_t serial, const contours::Polyline& points, double search_ms);
  void take_finished();

  TracingModel& model_;
  WireFinder& wires_;
  OnGuiThread on_gui_thread_;
  isolume::livewire::Tracer tracer_;
  images::SliceId slice_;  ///< that the tracer is on
  WireFinder::GroundPointer ground_;
  std::uint64_t ground_asked_ = 0;
  std::size_t seeds_ = 0;
  std::size_t whole_pieces_ = 0;              ///< when none was missing last
  std::map<std::uint64_t, double> asked_at_;  ///< live wires that have not come, by serial; seconds
  QElapsedTimer clock_;
  QTimer ticks_;
};

}  // namespace isolume::labs::livewire
