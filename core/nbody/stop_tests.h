#pragma once

#include <cstdint>

#include "core/nbody/tree_stops.h"

namespace isolume::nbody {

/// On what a cell acts as a whole.
enum class ActsOn : std::uint8_t { place, bodies, parts };

/// What decides that, of stops one after the other: parts of a cell are looked at together.
struct StopTests {
  static constexpr std::uint32_t most = 8;

  Paged<double> x, y, z;
  Paged<float> radius, opening, spread, mass;

  explicit StopTests(const Paged<Stop>& stops);

  /// As acts_on_place_as_a_whole, else acts_on_bodies_as_a_whole, of the `count` from `first` on: at most `most`.
  void judge(std::uint32_t first, std::uint32_t count, const Place& on, double distance, ActsOn* found) const;
};

}  // namespace isolume::nbody
