#include "core/livewire/tracer.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "core/livewire/cooling.h"
#include "core/livewire/on_edge.h"

namespace isolume::livewire {

using contours::Contour;
using contours::Piece;
using contours::PieceKind;
using contours::Polyline;
using Eigen::Vector2d;

namespace {

constexpr std::size_t closing_seeds = 3;
constexpr double closing_length_px = 20;

/// Seeds and the pieces between them, complete or not.
struct Outline {
  std::vector<Vector2d> seeds;
  std::vector<Piece> pieces;
  std::vector<std::uint64_t> missing;  ///< for each piece, the pending request; 0: none
};

bool joins(const Polyline& points, const Vector2d& from, const Vector2d& to) {
  return !points.empty() && points.front() == from && points.back() == to;
}

bool share_pixel(const Vector2d& one, const Vector2d& other) {
  return pixel_of(one) == pixel_of(other);
}

/// Converts a wire between the pixels of two seeds to one between the seeds themselves; nothing if it does not
/// connect them.
std::optional<Polyline> between(Polyline wire, const Vector2d& from, const Vector2d& to) {
  if (wire.empty() || !share_pixel(wire.front(), from) || !share_pixel(wire.back(), to)) return std::nullopt;
  wire.front() = from;
  wire.back() = to;
  return wire;
}

}  // namespace

struct Tracer::Impl {
  TracerSettings settings;
  Ask ask;
  std::deque<WireRequest> to_ask;
  std::uint64_t last_serial = 0;

  images::SliceId slice;
  int width = 0, height = 0;
  std::shared_ptr<const Features> features;

  State state = State::idle;
  bool closed = false;  ///< how it was finished
  std::vector<std::uint64_t> missing;
  Draft draft;
  Outline dropped;

  std::optional<Vector2d> place;   ///< of the pointer
  std::optional<Vector2d> anchor;  ///< its position when the cursor was last placed on an edge
  bool freehand_held = false, no_snap_held = false;
  bool press_added_last_seed = false;
  double now = 0;
  Cooling cooling;

  // The live wire: requests above `live_after` start at the last seed, `live_shown` is the one being drawn (0: none),
  // `live_asked` the target of the newest one.
  std::uint64_t live_after = 0, live_shown = 0;
  std::optional<Vector2d> live_asked;

  const Vector2d& first() const { return draft.seeds.front(); }
  const Vector2d& last() const { return draft.seeds.back(); }

  std::optional<Vector2d> inside(const Vector2d& at) const {
    if (width <= 0 || height <= 0 || !at.allFinite()) return std::nullopt;
    return at.cwiseMax(Vector2d::Zero()).cwiseMin(Vector2d(width - 1, height - 1));
  }

  /// The pieces that are complete.
  Polylines traced() const {
    Polylines lines;
    for (std::size_t i = 0; i < draft.pieces.size(); ++i) {
      if (missing[i] == 0) lines.push_back(draft.pieces[i].points);
    }
    return lines;
  }
  std::uint64_t request(const Vector2d& from, const Vector2d& to, bool needed) {
    to_ask.push_back({++last_serial, pixel_of(from), pixel_of(to), needed, {}, traced()});
    if (!needed && live_shown != 0) to_ask.back().shown = draft.live;
    return last_serial;
  }
  void send() {
    while (!to_ask.empty()) {
      const WireRequest next = std::move(to_ask.front());
      to_ask.pop_front();
      ask(next);
    }
  }

  double pieces_length() const {
    double sum = 0;
    for (const auto& piece : draft.pieces) sum += length_px(piece.points);
    return sum;
  }
  bool closable() const {
    if (draft.seeds.size() >= closing_seeds) return true;
    const bool lasso = state == State::freehand;
    if (draft.seeds.size() < 2 && !lasso) return false;
    return pieces_length() + (lasso ? length_px(draft.live) : 0) >= closing_length_px;
  }
  bool near_first(const Vector2d& at) const {
    return (state == State::tracing || state == State::freehand) && closable() &&
           (at - first()).norm() <= settings.closing_radius_px;
  }
  bool snapping() const {
    return settings.snap && features && !no_snap_held && !freehand_held && state != State::freehand;
  }

  /// Moves the cursor to where a press at the pointer would set a seed.
  void aim() {
    if (!place) return;
    draft.would_close = near_first(*place);
    if (draft.would_close || !snapping()) {
      draft.cursor = draft.would_close ? first() : Vector2d(place->array().round());
      draft.snapped = false;
      anchor.reset();
      return;
    }
    if (anchor && (*place - *anchor).norm() < settings.hysteresis_px) return;
    anchor = place;
    const Vector2d pixel = snap_to_edge(*features, *place, settings.snap_radius_px);
    draft.cursor = on_edge(*features, pixel);
    draft.snapped = features->gradient[static_cast<std::size_t>(pixel.y() * features->width + pixel.x())] > 0;
  }

  void drop_live() {
    draft.live.clear();
    cooling.clear();
    live_after = last_serial;
    live_shown = 0;
    live_asked.reset();
  }
  /// Requests the live wire to the cursor.
  void follow() {
    if (state != State::tracing) return;
    if (!draft.cursor || share_pixel(*draft.cursor, last())) return drop_live();
    if (freehand_held) {
      drop_live();
      draft.live = {last(), *draft.cursor};
      return;
    }
    if (live_shown == 0) draft.live.clear();
    if (live_asked == draft.cursor) return;
    if (live_asked) cooling.pointer_moved_on(now);
    live_asked = draft.cursor;
    request(last(), *live_asked, false);
  }
  void aim_and_follow() {
    aim();
    follow();
  }

  /// Adds the piece from the last seed: the displayed live wire if it leads there, otherwise a request.
  void add_piece(const Vector2d& to) {
    const bool straight = freehand_held;
    const bool found = !straight && live_shown != 0 && joins(draft.live, last(), to);
    missing.push_back(straight || found ? 0 : request(last(), to, true));
    draft.pieces.push_back(
        {straight ? PieceKind::straight : PieceKind::wire, found ? draft.live : Polyline{last(), to}});
  }
  void add_seed(const Vector2d& seed) {
    draft.seeds.push_back(seed);
    drop_live();
  }
  void finish(bool closes) {
    closed = closes;
    drop_live();
    state = State::finished;
    draft.would_close = false;
  }
  void close() {
    if (state != State::tracing || !closable()) return;
    if (draft.seeds.size() > 1 && last() == first()) {
      draft.seeds.pop_back();
    } else {
      add_piece(first());
    }
    finish(true);
  }
  /// Returns to a state in which tracing can continue.
  void unfinish() {
    if (state == State::finished && closed) remove_last_piece();
    if (state == State::idle) return;
    state = State::tracing;
    drop_live();
  }
  void remove_last_piece() {
    draft.pieces.pop_back();
    missing.pop_back();
  }
  void reset() {
    draft.seeds.clear();
    draft.pieces.clear();
    missing.clear();
    drop_live();
    state = State::idle;
    draft.would_close = false;
    press_added_last_seed = false;
  }
  void undo_seed() {
    if (state == State::freehand || state == State::finished) return unfinish();
    if (state == State::idle) return;
    press_added_last_seed = false;
    draft.seeds.pop_back();
    if (draft.seeds.empty()) return reset();
    remove_last_piece();
    drop_live();
  }

  void press() {
    press_added_last_seed = state == State::idle;
    if (state == State::idle) {
      dropped = {};
      draft.seeds = {*draft.cursor};
      state = freehand_held ? State::freehand : State::tracing;
      draft.live = freehand_held ? draft.seeds : Polyline{};
      return;
    }
    if (freehand_held) {
      drop_live();
      state = State::freehand;
      draft.live = {last()};
      if (!share_pixel(*draft.cursor, last())) draft.live.push_back(*draft.cursor);
    } else if (draft.would_close) {
      close();
    } else if (!share_pixel(*draft.cursor, last())) {
      add_piece(*draft.cursor);
      add_seed(*draft.cursor);
      press_added_last_seed = true;
    }
  }
  void double_click() {
    if (state == State::freehand) end_freehand();
    if (state != State::tracing) return;
    if (closable()) {
      close();
    } else if (press_added_last_seed) {  // by the first of the two presses
      undo_seed();
    }
  }
  void draw_freehand() {
    constexpr double least_step_px = 0.5;
    if ((*place - draft.live.back()).norm() >= least_step_px) draft.live.push_back(*place);
  }
  /// The drawn piece; straight if the pointer did not move.
  void end_freehand() {
    aim();
    const Vector2d end = *draft.cursor;
    const bool closes = draft.would_close;
    Polyline points = std::move(draft.live);
    while (points.size() > 1 && (points.back() - end).norm() < 1) points.pop_back();
    if (points.size() > 1 || points.back() != end) points.push_back(end);
    state = State::tracing;
    drop_live();
    if (points.size() < 2) return closes ? close() : void();
    draft.pieces.push_back(
        {points.size() == 2 ? PieceKind::straight : PieceKind::freehand, std::move(points)});
    missing.push_back(0);
    if (closes) return finish(true);
    add_seed(end);
    press_added_last_seed = true;
  }

  void freeze() {
    if (!settings.cooling || state != State::tracing || live_shown == 0) return;
    const std::size_t end = cooling.freezable(settings.cooling_seconds, settings.cooling_least_px);
    if (end == 0) return;
    const auto cut = draft.live.begin() + static_cast<std::ptrdiff_t>(end);
    draft.pieces.push_back({PieceKind::wire, Polyline(draft.live.begin(), cut + 1)});
    missing.push_back(0);
    draft.seeds.push_back(*cut);
    press_added_last_seed = false;
    draft.live.erase(draft.live.begin(), cut);
    cooling.cut(end);
    // The rest of a wire is still the cheapest: it need not be requested again unless it is outdated.
    live_after = live_shown = last_serial;
    if (live_asked != draft.live.back()) request(last(), *live_asked, false);
  }

  void piece_found(std::size_t piece, const Polyline& points) {
    missing[piece] = 0;
    Piece& found = draft.pieces[piece];
    if (auto wire = between(points, found.points.front(), found.points.back())) {
      found.points = std::move(*wire);
    } else {
      found.kind = PieceKind::straight;
    }
  }
  void live_found(std::uint64_t serial, const Polyline& points) {
    if (state != State::tracing || freehand_held || serial <= std::max(live_after, live_shown)) return;
    if (serial > last_serial || points.size() < 2 || !share_pixel(points.front(), last())) return;
    draft.live = points;
    draft.live.front() = last();
    if (live_asked && share_pixel(points.back(), *live_asked)) draft.live.back() = *live_asked;
    live_shown = serial;
    cooling.wire_changed(draft.live);
  }
  void ask_for_missing() {
    for (std::size_t i = 0; i < missing.size(); ++i) {
      const Polyline& line = draft.pieces[i].points;
      if (missing[i] != 0) missing[i] = request(line.front(), line.back(), true);
    }
  }

  /// Common end of every event.
  void settle() {
    freeze();
    draft.slice = slice;
    draft.length_px = pieces_length() + length_px(draft.live);
    draft.cooling_fraction = settings.cooling && state == State::tracing
                                 ? cooling.fraction(settings.cooling_seconds, settings.cooling_least_px)
                                 : 0;
    send();
  }
  bool pointer_at(const Vector2d& at, double time) {
    if (time > now) now = time;
    cooling.time_passes(now);
    const auto clamped = inside(at);
    if (!clamped) return false;
    place = clamped;
    return true;
  }
};

Tracer::Tracer(TracerSettings settings, Ask ask) : impl_(std::make_shared<Impl>()) {
  impl_->settings = settings;
  impl_->ask = std::move(ask);
}

void Tracer::set_settings(const TracerSettings& settings) {
  impl_->settings = settings;
  impl_->anchor.reset();
  impl_->aim_and_follow();
  impl_->settle();
}

void Tracer::set_slice(images::SliceId slice, int width, int height,
                       std::shared_ptr<const Features> features) {
  impl_->reset();
  impl_->dropped = {};
  impl_->slice = slice;
  impl_->width = width;
  impl_->height = height;
  impl_->features = std::move(features);
  impl_->anchor.reset();
  impl_->draft.cursor.reset();
  if (impl_->place) impl_->place = impl_->inside(*impl_->place);
  impl_->aim();
  impl_->settle();
}

void Tracer::costs_changed(std::shared_ptr<const Features> features) {
  impl_->features = std::move(features);
  impl_->ask_for_missing();
  impl_->anchor.reset();
  if (impl_->state != State::freehand) impl_->drop_live();
  impl_->aim_and_follow();
  impl_->settle();
}

void Tracer::pointer_moved(const Vector2d& place, double time) {
  if (!impl_->pointer_at(place, time)) return;
  if (impl_->state == State::freehand) impl_->draw_freehand();
  impl_->aim_and_follow();
  impl_->settle();
}

void Tracer::pressed(const Vector2d& place, double time) {
  if (impl_->state == State::freehand) impl_->end_freehand();  // the release went to another window
  if (!impl_->pointer_at(place, time)) return;
  impl_->aim();
  if (impl_->state != State::finished) impl_->press();
  impl_->settle();
}

void Tracer::released(const Vector2d& place, double time) {
  if (!impl_->pointer_at(place, time)) return;
  if (impl_->state == State::freehand) impl_->end_freehand();
  impl_->aim_and_follow();
  impl_->settle();
}

void Tracer::double_clicked(const Vector2d& place, double time) {
  if (!impl_->pointer_at(place, time)) return;
  impl_->aim();
  impl_->double_click();
  impl_->aim_and_follow();
  impl_->settle();
}

void Tracer::hold_freehand(bool held) {
  if (impl_->freehand_held == held) return;
  impl_->freehand_held = held;
  if (impl_->state == State::tracing) impl_->drop_live();
  impl_->aim_and_follow();
  impl_->settle();
}

void Tracer::hold_no_snap(bool held) {
  impl_->no_snap_held = held;
  impl_->aim_and_follow();
  impl_->settle();
}

void Tracer::undo_seed() {
  impl_->undo_seed();
  impl_->aim_and_follow();
  impl_->settle();
}

void Tracer::escape() {
  Impl& impl = *impl_;
  if (impl.state == State::idle) return;
  impl.unfinish();
  impl.dropped = {impl.draft.seeds, impl.draft.pieces, impl.missing};
  impl.reset();
  impl.settle();
}

bool Tracer::can_restore() const {
  return impl_->state == State::idle && !impl_->dropped.seeds.empty();
}

void Tracer::restore() {
  if (!can_restore()) return;
  Impl& impl = *impl_;
  impl.draft.seeds = std::move(impl.dropped.seeds);
  impl.draft.pieces = std::move(impl.dropped.pieces);
  impl.missing = std::move(impl.dropped.missing);
  impl.dropped = {};
  impl.state = State::tracing;
  impl.ask_for_missing();
  impl.aim_and_follow();
  impl.settle();
}

void Tracer::resume(const Eigen::Vector2d& seed, std::vector<contours::Piece> pieces) {
  escape();
  Outline& outline = impl_->dropped;
  outline = {{seed}, std::move(pieces), {}};
  for (const Piece& each : outline.pieces) outline.seeds.push_back(each.points.back());
  outline.missing.assign(outline.pieces.size(), 0);
  restore();
}

void Tracer::close() {
  if (impl_->state == State::freehand) impl_->end_freehand();
  impl_->close();
  impl_->settle();
}

void Tracer::finish_open() {
  if (impl_->state == State::freehand) impl_->end_freehand();
  if (impl_->state == State::tracing && impl_->draft.seeds.size() > 1) impl_->finish(false);
  impl_->settle();
}

void Tracer::tick(double time) {
  impl_->cooling.time_passes(time);
  impl_->settle();
}

void Tracer::wire_found(std::uint64_t serial, const Polyline& points) {
  const auto piece = std::ranges::find(impl_->missing, serial);
  if (serial == 0) return;
  if (piece != impl_->missing.end()) {
    impl_->piece_found(static_cast<std::size_t>(piece - impl_->missing.begin()), points);
  } else {
    impl_->live_found(serial, points);
  }
  impl_->settle();
}

Tracer::State Tracer::state() const {
  return impl_->state;
}

const Tracer::Draft& Tracer::draft() const {
  return impl_->draft;
}

std::size_t Tracer::missing() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(impl_->missing, [](std::uint64_t serial) { return serial != 0; }));
}

std::optional<Contour> Tracer::take_finished() {
  if (impl_->state != State::finished || missing() > 0) return std::nullopt;
  Contour contour;
  contour.slice = impl_->slice;
  contour.closed = impl_->closed;
  contour.seeds = std::move(impl_->draft.seeds);
  contour.pieces = std::move(impl_->draft.pieces);
  impl_->reset();
  impl_->settle();
  return contour;
}

}  // namespace isolume::livewire
