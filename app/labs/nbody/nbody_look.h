#pragma once

#include <cstdint>

#include "app/bodies/bodies_choices.h"
#include "core/nbody/bodies/orbital_elements.h"

namespace isolume::labs::nbody {

enum class Follow { nothing, body, centre_of_mass };
enum class Trails { none, body, all };
enum class ReadOutIn { nothing, window, pictures };

/// How the lab draws bodies, and what it draws with them.
struct NBodyLook : bodies::BodiesLook {
  bool surface_density = false;  ///< in the place of light
  std::int64_t body = -1;        ///< the identifier of the one that is chosen; -1: none
  Follow follow = Follow::nothing;
  Trails trails = Trails::none;
  int trail_steps = 100;
  int tree_levels = 0;  ///< of the octree's boxes; 0: none are shown
  bool probe = false;   ///< is marked, at this place
  double probe_x = 0, probe_y = 0, probe_z = 0;
};
const parameters::Schema<NBodyLook>& nbody_look_schema();

/// What a window writes on its picture and in its panels: nothing else draws it.
struct WindowLook {
  ReadOutIn read_out = ReadOutIn::window;  ///< speed and errors; in pictures that are written, too
  double new_mass = 1e-3;                  ///< of a body that is added, in the document's unit of mass
  isolume::nbody::OrbitAbout orbit_about = isolume::nbody::OrbitAbout::tightest;  ///< of the chosen body
};
const parameters::Schema<WindowLook>& window_look_schema();

}  // namespace isolume::labs::nbody
