#include "app/stage/scenes.h"

#include <numbers>

#include "app/stage/bodies_scene.h"
#include "app/stage/lobes_scene.h"

namespace isolume::stage {
namespace {

using nbody::SceneKind;

/// Opening angle for demonstration scenes: the force error (99th percentile) of 50000 bodies is 0.3 to 0.8 %,
/// as measured by the read-out, instead of 0.1 to 0.3 % with the default angle.
constexpr double wide_angle = 0.8;

BodiesPlot two_galaxies() {
  BodiesPlot plot;
  plot.run.opening_angle = wide_angle;
  plot.start.scene = SceneKind::encounter;
  plot.start.bodies = 30000;
  plot.start.separation = 9;  // the rims of the galaxies touch within a second
  plot.start.mass_ratio = 0.6;
  plot.time_step = 0.04;
  plot.look.colour_by = bodies::ColourBy::origin;
  plot.look.brightness = 2;
  return plot;
}

BodiesPlot galaxy() {
  BodiesPlot plot;
  plot.run.opening_angle = wide_angle;
  plot.start.scene = SceneKind::galaxy;
  plot.start.bodies = 30000;
  plot.start.toomre = 1.1;
  plot.time_step = 0.04;
  plot.elevation = 0.9F;
  plot.look.brightness = 2;
  return plot;
}

BodiesPlot collapse() {
  BodiesPlot plot;
  plot.run.opening_angle = wide_angle;
  plot.start.scene = SceneKind::collapse;
  plot.time_step = 0.01;
  plot.start.bodies = 20000;
  return plot;
}

BodiesPlot cluster() {
  BodiesPlot plot;
  plot.run.opening_angle = wide_angle;
  plot.start.scene = SceneKind::king;
  plot.start.bodies = 20000;
  plot.look.colour_by = bodies::ColourBy::density;
  plot.look.brightness = 3;
  return plot;
}

BodiesPlot few_bodies(SceneKind kind) {
  BodiesPlot plot;
  plot.start.scene = kind;
  plot.time_step = 0.0025;  // a period of the butterfly takes 20 seconds
  plot.steps_a_second = 120;
  plot.elevation = 1.4F;
  plot.look.colour_by = bodies::ColourBy::id;
  plot.look.trails = 60;
  plot.look.brightness = 3;
  return plot;
}

BodiesPlot solar_system() {
  BodiesPlot plot;
  plot.start.scene = SceneKind::solar_system;
  plot.run.solver = nbody::SolverKind::direct;
  plot.time_step = 2 * std::numbers::pi / 365.25 / 2;  // half a day, which follows Mercury
  plot.steps_a_second = 120;                           // a year in six seconds
  plot.elevation = 0.6F;
  plot.look.trails = 60;
  plot.look.brightness = 2;
  return plot;
}

SceneChoice bodies(std::string name, std::string title, BodiesPlot plot) {
  plot.title = title;
  return {std::move(name), std::move(title), [plot] { return make_bodies_scene(plot); }};
}

SceneChoice lobes(std::string name, std::string title, std::string file, std::string superposition) {
  LobesPlot plot{.title = title, .file = std::move(file), .superposition = std::move(superposition)};
  return {std::move(name), std::move(title), [plot] { return make_lobes_scene(plot); }};
}

}  // namespace

std::vector<SceneChoice> scenes() {
  return {bodies("two-galaxies", "Two galaxies collide", two_galaxies()),
          bodies("galaxy", "A disc galaxy", galaxy()),
          bodies("collapse", "A cloud of stars collapses", collapse()),
          bodies("cluster", "A star cluster in equilibrium", cluster()),
          bodies("figure-eight", "Three bodies on a figure-eight orbit", few_bodies(SceneKind::figure_eight)),
          bodies("butterfly", "Three bodies on a butterfly orbit", few_bodies(SceneKind::butterfly)),
          bodies("solar-system", "The Sun and its planets", solar_system()),
          lobes("benzene", "Benzene between HOMO and LUMO", "samples/benzene.fchk.gz", "homo:1,lumo:1"),
          lobes("caffeine", "The HOMO of caffeine", "samples/caffeine.fchk.gz", "homo:1"),
          lobes("water", "Water between two orbitals", "samples/water-ccpvqz.fchk.gz", "homo-1:1,homo:1")};
}

}  // namespace isolume::stage
