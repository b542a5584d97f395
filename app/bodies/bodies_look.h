#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/nbody/nbody_simulation.h"
#include "core/parameters/schema.h"

namespace isolume::bodies {

enum class ColourBy { speed, density, potential, origin, id };

/// How large bodies are drawn, and how bright.
enum class Sizes {
  automatic,   ///< compressed where radii are known, else light
  light,       ///< light of its mass, from a disc whose radius goes by the cube root of the mass
  compressed,  ///< spheres whose drawn radius goes by the cube root of the radius
  to_scale     ///< spheres of their radius
};

/// How bodies are drawn.
struct BodiesLook {
  ColourBy colour_by = ColourBy::speed;
  double brightness = 1;
  double size = 1;
  double exposure = 1;
  double halo = 0;  ///< light of dark matter, for its mass
  Sizes sizes = Sizes::automatic;
};
const parameters::Schema<BodiesLook>& bodies_look_schema();

/// What is drawn of bodies that stays as it is while they move: numbers of each that is drawn.
struct SteadyBodies {
  std::shared_ptr<const nbody::BodyLabels> labels;
  ColourBy colour_by = ColourBy::speed;
  double halo = 0;
  Sizes sizes = Sizes::light;  ///< never automatic
  /// Of spheres: the cube of each drawn radius, in the unit of lengths (to_scale), or of the largest (compressed). Radii that
  /// are not known are those of bodies of one density. Empty: light.
  std::vector<float> volumes;
  std::vector<float> masses;  ///< of light: dark matter has that part of its own which the look gives it
  std::vector<float> values;  ///< what colours go by, where that stays the same; else empty
  std::vector<std::uint32_t> numbers;  ///< in the frame
  std::vector<nbody::NamedBody> named;
  /// Colours tell apart what is not ordered.
  bool distinct() const { return colour_by == ColourBy::origin || colour_by == ColourBy::id; }
  bool all() const { return numbers.size() == labels->mass.size(); }
};
/// `before`: those of another frame, which are returned where they are the same; may be null.
std::shared_ptr<const SteadyBodies> steady_bodies(
    const std::shared_ptr<const nbody::BodyLabels>& labels, const BodiesLook& look,
    const std::shared_ptr<const SteadyBodies>& before = nullptr);

/// How large the largest body is drawn with compressed sizes: 0.4 of the least distance between two bodies, so that planets
/// stay apart; of more than 2000 bodies, of their mean distance in a region of radius `extent`.
double largest_sphere(std::span<const float> positions, double extent);
/// Of the radii whose cubes the volumes are, how large 1 is drawn.
double unit_of_spheres(const SteadyBodies& steady, const BodiesLook& look, double largest);
/// As opengl::PointLook has them, with the volumes as masses.
struct SphereLook {
  float radius, disc_light;
  std::array<float, 2> diameters{
      8, 256};  ///< pixels: a dot that is seen on any picture, to what OpenGL draws as a point
};
SphereLook sphere_look(const SteadyBodies& steady, const BodiesLook& look, double largest);

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
