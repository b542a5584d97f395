#pragma once

#include <vector>

#include "core/livewire/tracer.h"

namespace isolume::livewire {

/// A wire as a solver could answer: diagonal first, then straight.
inline contours::Polyline straight_wire(Pixel from, Pixel to) {
  const auto towards = [](int a, int b) { return (b > a) - (b < a); };
  contours::Polyline wire{Eigen::Vector2d(from.x, from.y)};
  while (from != to) {
    from = {from.x + towards(from.x, to.x), from.y + towards(from.y, to.y)};
    wire.emplace_back(from.x, from.y);
  }
  return wire;
}

inline std::shared_ptr<Features> flat_features(int width, int height) {
  auto features = std::make_shared<Features>();
  features->width = width;
  features->height = height;
  for (auto* values :
       {&features->gradient, &features->gradient_x, &features->gradient_y, &features->laplacian})
    values->assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0.0F);
  return features;
}

/// A tracer on a flat slice of 200 x 100 pixels, whose requests are kept; `answer` answers them.
struct TracedByHand {
  std::vector<WireRequest> asked;
  Tracer tracer;

  explicit TracedByHand(TracerSettings settings = {})
      : tracer(settings, [this](const WireRequest& request) { asked.push_back(request); }) {
    tracer.set_slice({2, 7}, 200, 100, flat_features(200, 100));
  }
  TracedByHand(const TracedByHand&) = delete;
  TracedByHand& operator=(const TracedByHand&) = delete;

  void answer() {
    const auto requests = std::exchange(asked, {});
    for (const auto& each : requests) tracer.wire_found(each.serial, straight_wire(each.from, each.to));
  }
  void move(double x, double y, double time = 0) { tracer.pointer_moved({x, y}, time); }
  void click(double x, double y, double time = 0) {
    tracer.pointer_moved({x, y}, time);
    tracer.pressed({x, y}, time);
    tracer.released({x, y}, time);
  }
  /// In the order in which Qt sends it.
  void double_click(double x, double y, double time = 0) {
    click(x, y, time);
    tracer.double_clicked({x, y}, time);
    tracer.released({x, y}, time);
  }
};

}  // namespace isolume::livewire
