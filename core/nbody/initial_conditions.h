#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/nbody/bodies.h"

namespace isolume::nbody {

/// What a simulation starts from: a scene, or what a file holds.
struct InitialConditions {
  Bodies bodies;                                  ///< velocities may be missing: then all are at rest
  std::vector<std::uint64_t> id = {};             ///< of each body; empty: 1, 2, 3 ...
  std::vector<std::uint8_t> origin = {};          ///< of each body, a position in `origins`; empty: 0
  std::vector<std::string> origins = {"bodies"};  ///< what bodies belong to: "disc", "second galaxy"
  double time = 0;
  double time_step = 0;  ///< that suits them; 0: nobody knows
  double softening = 0;  ///< the same; may be 0 on purpose
};

/// Throws Error as check(Bodies) does, and where ids or origins are not one for each body.
void check(const InitialConditions& start);

}  // namespace isolume::nbody
