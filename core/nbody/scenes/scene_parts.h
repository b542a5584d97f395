#pragma once

#include <cstddef>
#include <functional>

#include <Eigen/Core>

#include "core/base/philox.h"
#include "core/nbody/bodies/initial_conditions.h"
#include "core/nbody/scenes/scenes.h"

/// Building blocks of scenes.
namespace isolume::nbody {

struct BodyState {
  Eigen::Vector3d place, velocity;
};

/// Optimal softening, for which forces are nearest to those of the smooth sphere (Athanassoula et al., MNRAS 314, 475
/// (2000): 0.98 N^-0.26 for a Plummer sphere of scale length 1).
double usual_softening(std::size_t bodies);

/// Isotropic random direction.
Eigen::Vector3d random_direction(Random& random);
/// Rejection sampling between 0 and `high` from `density`, which must not exceed `most`.
double drawn_below(double high, double most, const std::function<double(double)>& density, Random& random);

/// Adds `count` bodies with total mass `mass`, each made from random numbers of its own (and of `purpose`).
void add_bodies(std::size_t count, double mass, std::uint64_t seed, std::uint32_t purpose,
                const std::function<BodyState(Random&)>& make, Bodies& to);
void add_body(double mass, const BodyState& body, Bodies& to);
/// Moves the centre of mass to rest at the origin.
void centre(Bodies& bodies);

/// Bodies of isotropic spheres in equilibrium; mass 1, scale length 1 (King: the core radius).
BodyState plummer_body(Random& random);
BodyState hernquist_body(Random& random);
std::function<BodyState(Random&)> king_bodies(double concentration);

/// An exponential disc of mass 1 and scale length 1, with a bulge and a halo.
InitialConditions galaxy(std::size_t bodies, std::uint64_t seed, std::uint32_t purpose, double toomre);
double galaxy_mass();
InitialConditions encounter(const SceneOptions& options);

InitialConditions binary(double eccentricity);
/// Three bodies on a periodic orbit, or a number of bodies equally spaced on a circle.
InitialConditions three_bodies(SceneKind kind);
InitialConditions ring(std::size_t bodies);
InitialConditions solar_system();

/// Bodies on a lattice in a comoving box, with displacements and velocities of the growing mode of a Gaussian random
/// field with the spectrum of PowerSpectrum (Zel'dovich, A&A 5, 84 (1970)). A wave has the same random numbers in
/// boxes of any number of bodies, so that boxes with the same seed and side have the same large-scale structure.
/// Throws Error where the number of bodies per side cannot be Fourier-transformed.
InitialConditions cosmological_box(const SceneOptions& options);

}  // namespace isolume::nbody
