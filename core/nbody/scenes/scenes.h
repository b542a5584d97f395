#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/nbody/bodies/initial_conditions.h"
#include "core/parameters/schema.h"

namespace isolume::nbody {

enum class SceneKind {
  plummer,
  king,
  hernquist,
  collapse,
  cube,
  galaxy,
  encounter,
  binary,
  figure_eight,
  butterfly,
  moth,
  yin_yang,
  ring,
  solar_system,
  cosmological_box
};

/// Options of the built-in initial conditions. Total mass and scale length are 1 unless a scene says otherwise, and
/// the centre of mass is at rest at the origin; a cosmological box has the units of ComovingBox.
struct SceneOptions {
  SceneKind scene = SceneKind::plummer;
  std::int64_t bodies = 10000;  ///< for scenes without a fixed number
  std::int64_t seed = 1;
  double concentration =
      6;  ///< W_0 of King's model: depth of its central potential in units of the velocity dispersion
          ///< squared
  double virial = 0;         ///< virial ratio 2 K / |W| at the start of a collapse
  double toomre = 1.5;       ///< Toomre's Q of discs: stability against spiral arms
  double pericentre = 2;     ///< of an encounter, in disc scale lengths
  double separation = 30;    ///< at the start of an encounter, in disc scale lengths
  double mass_ratio = 0.5;   ///< of the second galaxy to the first
  double inclination_1 = 0;  ///< of the discs to the orbital plane, degrees
  double inclination_2 = 60;
  double argument_1 = 0;  ///< about the axis of the orbit, degrees
  double argument_2 = 30;
  double eccentricity = 0.5;  ///< of a binary
  // For a cosmological box:
  double box_size = 100;                 ///< side, Mpc/h
  std::int64_t particles_per_side = 32;  ///< its cube is the number of bodies
  double start_redshift = 49;
  double omega_matter = 0.31, omega_lambda = 0.69;  ///< today; curvature makes up the rest to 1
  double omega_baryon = 0.049;                      ///< part of the matter
  double hubble = 0.68;                             ///< h: H0 in 100 km/s/Mpc
  double sigma_8 = 0.81;
  double spectral_index = 0.965;  ///< n_s, spectral index of the primordial spectrum
};

/// scene, bodies, seed and the rest.
const parameters::Schema<SceneOptions>& scene_schema();
/// Command-line options of a scene, for display: "--scene king --bodies 1000 --seed 1 --concentration 6".
std::string flags_of(SceneOptions scene);

/// The same bodies for the same options, with any number of threads. Throws Error for invalid options, ResourceError.
InitialConditions make_scene(const SceneOptions& options);

/// Whether each body is made from its own random numbers only, so that several ranks can make a part each: true for
/// the spheres and the cube.
bool is_made_in_parts(SceneKind scene);
/// Bodies in [first, end) as in make_scene(), before the centre of mass is brought to rest at the origin. Throws the
/// same, and Error where the scene cannot be made in parts.
InitialConditions make_scene_part(const SceneOptions& options, std::size_t first, std::size_t end);
/// Sums of mass, and of mass times position and velocity, over blocks of bodies_of_a_sum.
using BlockSums = std::vector<std::array<double, 7>>;
BlockSums block_sums(const Bodies& bodies);
/// Brings the centre of mass of all bodies to rest at the origin. Bitwise independent of how bodies are distributed,
/// if parts begin at multiples of bodies_of_a_sum.
void centre(Bodies& some, const BlockSums& of_all);

}  // namespace isolume::nbody
