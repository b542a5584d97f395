#include "app/labs/livewire/tools/tracing_tool.h"

#include <QPointer>
#include <utility>

#include "app/labs/livewire/tools/tracing_model.h"
#include "core/livewire/trace.h"

namespace isolume::labs::livewire {

namespace science = isolume::livewire;
using State = science::Tracer::State;

namespace {

constexpr int tick_ms = 50;

}  // namespace

TracingTool::TracingTool(TracingModel& model, WireFinder& wires, OnGuiThread on_gui_thread)
    : model_(model),
      wires_(wires),
      on_gui_thread_(std::move(on_gui_thread)),
      tracer_({}, [this](const science::WireRequest& request) { ask(request); }) {
  clock_.start();
  ticks_.setInterval(tick_ms);
  connect(&ticks_, &QTimer::timeout, this, [this] {
    const double cooled = tracer_.draft().cooling_fraction;
    tracer_.tick(now());
    if (cooled != tracer_.draft().cooling_fraction || seeds_ != tracer_.draft().seeds.size()) after_event();
  });
  connect(&model_, &TracingModel::image_changed, this, [this] {
    tracer_.escape();
    load_slice(model_.slice());
  });
  connect(&model_, &TracingModel::slice_changed, this, [this] {
    if (!tracing()) load_slice(model_.slice());
  });
}

double TracingTool::now() const {
  return static_cast<double>(clock_.nsecsElapsed()) * 1e-9;
}

void TracingTool::set_settings(const science::TracerSettings& settings) {
  tracer_.set_settings(settings);
}

void TracingTool::load_slice(images::SliceId slice) {
  if (model_.image() == nullptr) return;
  slice_ = slice;
  const auto plane = images::slice_plane(model_.image()->volume.geometry, slice_);
  tracer_.set_slice(slice_, plane.columns, plane.rows, nullptr);
  asked_at_.clear();
  ask_for_ground();
  Q_EMIT draft_changed();
}

void TracingTool::costs_changed() {
  if (model_.image() != nullptr) ask_for_ground();
}

/// Snapping waits for it; until then seeds stay where they are put.
void TracingTool::ask_for_ground() {
  ground_.reset();
  const std::uint64_t serial = ++ground_asked_;
  wires_.submit_newest(
      slice_, Lane::look,
      [=, this, alive = QPointer(this), on_gui_thread = on_gui_thread_](const auto& ground, auto&, auto&) {
        on_gui_thread([=, this] {
          if (!alive || serial != ground_asked_) return;
          ground_ = ground;
          tracer_.costs_changed({ground, &ground->features});
          Q_EMIT ground_changed();
          after_event();
        });
      });
}

/// Whether the draft lies on another slice than the one that is shown; says so where it does.
bool TracingTool::elsewhere() const {
  return tracing() && model_.slice() != slice_;
}

void TracingTool::move(const Eigen::Vector2d& place) {
  if (elsewhere()) return;
  tracer_.pointer_moved(place, now());
  after_event();
}

void TracingTool::press(const Eigen::Vector2d& place) {
  if (elsewhere()) {
    Q_EMIT said(tr("A contour is being traced on slice %1: finish it there (Enter), or discard it (Esc).")
                    .arg(slice_.index + 1));
    return;
  }
  tracer_.pressed(place, now());
  after_event();
}

void TracingTool::release(const Eigen::Vector2d& place) {
  if (elsewhere()) return;
  tracer_.released(place, now());
  after_event();
}

void TracingTool::double_click(const Eigen::Vector2d& place) {
  if (elsewhere()) return;
  tracer_.double_clicked(place, now());
  after_event();
}

void TracingTool::hold_freehand(bool held) {
  tracer_.hold_freehand(held);
  after_event();
}

void TracingTool::hold_no_snap(bool held) {
  tracer_.hold_no_snap(held);
  after_event();
}

void TracingTool::undo_seed() {
  tracer_.undo_seed();
  after_event();
}

void TracingTool::escape() {
  if (tracing()) Q_EMIT said(tr("The contour being traced was discarded: Ctrl+R brings it back."));
  tracer_.escape();
  after_event();
}

void TracingTool::restore() {
  tracer_.restore();
  after_event();
}

void TracingTool::close() {
  tracer_.close();
  after_event();
}

void TracingTool::finish_open() {
  tracer_.finish_open();
  after_event();
}

void TracingTool::resume(images::SliceId slice, const Eigen::Vector2d& seed,
                         std::vector<contours::Piece> pieces) {
  load_slice(slice);
  tracer_.resume(seed, std::move(pieces));
  after_event();
}

void TracingTool::after_event() {
  take_finished();
  if (tracing() != ticks_.isActive()) tracing() ? ticks_.start() : ticks_.stop();
  if (!tracing() && model_.image() != nullptr && model_.slice() != slice_) load_slice(model_.slice());
  if (seeds_ != tracer_.draft().seeds.size()) {
    seeds_ = tracer_.draft().seeds.size();
    Q_EMIT seeds_changed();
  }
  if (tracer_.missing() == 0) {
    const std::size_t pieces = tracer_.draft().pieces.size();
    if (std::exchange(whole_pieces_, pieces) < pieces) Q_EMIT piece_traced();
  }
  Q_EMIT draft_changed();
}

void TracingTool::ask(const science::WireRequest& request) {
  if (!request.needed) asked_at_[request.serial] = now();
  // Copied: the work may still run while the tool is destroyed.
  const auto give = [=, this, serial = request.serial, alive = QPointer(this), image = model_.image(),
                     on_gui_thread = on_gui_thread_](const contours::Polyline& points, double search_ms) {
    on_gui_thread([=, this] {
      if (alive && image == model_.image()) take_wire(serial, points, search_ms);
    });
  };
  const auto work = [=](const auto&, science::WireSolver& wires, const jobs::Progress& progress) {
    QElapsedTimer search;
    search.start();
    const auto points =
        wires.live_wire(request.from, request.to, request.shown, request.traced, progress).points;
    give(points, static_cast<double>(search.nsecsElapsed()) * 1e-6);
  };
  if (!request.needed) return wires_.submit_newest(slice_, Lane::tool, work);
  // A piece that nobody can find is straight, so that the contour can be ended; the person is told why.
  wires_.submit(slice_, Lane::tool, work, [give, request] {
    give({{request.from.x, request.from.y}, {request.to.x, request.to.y}}, 0);
  });
}

void TracingTool::take_wire(std::uint64_t serial, const contours::Polyline& points, double search_ms) {
  tracer_.wire_found(serial, points);
  if (const auto asked = asked_at_.find(serial); asked != asked_at_.end()) {
    Q_EMIT wire_timed({search_ms, (now() - asked->second) * 1e3});
    asked_at_.erase(asked_at_.begin(), std::next(asked));  // older ones have been overtaken
  }
  after_event();
}

void TracingTool::take_finished() {
  auto finished = tracer_.take_finished();
  if (!finished) return;
  const std::string warning = science::warning_about(*finished);
  finished->label = model_.current_label();
  add(std::move(*finished));
  if (!warning.empty()) Q_EMIT said(QString::fromStdString(warning));
}

void TracingTool::add(contours::Contour contour) {
  contours::ContourSet next = model_.contours();
  const std::uint64_t id = next.add(std::move(contour));
  const QString text = tr("Trace %1").arg(QString::fromStdString(next.find(id)->name));
  model_.change(text, std::move(next));
  Q_EMIT traced(id);
}

}  // namespace isolume::labs::livewire

#include "moc_tracing_tool.cpp"
