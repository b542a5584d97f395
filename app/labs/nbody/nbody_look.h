#pragma once

#include <cstdint>

#include "app/bodies/bodies_look.h"

namespace isolume::labs::nbody {

enum class Follow { nothing, body, centre_of_mass };
enum class Trails { none, body, all };

/// How the lab draws bodies, and what it draws with them.
struct NBodyLook : bodies::BodiesLook {
  bool surface_density = false;  ///< in the place of light
  std::int64_t body = -1;        ///< the identifier of the one that is chosen; -1: none
  Follow follow = Follow::nothing;
  Trails trails = Trails::none;
  int trail_steps = 100;
  int tree_levels = 0;  ///< of the octree's boxes; 0: none are shown
};
const parameters::Schema<NBodyLook>& nbody_look_schema();

}  // namespace isolume::labs::nbody
