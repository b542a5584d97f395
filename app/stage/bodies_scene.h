#pragma once

#include <memory>
#include <string>

#include "app/bodies/bodies_look.h"
#include "app/stage/scene.h"
#include "core/nbody/engines/run_options.h"
#include "core/nbody/scenes/scenes.h"

namespace isolume::stage {

struct StageLook : bodies::BodiesLook {
  int trails = 0;  ///< frames
};

struct BodiesPlot {
  std::string title;
  nbody::SceneOptions start;   ///< initial conditions
  double time_step = 0;        ///< 0: time step of the scene
  double steps_a_second = 30;  ///< at speed 1, if they can be computed that fast
  float elevation = 0.5F;      ///< of the camera, radians
  nbody::RunOptions run = {};
  StageLook look = {};
};

/// A gravity simulation, drawn as light.
std::unique_ptr<Scene> make_bodies_scene(const BodiesPlot& plot);

}  // namespace isolume::stage
