#include "app/stage/presenter.h"

#include <cmath>
#include <numbers>

namespace isolume::stage {

void Presenter::set_on(bool on) {
  on_ = on;
  idle_ = idle_seconds;
  was_touched_ = false;
  shown_ = 0;
}

Presenter::Next Presenter::advance(double seconds, Camera& camera, const Camera& first) {
  if (!on_) return {};
  idle_ += seconds;
  Next next;
  if (idle_ < idle_seconds) {
    was_touched_ = true;
    return next;
  }
  if (was_touched_) {
    was_touched_ = false;
    next.reset = true;
    shown_ = 0;
    return next;
  }
  shown_ += seconds;
  if (shown_ > scene_seconds) {
    next.scene = true;
    shown_ = 0;
  }
  // One revolution in 80 s, with slow changes of elevation and distance.
  constexpr double turn = 80;
  const auto phase = static_cast<float>(2 * std::numbers::pi * shown_ / turn);
  camera = first;
  camera.turn(phase, 0.35F * std::sin(2 * phase));
  camera.distance *= 1 - 0.25F * std::sin(phase);
  return next;
}

}  // namespace isolume::stage
