#pragma once

#include <array>
#include <cstdint>
#include <memory>
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

/// What is drawn of bodies that stays as it is while they move: numbers of each that is drawn.
struct SteadyBodies {
  std::shared_ptr<const nbody::BodyLabels> labels;
  ColourBy colour_by = ColourBy::speed;
  double halo = 0;
  std::vector<float> masses;  ///< of light: dark matter has that part of its own which the look gives it
  std::vector<float> values;  ///< what colours go by, where that stays the same; else empty
  std::vector<std::uint32_t> numbers;  ///< in the frame
  /// Colours tell apart what is not ordered.
  bool distinct() const { return colour_by == ColourBy::origin || colour_by == ColourBy::id; }
  bool all() const { return numbers.size() == labels->mass.size(); }
};
/// `before`: those of another frame, which are returned where they are the same; may be null.
std::shared_ptr<const SteadyBodies> steady_bodies(
    const std::shared_ptr<const nbody::BodyLabels>& labels, const BodiesLook& look,
    const std::shared_ptr<const SteadyBodies>& before = nullptr);

/// What is drawn of a frame, beside that.
struct DrawnBodies {
  std::vector<float> positions;
  std::vector<float> values;         ///< empty: the steady ones
  std::array<float, 2> range{0, 1};  ///< values of the first and the last colour
  bool logarithmic = false;          ///< colours go by the values' logarithms
};
DrawnBodies drawn_bodies(const nbody::NBodyFrame& frame, const SteadyBodies& steady);

/// What colours go by in a frame, one number a body; null where it is not a number of each alone.
const dispatch::LazyValues* values_of(const nbody::NBodyFrame& frame, ColourBy by);
/// Values of the first and the last colour, as drawn_bodies finds them, from a few of the values: without copying all from
/// a device. Not for densities.
std::array<float, 2> colour_range(const nbody::NBodyFrame& frame, const SteadyBodies& steady);

}  // namespace isolume::bodies
