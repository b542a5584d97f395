#pragma once

#include "core/parameters/schema.h"

namespace isolume::bodies {

enum class ColourBy { speed, density, potential, origin, id };

/// How large bodies are drawn, and how bright.
enum class Sizes {
  automatic,   ///< compressed if radii are known, otherwise light
  light,       ///< light in proportion to the mass, on a disc with radius proportional to its cube root
  compressed,  ///< spheres drawn with the cube root of their radius
  to_scale     ///< spheres drawn with their true radius
};

/// How bodies are drawn.
struct BodiesLook {
  ColourBy colour_by = ColourBy::speed;
  double brightness = 1;
  double size = 1;
  double exposure = 1;
  double halo = 0;  ///< brightness of dark matter relative to its mass
  Sizes sizes = Sizes::automatic;
  bool names = true;   ///< of bodies that have one
  bool orbits = true;  ///< osculating, of these
};
const parameters::Schema<BodiesLook>& bodies_look_schema();

}  // namespace isolume::bodies
