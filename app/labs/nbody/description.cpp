#include "app/labs/nbody/description.h"

#include "app/labs/nbody/nbody_look.h"
#include "app/workbench/commands/declared_commands.h"
#include "core/base/suffix.h"
#include "core/nbody/engines/run_options.h"
#include "core/nbody/files/bodies_file.h"
#include "core/nbody/scenes/scenes.h"
#include "core/parameters/descriptions_of.h"

namespace isolume::labs::nbody {
namespace {

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const auto& choice : isolume::nbody::scene_schema().at("scene").description.choices)
    names.push_back(choice.key);
  return names;
}

}  // namespace

const std::vector<std::string>& plot_names() {
  static const std::vector<std::string> names{"energy-error",
                                              "scale-factor",
                                              "redshift",
                                              "kinetic-energy",
                                              "potential-energy",
                                              "kinetic-energy-lost",
                                              "potential-energy-change",
                                              "collisions",
                                              "virial-ratio",
                                              "momentum",
                                              "angular-momentum",
                                              "step-time",
                                              "sums-time",
                                              "tree-time",
                                              "radius-1",
                                              "radius-10",
                                              "radius-50",
                                              "radius-90",
                                              "radius-99",
                                              "phases",
                                              "force-errors",
                                              "crossover"};
  return names;
}

namespace {

std::vector<commands::Declaration> declared_commands() {
  std::vector<commands::Declaration> all{
      {.name = "nbody.play",
       .title = "Play",
       .help = "Runs the simulation; steps that have not been computed yet are computed.",
       .keywords = "animate start run simulate"},
      {.name = "nbody.stop", .title = "Pause", .help = "Pauses the simulation.", .keywords = "pause halt"},
      {.name = "nbody.scene",
       .title = "Choose scene...",
       .help = "Starts a new simulation from a built-in initial condition.",
       .arguments = {commands::choice("scene", "Initial condition.", scene_names()),
                     commands::integer("bodies", "Number of bodies, for scenes with a free number.")
                         .range(1, 1e8)
                         .optional(),
                     commands::integer("seed",
                                       "Seed of the random numbers; the same seed gives the same bodies.")
                         .optional()},
       .keywords = "initial conditions galaxy plummer collision"},
      {.name = "nbody.restart",
       .title = "Restart",
       .help = "Discards all computed steps and starts from the same bodies with the current parameters.",
       .keywords = "reset begin"},
      {.name = "nbody.rewind",
       .title = "Continue from here",
       .help =
           "Discards the steps after the shown one, so that the run continues from it with other parameters.",
       .keywords = "branch back truncate"},
      {.name = "nbody.branch",
       .title = "Branch from here",
       .help = "Starts a second run from the shown step with changed parameters, and shows both next to each "
               "other.",
       .arguments = {commands::text("change", "Parameter overrides for the branch, e.g. opening-angle=0.9.")
                         .shown_as("NAME=VALUE")
                         .repeatable()
                         .optional()},
       .menu = "branch",
       .keywords = "fork compare side by side second run what if"},
      {.name = "nbody.branch-set",
       .title = "Change the branch...",
       .help = "Restarts the branch from its first step with another parameter value.",
       .arguments = {commands::text("name", "Which parameter of the run: opening-angle."),
                     commands::text("value", "New value of the parameter.")},
       .menu = "branch",
       .keywords = "compare parameter"},
      {.name = "nbody.branch-keep",
       .title = "Keep only the branch",
       .help = "Discards the first run; the branch takes its place.",
       .menu = "branch",
       .keywords = "adopt replace"},
      {.name = "nbody.branch-close",
       .title = "Close the branch",
       .help = "Ends the second run.",
       .menu = "branch",
       .keywords = "remove single view"},
      {.name = "nbody.record",
       .title = "Record the run...",
       .help = "Writes the steps of the run to a trajectory that can be opened, rendered and continued.",
       .arguments =
           {commands::path("file", "Trajectory to write, HDF5: run.h5."),
            commands::integer("every", "Steps from one snapshot to the next.")
                .range(1, 9e15)
                .optional(std::int64_t{1}),
            commands::integer(
                "last",
                "Last step to record; missing steps are computed. If omitted, the last computed step.")
                .range(-9e15, 9e15)
                .optional()},
       .menu = "recording",
       .keywords = "save write export trajectory hdf5 h5"},
      {.name = "nbody.recording",
       .title = "Back to the recording",
       .help = "Shows the recorded trajectory again; steps computed from one of its frames are discarded.",
       .menu = "recording",
       .keywords = "trajectory return"},
      {.name = "nbody.diagnose",
       .title = "Diagnostics of all frames",
       .help = "Computes energies, momenta and Lagrangian radii of all frames of a trajectory for the plots.",
       .menu = "recording",
       .keywords = "energy momentum trajectory recording"},
      {.name = "nbody.plot",
       .title = "Plot...",
       .help = "Chooses what the Diagnostics panel plots.",
       .arguments = {commands::choice("what", "Which curve or curves.", plot_names())},
       .menu = "diagnostics",
       .keywords = "chart diagram curve graph"},
      {.name = "nbody.crossover",
       .title = "Measure the solvers",
       .help = "Times the direct sum, Barnes-Hut and the fast multipole method with increasing numbers of "
               "bodies on this machine, and plots the times.",
       .arguments = {commands::number("error",
                                      "Target relative force error (99th percentile) for both tree codes.")
                         .range(1e-6, 0.1)
                         .optional(1e-3),
                     commands::integer("bodies", "Largest number of bodies to measure.")
                         .range(1024, 1e7)
                         .optional(std::int64_t{1} << 18)},
       .menu = "diagnostics",
       .keywords = "benchmark scaling speed compare solvers direct barnes hut fmm",
       .result = "error, bodies, solvers (seconds and p99_error of each), crossings; seconds per evaluation "
                 "of all forces."},
      {.name = "nbody.pick",
       .title = "Choose body...",
       .help =
           "Chooses a body by its number; the Body panel shows its values. A click on a body does the same.",
       .arguments = {commands::integer("number", "The body's number; -1 chooses none.").range(-1, 9e15)},
       .menu = "bodies",
       .keywords = "select particle star id"},
      {.name = "nbody.body",
       .title = "Read the chosen body",
       .help = "Reports the position, velocity and energy of the chosen body, and the force on it.",
       .menu = "bodies",
       .recorded = false,
       .result =
           "id, origin, mass, position, velocity, speed, potential, kinetic_energy, potential_energy, "
           "energy, step, time, acceleration, and exact_acceleration, exact_potential and force_error "
           "by a sum over all bodies in double precision; in units that make G = 1. orbit has the orbital "
           "elements (angles in degrees) and what they are about."},
      {.name = "nbody.add-body",
       .title = "Add a body...",
       .help = "Adds a body at the shown step and chooses it. The steps after it are discarded; undo goes "
               "back to that step, without the body.",
       .arguments = {commands::number("x", "x coordinate, in the unit of the positions.").range(-1e12, 1e12),
                     commands::number("y", "y coordinate, in the unit of the positions.").range(-1e12, 1e12),
                     commands::number("z", "z coordinate, in the unit of the positions.").range(-1e12, 1e12),
                     commands::number("vx", "x velocity, with G = 1.").range(-1e12, 1e12),
                     commands::number("vy", "y velocity, with G = 1.").range(-1e12, 1e12),
                     commands::number("vz", "z velocity, with G = 1.").range(-1e12, 1e12),
                     commands::number(
                         "mass",
                         "Mass, in the document's unit of mass; if omitted, the parameter new-body-mass.")
                         .range(0, 1e100)
                         .optional()},
       .menu = "bodies",
       .keywords = "new planet insert place create"},
      {.name = "nbody.change-body",
       .title = "Change the chosen body...",
       .help =
           "Gives the chosen body another mass, or mass, position and velocity, at the shown step. The steps "
           "after it are discarded.",
       .arguments = {commands::number("mass", "Mass, in the document's unit of mass.").range(0, 1e100),
                     commands::number("x", "x coordinate, in the unit of the positions.")
                         .range(-1e12, 1e12)
                         .optional(),
                     commands::number("y", "y coordinate, in the unit of the positions.")
                         .range(-1e12, 1e12)
                         .optional(),
                     commands::number("z", "z coordinate, in the unit of the positions.")
                         .range(-1e12, 1e12)
                         .optional(),
                     commands::number("vx", "x velocity, with G = 1.").range(-1e12, 1e12).optional(),
                     commands::number("vy", "y velocity, with G = 1.").range(-1e12, 1e12).optional(),
                     commands::number("vz", "z velocity, with G = 1.").range(-1e12, 1e12).optional()},
       .menu = "bodies",
       .keywords = "edit set mass position velocity planet star"},
      {.name = "nbody.delete-body",
       .title = "Delete the chosen body",
       .help = "Removes the chosen body at the shown step. The steps after it are discarded; undo brings it "
               "back.",
       .menu = "bodies",
       .keywords = "remove erase planet star"},
      {.name = "nbody.add-by-mouse",
       .title = "Add body by mouse",
       .help = "Starts placing a body: press the left button in the view and drag the velocity. Shift places "
               "several.",
       .menu = "bodies",
       .keywords = "new planet insert place drag throw velocity"},
      {.name = "nbody.orbit-about",
       .title = "Orbit about",
       .help = "Chooses what the orbital elements of the chosen body refer to.",
       .arguments = {commands::choice(
           "what", "The body that binds it most tightly, or the barycentre of all other bodies.",
           {"tightest", "barycentre"})},
       .menu = "bodies",
       .keywords = "orbital elements kepler primary semi-major axis eccentricity period"},
      {.name = "nbody.probe",
       .title = "Probe a point...",
       .help = "Marks a point and reports the acceleration and the potential there.",
       .arguments = {commands::number("x", "x coordinate of the point, in the unit of the positions.")
                         .range(-1e12, 1e12),
                     commands::number("y", "y coordinate of the point, in the unit of the positions.")
                         .range(-1e12, 1e12),
                     commands::number("z", "z coordinate of the point, in the unit of the positions.")
                         .range(-1e12, 1e12)},
       .menu = "bodies",
       .keywords = "field acceleration potential force error point",
       .result = "place, acceleration, potential, step, time, and exact_acceleration, exact_potential and "
                 "force_error by a sum over all bodies in double precision; in units that make G = 1."},
      {.name = "nbody.read-out",
       .title = "Read-out",
       .help = "Shows steps per second, energy error and force error in a corner of the view.",
       .arguments = {commands::choice("where", "Whether the window alone or exported pictures, too, show it.",
                                      {"off", "window", "pictures"})},
       .menu = "diagnostics",
       .keywords = "speed error drift corner overlay fps"},
      {.name = "nbody.follow",
       .title = "Follow",
       .help = "Chooses what the camera follows.",
       .arguments = {commands::choice("what", "What stays at the centre of the view.",
                                      {"nothing", "body", "centre-of-mass"})},
       .menu = "view",
       .keywords = "camera track centre"},
      {.name = "nbody.trails",
       .title = "Trails",
       .help = "Shows the paths of the chosen body or of all bodies through the computed steps.",
       .arguments = {commands::choice("of", "Which bodies leave trails.", {"none", "body", "all"}),
                     commands::integer("steps", "Trail length in steps.").range(1, 500).optional()},
       .menu = "view",
       .keywords = "path orbit trace history"},
      {.name = "nbody.octree",
       .title = "Boxes of the octree...",
       .help = "Shows the cells of the bodies' octree down to a level; 0 shows none.",
       .arguments = {commands::integer("levels", "How many levels.").range(0, 12)},
       .menu = "view",
       .keywords = "tree cells barnes hut"},
      {.name = "nbody.sizes",
       .title = "Sizes",
       .help = "Chooses how large bodies are drawn.",
       .arguments = {commands::choice("how",
                                      "Light by mass, spheres with compressed radii, or spheres to scale; "
                                      "automatic chooses by the bodies.",
                                      {"automatic", "light", "compressed", "to-scale"})},
       .menu = "view",
       .keywords = "radius planets spheres scale"},
      {.name = "nbody.names",
       .title = "Names",
       .help = "Shows or hides the names of bodies.",
       .menu = "view",
       .keywords = "labels planets text"},
      {.name = "nbody.orbits",
       .title = "Orbits",
       .help = "Shows or hides the osculating Kepler orbits of named bodies.",
       .menu = "view",
       .keywords = "ellipse path planets kepler"},
      {.name = "nbody.surface-density",
       .title = "Surface density",
       .help = "Shows the projected mass density instead of light.",
       .menu = "view",
       .keywords = "projected column map"}};
  for (auto& each : workbench::playback_declarations("nbody", "step")) {
    each.menu = "playback";
    all.push_back(std::move(each));
  }
  return all;
}

}  // namespace

LabDescription description() {
  return {.name = "nbody",
          .title = "N-body",
          .summary = "Gravity simulations of galaxies, clusters and planets that you can steer live.",
          .commands = declared_commands(),
          .parameters =
              [] {
                return parameters::descriptions_of(
                    isolume::nbody::scene_schema(), isolume::nbody::file_schema(),
                    isolume::nbody::run_schema(), nbody_look_schema(), window_look_schema());
              },
          .formats = {isolume::nbody::body_formats()},
          .opens =
              [](const std::filesystem::path& path) {
                return suffix_of(path) != ".xyz" &&
                       isolume::nbody::body_formats().match(path);  // of molecules
              }};
}

}  // namespace isolume::labs::nbody
