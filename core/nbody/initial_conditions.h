#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/remarks.h"
#include "core/nbody/bodies.h"
#include "core/nbody/cosmology.h"
#include "core/nbody/units.h"

namespace isolume::nbody {

/// Steps that suit few bodies, which come close to each other: by Hermite's integrator, each body's as long as it needs
/// (TimeSteps::block).
struct FewBodySteps {
  double dt = 0;        ///< the longest
  double accuracy = 0;  ///< RunOptions::accuracy
};

/// What a simulation starts from: a scene, or what a file holds.
struct InitialConditions {
  Bodies bodies;                                  ///< velocities may be missing: then all are at rest
  std::vector<std::uint64_t> id = {};             ///< of each body; empty: 1, 2, 3 ...
  std::vector<std::uint8_t> origin = {};          ///< of each body, a position in `origins`; empty: 0
  std::vector<std::string> origins = {"bodies"};  ///< what bodies belong to: "disc", "second galaxy"
  std::vector<double> radius = {};                ///< of each body, a sphere; empty: not known
  double time = 0;       ///< in a comoving box the natural logarithm of the scale factor: 0 today
  double time_step = 0;  ///< that suits them; 0: nobody knows
  double softening = 0;  ///< the same; may be 0 on purpose
  std::optional<FewBodySteps> few_body_steps = std::nullopt;  ///< nothing: leapfrog's global steps suit them
  std::optional<ComovingBox> box =
      std::nullopt;  ///< that they are in, with its units; nothing: they are alone
  std::optional<Units> units =
      std::nullopt;      ///< of those that are in no box; nothing: only that G = 1 is known
  Remarks remarks = {};  ///< what was done to what the file has
};

/// Throws Error as check(Bodies) does, and where ids or origins are not one for each body, and as check(ComovingBox)
/// does.
void check(const InitialConditions& start);

}  // namespace isolume::nbody
