#include "core/flames/hand.h"

#include "core/parameters/description.h"

namespace isolume::flames {
namespace {

using parameters::to_text;

Act set_view(const View& view) {
  return {"flames.view.set", {to_text(view.x), to_text(view.y), to_text(view.scale)}};
}

}  // namespace

std::optional<Act> Hand::take_hold(const Flame& flame, int chosen, bool triangles, PlanePoint at,
                                   double reach) {
  hold_ = Hold{.from = at};
  if (triangles) hold_->grip = grip_at(flame, chosen, at, reach);
  if (!hold_->grip) return std::nullopt;
  const int number = hold_->grip->function;
  hold_->map = flame.functions[static_cast<std::size_t>(number - 1)].affine;
  if (number == chosen) return std::nullopt;
  return Act{"parameter.set", {"function", std::to_string(number)}};
}

std::optional<Act> Hand::move(const Flame& flame, PlanePoint to) {
  if (!hold_) return std::nullopt;
  hold_->moved = true;
  if (!hold_->grip) return set_view(panned(flame.view, hold_->from, to));
  const Affine map = dragged(hold_->map, hold_->grip->corner, hold_->from, to);
  Act act{"flames.map.set", {std::to_string(hold_->grip->function)}};
  for (const double each : {map.a, map.b, map.c, map.d, map.e, map.f}) act.words.push_back(to_text(each));
  return act;
}

std::optional<Act> Hand::release(const Flame& flame, PlanePoint to) {
  const auto last = hold_ && hold_->moved ? move(flame, to) : std::nullopt;
  hold_.reset();
  return last;
}

Act zoom(const View& view, double factor, PlanePoint about) {
  return set_view(zoomed(view, factor, about));
}

}  // namespace isolume::flames
