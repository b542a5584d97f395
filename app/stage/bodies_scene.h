#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/bodies/bodies_look.h"
#include "app/stage/scene.h"
#include "core/nbody/run_options.h"
#include "core/nbody/scenes.h"

namespace isolume::stage {

/// Display units of a scene that is computed with G = 1.
struct Units {
  std::string length, time, speed, mass;  ///< "kpc", "Myr", "km/s", "M⊙"
  /// Display units per unit of the scene.
  double lengths = 1, times = 1, speeds = 1, masses = 1;
};
/// Units of a scene whose unit of length and mass are this many kiloparsecs and solar masses.
Units galactic_units(double kiloparsecs, double solar_masses);
/// Units of bodies in astronomical units and solar masses.
Units planetary_units();

struct StageLook : bodies::BodiesLook {
  int trails = 0;  ///< frames
};

struct BodiesPlot {
  std::string title;
  nbody::SceneOptions start;   ///< initial conditions
  std::optional<Units> units;  ///< empty: units with G = 1
  double time_step = 0;        ///< 0: time step of the scene
  double steps_a_second = 30;  ///< at speed 1, if they can be computed that fast
  float elevation = 0.5F;      ///< of the camera, radians
  nbody::RunOptions run = {};
  StageLook look = {};
};

/// A gravity simulation, drawn as light.
std::unique_ptr<Scene> make_bodies_scene(const BodiesPlot& plot);

}  // namespace isolume::stage
