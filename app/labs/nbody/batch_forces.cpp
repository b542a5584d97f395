#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/labs/nbody/batch_verbs.h"
#include "core/base/clock.h"
#include "core/nbody/bodies_file.h"
#include "core/nbody/csv.h"
#include "core/nbody/sampled_error.h"

namespace isolume::batch {
namespace {

struct Options {
  std::string file, output;
  bool json = false;
  nbody::ForceOptions force;
  parameters::StructParameters<nbody::ForceOptions> set{nbody::force_schema(), force};
};

/// As many as take no longer than the reading of the file.
constexpr std::size_t samples = 200;

void forces(Context& context, const Options& options) {
  check_outputs(std::vector{options.output}, std::vector{options.file});
  const auto start = std::chrono::steady_clock::now();
  const nbody::Bodies bodies =
      nbody::read_bodies(options.file, std::nullopt, context.progress.part(0, 0.1)).bodies;
  const double read = seconds_since(start);
  const auto solver = nbody::make_solver(options.force.solver);
  const nbody::Forces forces = solver->forces(bodies, options.force, context.progress.part(0.1, 0.9));
  const auto written_from = std::chrono::steady_clock::now();
  nbody::write_forces_csv(forces, options.output, context.progress);
  const double written = seconds_since(written_from);
  const auto errors =
      nbody::sampled_errors(bodies, forces, options.force.softening, samples, context.progress.part(0.9, 1));
  if (!options.json) {
    context.out << fmt::format(
        "{} bodies, {}: {:.3f} s (order {:.3f}, tree {:.3f}, sums {:.3f}); error of the force, of {} bodies: "
        "median {:.1e}, 99 % below {:.1e}\n",
        bodies.size(), forces.report.who, forces.seconds.sort + forces.seconds.tree + forces.seconds.sums,
        forces.seconds.sort, forces.seconds.tree, forces.seconds.sums, errors.samples, errors.median,
        errors.p99);
    return;
  }
  print(context.out, {{"bodies", bodies.size()},
                      {"solver", solver->name()},
                      {"computed_by", forces.report.who},
                      {"expansion_order",
                       forces.order > 0 ? nlohmann::ordered_json(forces.order) : nlohmann::ordered_json()},
                      {"body_pairs", forces.body_pairs},
                      {"cell_pairs", forces.cell_pairs},
                      {"seconds",
                       {{"read", read},
                        {"order", forces.seconds.sort},
                        {"tree", forces.seconds.tree},
                        {"sums", forces.seconds.sums},
                        {"write", written}}},
                      {"sampled_bodies", errors.samples},
                      {"median_error", errors.median},
                      {"p99_error", errors.p99}});
}

}  // namespace

void add_nbody_forces(CLI::App& lab, Context& context) {
  auto options = std::make_shared<Options>();
  auto* command = lab.add_subcommand(
      "forces", "Compute the gravity of bodies on each other: accelerations and potentials, with G = 1.");
  add_option(
      *command, context, &options->file,
      commands::path("FILE",
                     "Bodies: a table with the columns mass,x,y,z[,vx,vy,vz], a trajectory, GADGET (HDF5), "
                     "Tipsy or extended XYZ"));
  add_option(*command, context, &options->output,
             commands::path("output", "Table to write: ax,ay,az,potential, in the order of the bodies"));
  command->add_flag("--json", options->json,
                    "Print the seconds per phase and the error for sampled bodies as JSON");
  add_parameter_flags(*command, options->set, context);
  command->callback(
      [options, &context] { context.action = [options, &context] { forces(context, *options); }; });
}

}  // namespace isolume::batch
