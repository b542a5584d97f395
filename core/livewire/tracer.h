#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/contours/contour.h"
#include "core/livewire/costs.h"
#include "core/livewire/polyline.h"

namespace isolume::livewire {

/// A request for a wire: low latency for the live one, where only the newest request matters; guaranteed for `needed`
/// ones, which are pieces of the contour.
struct WireRequest {
  std::uint64_t serial = 0;
  Pixel from, to;
  bool needed = false;
  /// The displayed live wire from the same seed; empty if there is none. A result that keeps to it where that costs
  /// hardly more avoids jumps.
  contours::Polyline shown;
  /// The existing pieces, which the wire must not run along.
  Polylines traced;
};

struct TracerSettings {
  bool snap = true;
  double snap_radius_px = 6;     ///< in image pixels; the lab derives it from a radius on the screen
  double closing_radius_px = 8;  ///< a click this close to the first seed closes the contour
  bool cooling = true;           ///< freeze parts that have not changed for a while
  double cooling_seconds = 0.8;
  int cooling_least_px = 24;   ///< minimum length of a frozen piece
  double hysteresis_px = 1.5;  ///< the live wire's end stays while the pointer moves less than this
};

/// The tool for tracing one contour: how every event acts in every state. It is independent of windows, clocks and
/// threads; times are passed in (seconds from any origin, never decreasing), wires are requested and delivered by
/// `wire_found`, in any order or never. All events are allowed in all states. States:
///
///   idle      -- press -->  tracing      the first seed, moved to the strongest edge within the snap radius
///   tracing   -- press -->  tracing      fixes the live wire, a new seed; closed near the first seed (3
///                                        seeds or 20 pixels of outline at least)
///   tracing   -- hold_freehand + press, move, release --> a freehand piece, then tracing; a straight one
///                                        if the pointer did not move in between
///   tracing   -- double click, close() --> finished, closed; if there is too little to close, close()
///                                        does nothing and a double click removes the seed that its
///                                        first press has set
///   tracing   -- finish_open() --> finished, open
///   tracing   -- undo_seed() --> tracing with one seed less; idle if it was the only one
///   any       -- escape() --> idle, the draft is dropped (and kept for restore())
///   freehand  -- undo_seed() --> tracing without the piece being drawn
///   finished  -- undo_seed() --> tracing, no longer closed
///   finished  -- take_finished() --> idle, once no needed wire is missing
class Tracer {
 public:
  enum class State { idle, tracing, freehand, finished };
  using Ask = std::function<void(const WireRequest&)>;

  Tracer(TracerSettings settings, Ask ask);

  void set_settings(const TracerSettings& settings);
  /// Sets the features to snap to and the slice's size; drops the draft. Null: no snapping.
  void set_slice(images::SliceId slice, int width, int height, std::shared_ptr<const Features> features);
  /// After new costs for the same slice: the live wire is requested again, fixed pieces are kept.
  void costs_changed(std::shared_ptr<const Features> features);

  // Events; positions in pixels of the slice.
  void pointer_moved(const Eigen::Vector2d& place, double time);
  void pressed(const Eigen::Vector2d& place, double time);
  void released(const Eigen::Vector2d& place, double time);
  void double_clicked(const Eigen::Vector2d& place, double time);
  void hold_freehand(bool held);  ///< while a key is down
  void hold_no_snap(bool held);   ///< while a key is down
  void undo_seed();
  void escape();
  /// Restores the draft dropped by escape(), if nothing was begun since.
  void restore();
  bool can_restore() const;
  /// Continues a draft that begins at `seed`, replacing the present one. The pieces must be connected.
  void resume(const Eigen::Vector2d& seed, std::vector<contours::Piece> pieces);
  void close();
  void finish_open();
  /// Passes the time for cooling.
  void tick(double time);
  void wire_found(std::uint64_t serial, const contours::Polyline& points);

  State state() const;
  /// What to draw.
  struct Draft {
    images::SliceId slice;
    std::vector<Eigen::Vector2d> seeds;
    std::vector<contours::Piece> pieces;    ///< between the seeds; straight while its wire is pending
    contours::Polyline live;                ///< from the last seed to the pointer; empty if there is none
    std::optional<Eigen::Vector2d> cursor;  ///< where a press would set a seed (snapped)
    bool snapped = false;
    bool would_close = false;
    double cooling_fraction = 0;  ///< progress of the next piece towards being frozen, 0 to 1
    double length_px = 0;         ///< of pieces and live wire
  };
  const Draft& draft() const;
  /// Number of pieces whose wire is still missing.
  std::size_t missing() const;
  /// The contour when it is finished and complete; the tracer is idle then.
  std::optional<contours::Contour> take_finished();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// The pixel centre with the largest gradient magnitude within the radius, the nearest of equal ones; `place` itself
/// where there is no gradient at all.
Eigen::Vector2d snap_to_edge(const Features& features, const Eigen::Vector2d& place, double radius_px);

}  // namespace isolume::livewire
