#include "core/simulation/player.h"

#include <algorithm>
#include <cmath>

namespace isolume::simulation {
namespace {

/// Number of frames that are computed ahead of the clock.
constexpr std::int64_t frames_ahead = 4;

/// In seconds: the maximum time that the clock catches up with after waiting for frames.
constexpr double most_behind = 0.25;

/// The last multiple not after it.
std::int64_t multiple_before(std::int64_t step, std::int64_t of) {
  const std::int64_t rest = step % of;
  return step - (rest < 0 ? rest + of : rest);
}

}  // namespace

Player::Player(Runner& runner, double steps_per_second) : runner_(runner) {
  clock_.set_rate(steps_per_second);
}

FramePointer Player::tick(double seconds) {
  const Recorded recorded = runner_.recorded();
  run_clock(seconds, recorded);
  const std::int64_t wanted = frame_at(clock_.time(), recorded);
  if (FramePointer frame = runner_.frame(wanted)) {
    shown_ = std::move(frame);
    shown_epoch_ = recorded.epoch;
  }
  waiting_ = !shown_ || shown_->step != wanted || shown_epoch_ != recorded.epoch || !shown_->readable();
  runner_.look(waiting_ ? std::optional(wanted) : std::nullopt, ahead(recorded));
  return shown_;
}

void Player::run_clock(double seconds, const Recorded& recorded) {
  if (to_come_ && *to_come_ >= recorded.first && *to_come_ <= recorded.last) {
    clock_.set_time(static_cast<double>(*to_come_));
    to_come_.reset();
  } else if (patient_ && !waiting_) {
    clock_.advance(seconds);
    wait_past_ends(recorded);
  }
  const double before = clock_.time(), due = seconds + behind_;
  const bool runs = playing() && !patient_ && !to_come_ && !waiting_;
  if (runs) clock_.advance(due);
  const double moved = clock_.time() - before;
  clock_.set_time(
      std::clamp(clock_.time(), static_cast<double>(recorded.first), static_cast<double>(recorded.last)));
  const double part_lost = !runs ? 1 : moved == 0 ? 0 : 1 - (clock_.time() - before) / moved;
  behind_ = playing() && !patient_ ? std::min(part_lost * due, most_behind) : 0;
  stop_at_ends(recorded);
}

void Player::wait_past_ends(const Recorded& recorded) {
  auto step = static_cast<std::int64_t>(std::floor(clock_.time()));
  if (const auto& last_step = runner_.options().last_step) step = std::min(step, *last_step);
  if (!runner_.reversible()) step = std::max(step, recorded.first);
  if (step < recorded.first || step > recorded.last) to_come_ = step;
}

void Player::stop_at_ends(const Recorded& recorded) {
  const auto& last_step = runner_.options().last_step;
  const bool at_start =
      reversed() && !runner_.reversible() && clock_.time() <= static_cast<double>(recorded.first);
  const bool at_end = !reversed() && last_step && clock_.time() >= static_cast<double>(*last_step);
  if (at_start || at_end) clock_.pause();
}

std::int64_t Player::frame_at(double time, const Recorded& recorded) const {
  const auto step = static_cast<std::int64_t>(std::floor(time));
  // The ends of the record are shown even if they are not multiples.
  if (step >= recorded.last || step <= recorded.first) return std::clamp(step, recorded.first, recorded.last);
  return std::max(multiple_before(step, runner_.options().steps_per_frame), recorded.first);
}

std::optional<std::int64_t> Player::ahead(const Recorded& recorded) const {
  if (to_come_) return to_come_;
  if (!playing()) return std::nullopt;
  const std::int64_t steps = frames_ahead * runner_.options().steps_per_frame;
  const auto now = static_cast<std::int64_t>(std::floor(clock_.time()));
  // Steps before the start are computed only if the clock has come near it.
  return reversed() ? std::max(now - steps, recorded.first - steps) : now + steps;
}

void Player::step(std::int64_t frames) {
  pause();
  const Recorded recorded = runner_.recorded();
  const RunnerOptions& options = runner_.options();
  const std::int64_t stride = options.steps_per_frame;
  const std::int64_t now = to_come_.value_or(static_cast<std::int64_t>(std::floor(clock_.time())));
  std::int64_t to = multiple_before(now, stride) + frames * stride;
  if (frames < 0 && multiple_before(now, stride) != now) to += stride;
  if (options.last_step) to = std::min(to, *options.last_step);
  if (!runner_.reversible()) to = std::max(to, recorded.first);
  to_come_ = to;
}

void Player::scrub(std::int64_t step) {
  to_come_.reset();
  behind_ = 0;
  const Recorded recorded = runner_.recorded();
  clock_.set_time(static_cast<double>(std::clamp(step, recorded.first, recorded.last)));
  waiting_ = false;
}

bool Player::live() const {
  return clock_.time() >= static_cast<double>(runner_.recorded().last);
}

void Player::cancel() {
  pause();
  to_come_.reset();
  if (shown_) scrub(shown_->step);
  runner_.cancel();
}

}  // namespace isolume::simulation
