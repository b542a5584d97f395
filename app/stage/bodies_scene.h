#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/bodies/bodies_look.h"
#include "app/stage/scene.h"
#include "core/nbody/run_options.h"
#include "core/nbody/scenes.h"

namespace isolume::stage {

/// What the units of a scene, in which G = 1, are for people.
struct Units {
  std::string length, time, speed, mass;  ///< "kpc", "Myr", "km/s", "M⊙"
  /// How many of them one unit is.
  double lengths = 1, times = 1, speeds = 1, masses = 1;
};
/// One unit of length is so many kiloparsecs, and one of mass so many solar masses.
Units galactic_units(double kiloparsecs, double solar_masses);

struct StageLook : bodies::BodiesLook {
  int trails = 0;  ///< pictures
};

struct BodiesPlot {
  std::string title;
  nbody::SceneOptions start;   ///< at first
  std::optional<Units> units;  ///< nothing: those that make G = 1
  double time_step = 0;        ///< 0: that of the scene
  double steps_a_second = 30;  ///< at speed 1, where they can be computed so fast
  float elevation = 0.5F;      ///< of the camera, radians
  nbody::RunOptions run = {};
  StageLook look = {};
};

/// Bodies that attract each other, as light.
std::unique_ptr<Scene> make_bodies_scene(const BodiesPlot& plot);

}  // namespace isolume::stage
