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

/// A wire that somebody is to find: soon for the live one, where only the newest matters; surely for `needed`
/// ones, which are pieces of the contour.
struct WireRequest {
  std::uint64_t serial = 0;
  Pixel from, to;
  bool needed = false;
  /// The live wire from the same seed as it is drawn; empty where there is none. An answer that keeps to it
  /// where that costs hardly more does not jump.
  contours::Polyline shown;
  /// The pieces that are there: it must not run along them.
  Polylines traced;
};

struct TracerSettings {
  bool snap = true;
  double snap_radius_px = 6;     ///< in pixels of the image; the lab makes it from a radius on the screen
  double closing_radius_px = 8;  ///< a click this near to the first seed closes
  bool cooling = true;           ///< freeze what has not changed for a while
  double cooling_seconds = 0.8;
  int cooling_least_px = 24;   ///< never freeze a shorter piece
  double hysteresis_px = 1.5;  ///< the live wire's end stays while the pointer moves less than this
};

/// The tool of one contour being traced: what every event does in every state. Knows no window, no clock and
/// no thread; times are handed in (seconds from any start, never falling), wires are asked for and arrive
/// when they arrive, by `wire_found`, in any order or never. All events are allowed in all states. States:
///
///   idle      -- press -->  tracing      the first seed, moved to the strongest edge within the snap radius
///   tracing   -- press -->  tracing      fixes the live wire, a new seed; closed near the first seed (3
///                                        seeds or 20 pixels of outline at least)
///   tracing   -- hold_freehand + press, move, release --> a freehand piece, then tracing; a straight one
///                                        where the pointer did not move in between
///   tracing   -- double click, close() --> finished, closed; where there is too little to close, close()
///                                        does nothing and a double click takes back the seed that its
///                                        first press has put there
///   tracing   -- finish_open() --> finished, open
///   tracing   -- undo_seed() --> tracing with a seed less; idle when it was the only one
///   any       -- escape() --> idle, the draft is dropped (and kept for restore())
///   freehand  -- undo_seed() --> tracing without the piece being drawn
///   finished  -- undo_seed() --> tracing, not closed any more
///   finished  -- take_finished() --> idle, once no needed wire is missing
class Tracer {
 public:
  enum class State { idle, tracing, freehand, finished };
  using Ask = std::function<void(const WireRequest&)>;

  Tracer(TracerSettings settings, Ask ask);

  void set_settings(const TracerSettings& settings);
  /// What to snap to, and the slice's size; drops the draft. Null: no snapping.
  void set_slice(images::SliceId slice, int width, int height, std::shared_ptr<const Features> features);
  /// After new costs of the same slice: the live wire is asked for again, fixed pieces stay.
  void costs_changed(std::shared_ptr<const Features> features);

  // Events; places in pixels of the slice.
  void pointer_moved(const Eigen::Vector2d& place, double time);
  void pressed(const Eigen::Vector2d& place, double time);
  void released(const Eigen::Vector2d& place, double time);
  void double_clicked(const Eigen::Vector2d& place, double time);
  void hold_freehand(bool held);  ///< while a key is down
  void hold_no_snap(bool held);   ///< while a key is down
  void undo_seed();
  void escape();
  /// Puts back what escape() dropped, if nothing was begun since.
  void restore();
  /// Goes on with a draft that begins at `seed`, in the place of the present one. The pieces join.
  void resume(const Eigen::Vector2d& seed, std::vector<contours::Piece> pieces);
  void close();
  void finish_open();
  /// Time passes: cooling.
  void tick(double time);
  void wire_found(std::uint64_t serial, const contours::Polyline& points);

  State state() const;
  /// What to draw.
  struct Draft {
    images::SliceId slice;
    std::vector<Eigen::Vector2d> seeds;
    std::vector<contours::Piece> pieces;    ///< between the seeds; straight while its wire is on the way
    contours::Polyline live;                ///< from the last seed to the pointer; empty when there is none
    std::optional<Eigen::Vector2d> cursor;  ///< where a press would put a seed (snapped)
    bool snapped = false;
    bool would_close = false;
    double cooling_fraction = 0;  ///< how near the next piece is to being frozen, 0 to 1
    double length_px = 0;         ///< of pieces and live wire
  };
  const Draft& draft() const;
  /// Pieces whose wire is still missing.
  std::size_t missing() const;
  /// The contour when one is finished and complete; the tracer is idle then.
  std::optional<contours::Contour> take_finished();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// The place of the largest gradient magnitude within the radius, the nearest of equal ones; `place` itself
/// where there is no gradient at all. To a pixel's centre.
Eigen::Vector2d snap_to_edge(const Features& features, const Eigen::Vector2d& place, double radius_px);

}  // namespace isolume::livewire
