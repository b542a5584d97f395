#pragma once

#include <array>
#include <vector>

#include "core/nbody/nbody_simulation.h"
#include "core/parameters/schema.h"

namespace isolume::bodies {

enum class ColourBy { speed, density, potential, origin, id };

/// How bodies are drawn.
struct BodiesLook {
  ColourBy colour_by = ColourBy::speed;
  double brightness = 1;
  double size = 1;
  double exposure = 1;
  double halo = 0;  ///< light of dark matter, for its mass
};
const parameters::Schema<BodiesLook>& bodies_look_schema();

/// What is drawn of a frame.
struct DrawnBodies {
  std::vector<float> positions, masses, values;
  std::vector<std::uint32_t> numbers;  ///< of each in the frame
  std::array<float, 2> range{0, 1};    ///< values of the first and the last colour
  bool logarithmic = false;            ///< colours go by the values' logarithms
  bool distinct = false;               ///< colours tell apart what is not ordered
};
/// Masses are those of light: dark matter has that part of its own which the look gives it.
DrawnBodies drawn_bodies(const nbody::NBodyFrame& frame, const BodiesLook& look);

}  // namespace isolume::bodies
