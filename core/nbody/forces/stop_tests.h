#pragma once

#include <cstdint>

#include "core/nbody/forces/tree_stops.h"

namespace isolume::nbody {

/// What a cell acts on as a whole: the expansion at a place, its bodies, or neither (only its parts do).
enum class ActsOn : std::uint8_t { place, bodies, parts };

/// Vectorised acceptance criterion for successive stops: children of a cell are tested together.
struct StopTests {
  static constexpr std::uint32_t most = 8;

  Paged<double> x, y, z;
  Paged<float> radius, opening, spread, mass;

  explicit StopTests(const Paged<Stop>& stops);

  /// Result of acts_on_place_as_a_whole, else of acts_on_bodies_as_a_whole, for `count` stops from `first` on: at
  /// most `most`.
  void judge(std::uint32_t first, std::uint32_t count, const Place& on, double distance, ActsOn* found) const;
};

}  // namespace isolume::nbody
