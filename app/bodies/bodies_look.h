#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "app/bodies/bodies_choices.h"
#include "core/nbody/bodies/units.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::bodies {

/// Properties of the drawn bodies that do not change while they move.
struct SteadyBodies {
  std::shared_ptr<const nbody::BodyLabels> labels;
  ColourBy colour_by = ColourBy::speed;
  double halo = 0;
  Sizes sizes = Sizes::light;  ///< never automatic
  /// For spheres: cube of each drawn radius, in the unit of length (to_scale) or relative to the largest
  /// (compressed). Unknown radii are derived from the mass by a common density. Empty for light.
  std::vector<float> volumes;
  std::vector<float> masses;  ///< weights of the light; those of dark matter are scaled by BodiesLook::halo
  std::vector<float> values;  ///< coloured quantity if it is constant; otherwise empty
  std::vector<std::uint32_t> numbers;  ///< indices in the frame
  std::vector<nbody::NamedBody> named;
  /// Whether colours are categorical, not a scale.
  bool distinct() const { return colour_by == ColourBy::origin || colour_by == ColourBy::id; }
  bool all() const { return numbers.size() == labels->mass.size(); }
};
/// `before`: result for another frame, returned again if nothing has changed; may be null.
std::shared_ptr<const SteadyBodies> steady_bodies(
    const std::shared_ptr<const nbody::BodyLabels>& labels, const BodiesLook& look,
    const std::shared_ptr<const SteadyBodies>& before = nullptr);

/// What is seen of bodies at first: a sphere about the centre of mass of those that are drawn, since about planets it is
/// the star that a camera is to look at, which holds nine of ten of them.
struct FirstRegion {
  Eigen::Vector3f centre{0, 0, 0};
  float radius = 0;
};
/// `masses`: SteadyBodies::masses, one for each position.
FirstRegion first_region(std::span<const float> positions, std::span<const float> masses);

/// Drawn radius of the largest body with compressed sizes: 0.4 of the least distance between two bodies, so
/// that planets stay apart. For more than 2000 bodies, of their mean distance in a region of radius `extent`.
double largest_sphere(std::span<const float> positions, double extent);
/// Drawn length of one unit of the radii whose cubes are SteadyBodies::volumes.
double unit_of_spheres(const SteadyBodies& steady, const BodiesLook& look, double largest);
/// Parameters of opengl::PointLook for spheres, with the volumes in place of masses.
struct SphereLook {
  float radius, disc_light;
  std::array<float, 2> diameters{
      8, 256};  ///< pixels: from a dot visible in any picture to the largest point that OpenGL draws
};
SphereLook sphere_look(const SteadyBodies& steady, const BodiesLook& look, double largest);

/// Properties of the drawn bodies that change from frame to frame.
struct DrawnBodies {
  std::vector<float> positions;
  std::vector<float> values;         ///< empty: SteadyBodies::values
  std::array<float, 2> range{0, 1};  ///< values of the first and the last colour
  bool logarithmic = false;          ///< colours follow the logarithms of the values
};
DrawnBodies drawn_bodies(const nbody::NBodyFrame& frame, const SteadyBodies& steady);

/// Unit in which the coloured quantity is shown, and how many of it are 1 in its values, which have G = 1.
nbody::ShownUnit colour_unit(const std::optional<nbody::Units>& units, ColourBy by);
/// The same of masses per length to this power: "10^10 solar masses/kpc^3".
nbody::ShownUnit density_unit(const nbody::Units& units, int power);

/// Coloured quantity in a frame, one number per body; null if it is not a property of single bodies.
const dispatch::LazyValues* values_of(const nbody::NBodyFrame& frame, ColourBy by);
/// Values of the first and last colour, as in drawn_bodies, from a sample, to avoid copying all values from a
/// device. Not for densities.
std::array<float, 2> colour_range(const nbody::NBodyFrame& frame, const SteadyBodies& steady);

}  // namespace isolume::bodies
