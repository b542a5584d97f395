#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/nbody/initial_conditions.h"
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

/// What a simulation starts from, made up. Total mass and the scale length are 1 unless a scene says otherwise,
/// and the centre of mass rests at the origin; a cosmological box has the units of ComovingBox.
struct SceneOptions {
  SceneKind scene = SceneKind::plummer;
  std::int64_t bodies = 10000;  ///< of scenes that do not have their own number
  std::int64_t seed = 1;
  double concentration =
      6;                ///< of King's model: W_0, the depth of its potential in velocity dispersions squared
  double virial = 0;    ///< 2 K / |W| at the start of a collapse
  double toomre = 1.5;  ///< Q of discs: how hard it is for arms to form
  double pericentre = 2;     ///< of an encounter, in disc scale lengths
  double separation = 30;    ///< at the start of an encounter, the same
  double mass_ratio = 0.5;   ///< of the second galaxy to the first
  double inclination_1 = 0;  ///< of the discs to the orbit, degrees
  double inclination_2 = 60;
  double argument_1 = 0;  ///< about the orbit's axis, degrees
  double argument_2 = 30;
  double eccentricity = 0.5;  ///< of a binary
  // Of a cosmological box:
  double box_size = 100;                 ///< its side, Mpc/h
  std::int64_t particles_per_side = 32;  ///< their cube is the number of bodies
  double start_redshift = 49;
  double omega_matter = 0.31, omega_lambda = 0.69;  ///< today; what is missing to 1 is curvature
  double omega_baryon = 0.049;                      ///< part of the matter
  double hubble = 0.68;                             ///< h: H0 in 100 km/s/Mpc
  double sigma_8 = 0.81;
  double spectral_index = 0.965;  ///< n_s
};

/// scene, bodies, seed and the rest.
const parameters::Schema<SceneOptions>& scene_schema();
/// As a command line has them, for people: "--scene king --bodies 1000 --seed 1 --concentration 6".
std::string flags_of(SceneOptions scene);

/// The same bodies for the same options, on any number of threads. Throws Error where options make no sense,
/// ResourceError.
InitialConditions make_scene(const SceneOptions& options);

/// Whether each body is made from random numbers of its own alone, so that several ranks can make a part of them each:
/// spheres and the cube.
bool is_made_in_parts(SceneKind scene);
/// Bodies from `first` on, up to but without `end`, as make_scene() has them before the centre of mass is brought to rest
/// at the origin. Throws the same, and Error where the scene is not made in parts.
InitialConditions make_scene_part(const SceneOptions& options, std::size_t first, std::size_t end);
/// Mass, and mass times place and velocity, of bodies_of_a_sum each.
using BlockSums = std::vector<std::array<double, 7>>;
BlockSums block_sums(const Bodies& bodies);
/// Brings the centre of mass of all to rest at the origin, by sums of all in their order: the same bits whoever has which of
/// them, if parts begin at multiples of bodies_of_a_sum.
void centre(Bodies& some, const BlockSums& of_all);

}  // namespace isolume::nbody
