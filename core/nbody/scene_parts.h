#pragma once

#include <cstddef>
#include <functional>

#include <Eigen/Core>

#include "core/base/philox.h"
#include "core/nbody/initial_conditions.h"
#include "core/nbody/scenes.h"

/// What scenes are put together from.
namespace isolume::nbody {

struct BodyState {
  Eigen::Vector3d place, velocity;
};

/// With this one forces are nearest to those of a smooth sphere
/// (Athanassoula et al., MNRAS 314, 475 (2000): 0.98 N^-0.26 for a Plummer sphere of scale length 1).
double usual_softening(std::size_t bodies);

/// In a direction of which all are equally likely.
Eigen::Vector3d random_direction(Random& random);
/// Above 0 and below `high`, as often as `density` says, which is nowhere above `most`.
double drawn_below(double high, double most, const std::function<double(double)>& density, Random& random);

/// Adds `count` bodies of `mass` together, each made from random numbers of its own (and of `purpose`).
void add_bodies(std::size_t count, double mass, std::uint64_t seed, std::uint32_t purpose,
                const std::function<BodyState(Random&)>& make, Bodies& to);
void add_body(double mass, const BodyState& body, Bodies& to);
/// Brings the centre of mass to rest at the origin.
void centre(Bodies& bodies);

/// Of spheres that are isotropic and in equilibrium; mass 1, scale length 1 (King: the core radius).
BodyState plummer_body(Random& random);
BodyState hernquist_body(Random& random);
std::function<BodyState(Random&)> king_bodies(double concentration);

/// An exponential disc of mass 1 and scale length 1, with a bulge and a halo.
InitialConditions galaxy(std::size_t bodies, std::uint64_t seed, std::uint32_t purpose, double toomre);
double galaxy_mass();
InitialConditions encounter(const SceneOptions& options);

InitialConditions binary(double eccentricity);
/// Three bodies on a periodic orbit, or so many evenly on a circle.
InitialConditions three_bodies(SceneKind kind);
InitialConditions ring(std::size_t bodies);
InitialConditions solar_system();

/// Bodies on a lattice in a comoving box, moved and set going by the growing mode of a random field that has the
/// spectrum of PowerSpectrum (Zel'dovich, A&A 5, 84 (1970)). A wave has the same random numbers in boxes of any number
/// of bodies, so that those of one seed and side have the same large structures. Throws Error where so many bodies to
/// a side cannot be transformed.
InitialConditions cosmological_box(const SceneOptions& options);

}  // namespace isolume::nbody
