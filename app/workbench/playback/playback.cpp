#include "app/workbench/playback/playback.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace isolume::workbench {
namespace {

constexpr int frame_ms = 16;

}  // namespace

Playback::Playback(QObject* parent)
    : QObject(parent), longest_frame_seconds_(std::numeric_limits<double>::infinity()) {
  timer_.setInterval(frame_ms);
  timer_.setTimerType(Qt::PreciseTimer);
  connect(&timer_, &QTimer::timeout, this, &Playback::advance);
}

void Playback::set_range(double low, double high, const QString& unit, double seconds) {
  clock_.set_range(simulation::Clock::Range{low, high});
  const double rate = high > low ? (high - low) / seconds : 1;
  range_seconds_ = seconds;
  clock_.set_rate(rate);
  if (!grows_) frame_time_ = rate * frame_ms * 1e-3;
  unit_ = unit;
  Q_EMIT changed();
}

void Playback::let_grow(double frame_time) {
  grows_ = true;
  frame_time_ = frame_time;
}

void Playback::set_at_end(simulation::Clock::AtEnd at_end) {
  clock_.set_at_end(at_end);
  Q_EMIT changed();
}

void Playback::wait_for(std::function<bool()> ready, double longest_frame_seconds) {
  ready_ = std::move(ready);
  longest_frame_seconds_ = longest_frame_seconds;
}

void Playback::play() {
  if (playing()) return;
  const double before = clock_.time();
  if (grows_) picture_time_ = before;  // until its next picture
  clock_.play();
  since_frame_.start();
  timer_.start();
  Q_EMIT playing_changed(true);
  if (clock_.time() != before) Q_EMIT time_changed(clock_.time());
  Q_EMIT changed();
}

void Playback::pause() {
  if (!playing()) return;
  clock_.pause();
  timer_.stop();
  Q_EMIT playing_changed(false);
  Q_EMIT changed();
}

void Playback::advance() {
  if (ready_ && !ready_()) return;
  const double seconds = static_cast<double>(since_frame_.nsecsElapsed()) * 1e-9;
  since_frame_.start();
  if (grows_) {
    // A growing playback waits at its end; others have reached theirs.
    constexpr double far = 1e12;
    const simulation::Clock::Range range = *clock_.range();
    clock_.set_range(simulation::Clock::Range{range.low - far, range.high + far});
    clock_.advance(std::min(seconds, longest_frame_seconds_));
    clock_.set_range(range);
  } else {
    clock_.advance(std::min(seconds, longest_frame_seconds_));
  }
  const bool ended = !clock_.playing();
  if (ended) timer_.stop();
  Q_EMIT time_changed(clock_.time());
  if (ended) Q_EMIT playing_changed(false);
  Q_EMIT changed();
}

void Playback::move_to(double time) {
  clock_.set_time(time);
  Q_EMIT time_changed(clock_.time());
  Q_EMIT changed();
}

void Playback::step(int frames) {
  scrub(clock_.time() + frames * frame_time_);
}

void Playback::scrub(double time) {
  pause();
  if (grows_)
    clock_.set_range(
        simulation::Clock::Range{std::min(clock_.range()->low, time), std::max(clock_.range()->high, time)});
  move_to(time);
}

void Playback::show_time(double time) {
  clock_.set_time(time);
  picture_time_.reset();
  Q_EMIT changed();
}

void Playback::show_picture(double time) {
  picture_time_ = time;
  Q_EMIT changed();
}

double Playback::shown_time() const {
  return playing() ? picture_time_.value_or(clock_.time()) : clock_.time();
}

std::optional<simulation::Clock::Range> Playback::shown_range() const {
  auto range = clock_.range();
  if (range && grows_) {
    range->low += frame_time_;
    range->high = std::max(range->low, range->high - frame_time_);
  }
  return range;
}

void Playback::set_speed(double speed) {
  clock_.set_speed(speed);
  Q_EMIT changed();
}

Passage Playback::passage() {
  const simulation::Clock::Range none{0, 0}, whole = clock_.range().value_or(none),
                                             shown = shown_range().value_or(none);
  const double length = whole.high - whole.low, frame = grows_ ? frame_time_ : 0;
  return {.name = tr("Time"),
          .unit = unit_,
          .from = shown.low,
          .to = shown.high,
          .now = clock_.time(),
          .seconds = length > 0 ? range_seconds_ * (shown.high - shown.low + frame) / length : 0,
          .loops = clock_.at_end() == simulation::Clock::AtEnd::loop,
          .go_to = [this](double at) { scrub(at); }};
}

void Playback::set_reversed(bool reversed) {
  clock_.set_reversed(reversed);
  Q_EMIT changed();
}

}  // namespace isolume::workbench

#include "moc_playback.cpp"
