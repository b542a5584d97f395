#include "app/labs/nbody/declared_commands.h"

#include "app/workbench/declared_commands.h"
#include "core/nbody/scenes.h"

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
  static const std::vector<std::string> names{
      "energy-error", "scale-factor", "redshift",         "kinetic-energy", "potential-energy",
      "virial-ratio", "momentum",     "angular-momentum", "step-time",      "sums-time",
      "tree-time",    "radius-1",     "radius-10",        "radius-50",      "radius-90",
      "radius-99",    "phases",       "force-errors",     "crossover"};
  return names;
}

std::vector<commands::Declaration> declared_commands() {
  std::vector<commands::Declaration> all{
      {.name = "nbody.play",
       .title = "Let the bodies move",
       .help = "Lets time run; steps that have not been computed yet are computed.",
       .keywords = "animate start run simulate"},
      {.name = "nbody.stop", .title = "Stop the bodies", .help = "Stops time.", .keywords = "pause halt"},
      {.name = "nbody.scene",
       .title = "Choose scene...",
       .help = "Starts anew from bodies that are made up.",
       .arguments =
           {commands::choice("scene", "What they form.", scene_names()),
            commands::integer("bodies", "How many of them, where the scene leaves it open.")
                .range(1, 1e8)
                .optional(),
            commands::integer("seed", "Another number gives other bodies of the same kind.").optional()},
       .keywords = "initial conditions galaxy plummer collision"},
      {.name = "nbody.restart",
       .title = "Start anew",
       .help = "Forgets what was computed, and starts from the same bodies with the present parameters.",
       .keywords = "reset begin"},
      {.name = "nbody.rewind",
       .title = "Go on from here",
       .help = "Forgets what was computed after the moment that is shown, so that it goes on from there with "
               "other parameters.",
       .keywords = "branch back truncate"},
      {.name = "nbody.branch",
       .title = "Branch from here",
       .help =
           "Starts a second run from the moment that is shown, with changed parameters, and shows it beside "
           "the first one at the same time.",
       .arguments = {commands::text("change",
                                    "A parameter of the run that is another there, opening-angle=0.9; "
                                    "several where they go together.")
                         .shown_as("NAME=VALUE")
                         .repeatable()
                         .optional()},
       .keywords = "fork compare side by side second run what if"},
      {.name = "nbody.branch-set",
       .title = "Change the branch...",
       .help = "Starts the branch again from its first moment, with another value of a parameter.",
       .arguments = {commands::text("name", "Which parameter of the run: opening-angle."),
                     commands::text("value", "Its value.")},
       .keywords = "compare parameter"},
      {.name = "nbody.branch-keep",
       .title = "Keep the branch alone",
       .help = "Forgets the first run; the branch takes its place.",
       .keywords = "adopt replace"},
      {.name = "nbody.branch-close",
       .title = "Close the branch",
       .help = "Ends the second run.",
       .keywords = "remove single view"},
      {.name = "nbody.record",
       .title = "Record the run...",
       .help = "Writes the steps of the run to a trajectory, which can be opened, drawn and gone on from.",
       .arguments = {commands::path("file", "Trajectory to write, HDF5: run.h5."),
                     commands::integer("every", "Steps from one recorded moment to the next.")
                         .range(1, 9e15)
                         .optional(std::int64_t{1}),
                     commands::integer("last",
                                       "Up to which step; what is missing is computed. The last one that has "
                                       "been computed where nothing is given.")
                         .range(-9e15, 9e15)
                         .optional()},
       .keywords = "save write export trajectory hdf5 h5"},
      {.name = "nbody.recording",
       .title = "Back to the recording",
       .help = "Shows the moments of the trajectory again; what was computed from one of them is forgotten.",
       .keywords = "trajectory return"},
      {.name = "nbody.diagnose",
       .title = "Diagnostics of all moments",
       .help = "Computes energies, momenta and radii of all moments of a trajectory, to be plotted.",
       .keywords = "energy momentum trajectory recording"},
      {.name = "nbody.plot",
       .title = "Plot...",
       .help = "Chooses what the Diagnostics panel plots.",
       .arguments = {commands::choice("what", "Which curve or curves.", plot_names())},
       .keywords = "chart diagram curve graph"},
      {.name = "nbody.crossover",
       .title = "Measure the solvers",
       .help =
           "Times the direct sum, Barnes-Hut and the fast multipole method with more and more bodies on this "
           "machine, and plots the times.",
       .arguments =
           {commands::number("error", "That 99 of 100 forces stay below, of both tree codes.")
                .range(1e-6, 0.1)
                .optional(1e-3),
            commands::integer("bodies", "As many at most.").range(1024, 1e7).optional(std::int64_t{1} << 18)},
       .keywords = "benchmark scaling speed compare solvers direct barnes hut fmm",
       .result =
           "error, bodies, solvers (seconds and p99_error of each), crossings; seconds of one sum of all "
           "forces."},
      {.name = "nbody.pick",
       .title = "Choose body...",
       .help =
           "Chooses a body by its number; the Body panel shows its values. A click on a body does the same.",
       .arguments = {commands::integer("number", "The body's number; -1 chooses none.").range(-1, 9e15)},
       .keywords = "select particle star id"},
      {.name = "nbody.body",
       .title = "Read the chosen body",
       .help = "Gives the position, velocity and energy of the chosen body, and the force on it.",
       .recorded = false,
       .result = "id, origin, mass, position, velocity, speed, potential, kinetic_energy, potential_energy, "
                 "energy, step, time, acceleration, and exact_acceleration, exact_potential and force_error "
                 "by a sum over all bodies in double precision; in units that make G = 1."},
      {.name = "nbody.probe",
       .title = "Probe a place...",
       .help = "Marks a place, and gives the acceleration and the potential there.",
       .arguments = {commands::number("x", "In the unit of the bodies' places.").range(-1e12, 1e12),
                     commands::number("y", "The same.").range(-1e12, 1e12),
                     commands::number("z", "The same.").range(-1e12, 1e12)},
       .keywords = "field acceleration potential force error point",
       .result = "place, acceleration, potential, step, time, and exact_acceleration, exact_potential and "
                 "force_error by a sum over all bodies in double precision; in units that make G = 1."},
      {.name = "nbody.read-out",
       .title = "Read-out",
       .help = "Where the view's corner tells steps a second, the energy error and the force error.",
       .arguments = {commands::choice("where", "In the window alone, or in exported pictures, too.",
                                      {"off", "window", "pictures"})},
       .keywords = "speed error drift corner overlay fps"},
      {.name = "nbody.follow",
       .title = "Follow",
       .help = "What the camera moves with.",
       .arguments = {commands::choice("what", "What stays in its place.",
                                      {"nothing", "body", "centre-of-mass"})},
       .keywords = "camera track centre"},
      {.name = "nbody.trails",
       .title = "Trails",
       .help = "Shows the paths of the chosen body or of all through the steps that have been computed.",
       .arguments = {commands::choice("of", "Which bodies leave trails.", {"none", "body", "all"}),
                     commands::integer("steps", "How far back they reach.").range(1, 500).optional()},
       .keywords = "path orbit trace history"},
      {.name = "nbody.octree",
       .title = "Boxes of the octree...",
       .help = "Shows the cells of the bodies' octree down to a level; 0 shows none.",
       .arguments = {commands::integer("levels", "How many levels.").range(0, 12)},
       .keywords = "tree cells barnes hut"},
      {.name = "nbody.surface-density",
       .title = "Surface density",
       .help = "Shows the mass on each square of the picture instead of light.",
       .keywords = "projected column map"}};
  for (auto& each : workbench::playback_declarations("nbody")) all.push_back(std::move(each));
  return all;
}

}  // namespace isolume::labs::nbody
