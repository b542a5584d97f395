#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/batch/shares.h"
#include "app/labs/nbody/batch_ranks.h"
#include "app/labs/nbody/batch_verbs.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/nbody/engines/best_solver.h"
#include "core/nbody/files/bodies_file.h"
#include "core/nbody/files/csv.h"
#include "core/nbody/forces/kept_error.h"
#include "gpu/machine.h"
#include "gpu/nbody/engines.h"

namespace isolume::batch {
namespace {

struct ForcesArguments : ForcesRequest {
  parameters::StructParameters<nbody::ForceOptions> set{nbody::force_schema(), force};
  parameters::StructParameters<nbody::FileOptions> file_set{nbody::file_schema(), file_options};
};

/// The options with the period of the box that the bodies are in, and the only solver that sums it. Throws UsageError
/// for given options that contradict the box or do not matter in it.
nbody::ForceOptions in_its_box(const ForcesArguments& options, nbody::ForceOptions force,
                               const nbody::ComovingBox& box) {
  if (force.period != 0 && std::abs(force.period / box.side - 1) > 1e-6) {
    throw UsageError(
        fmt::format("--period {} is not the side of the comoving box in {}, {:.9g} Mpc/h. Leave it out.",
                    force.period, options.file, box.side));
  }
  force.period = box.side;
  if (force.solver == nbody::SolverKind::best) force.solver = nbody::SolverKind::particle_mesh;
  if (force.solver != nbody::SolverKind::particle_mesh) {
    throw UsageError(
        fmt::format("--solver {}: the bodies of {} are in a comoving box, whose periodic gravity only "
                    "particle-mesh sums. Leave out --solver.",
                    nbody::choice_of(force.solver).key, options.file));
  }
  refuse_ignored(*options.command, parameters::StructParameters(nbody::force_schema(), force));
  return force;
}

Remarks remarks_on(const nbody::ComovingBox& box, double scale_factor, const std::string& points) {
  Remarks remarks;
  remarks.converted(fmt::format(
      "The bodies are in a comoving box of {:.6g} Mpc/h at the scale factor a = {:.6g}: gravity is "
      "periodic, with a uniform background. Accelerations are in (100 km/s)²/(Mpc/h) and potentials "
      "in (100 km/s)² between comoving positions; divide them by a² and a for peculiar ones.",
      box.side, scale_factor));
  if (!points.empty()) {
    remarks.assumed(fmt::format(
        "The points of {} are taken as comoving positions in Mpc/h, from 0 to {:.6g}; other points "
        "are wrapped into the box.",
        points, box.side));
  }
  return remarks;
}

void forces(Context& context, const ForcesArguments& options) {
  refuse_angle_with_error(*options.command, options.force);
  if (forces_on_ranks(context, options)) return;
  std::vector<std::string> inputs{options.file};
  if (!options.at.empty()) inputs.push_back(options.at);
  check_outputs(context, std::vector{options.output}, inputs);
  const auto start = std::chrono::steady_clock::now();
  nbody::InitialConditions read = nbody::read_bodies(
      options.file, std::nullopt, context.progress.part(0, 0.1), options.file_options.units);
  const nbody::Bodies& bodies = read.bodies;
  nbody::ForceOptions wanted = softened_as_recorded(options.force, *options.command, read, read.remarks);
  std::optional<double> scale_factor;
  if (read.box) {
    wanted = in_its_box(options, wanted, *read.box);
    scale_factor = std::exp(read.time);
    read.remarks.add(remarks_on(*read.box, *scale_factor, options.at));
  }
  report(context, options.file, read.remarks);
  add_inputs(context, read.files);
  Remarks of_places;
  const bool elsewhere = !options.at.empty();
  const nbody::Places places =
      elsewhere ? nbody::read_places_csv(options.at, of_places, context.progress.part(0.05, 0.1))
                : nbody::Places();
  report(context, options.at, of_places);
  const double reading = seconds_since(start);
  const auto engines = gpu::make_nbody_engines(gpu::make_device_pool());
  const auto summing = context.progress.part(0.1, 0.9);
  const auto comparing = context.progress.part(0.9, 1);
  const std::size_t samples = nbody::bodies_to_compare(bodies.size());
  const nbody::ForceOptions force = nbody::with_best_solver(engines, bodies.size(), wanted);
  const auto compare = [&](const nbody::Forces& found) {
    return elsewhere ? nbody::sampled_errors_at(places, bodies, found, force, samples, comparing)
                     : nbody::sampled_errors(bodies, found, force, samples, comparing);
  };
  const auto [forces, kept] = nbody::forces_within_error(
      force,
      [&](const nbody::ForceOptions& stricter) {
        return elsewhere ? nbody::forces_at_by(engines, places, bodies, stricter, summing)
                         : nbody::forces_by(engines, bodies, stricter, summing);
      },
      compare);
  const auto written_from = std::chrono::steady_clock::now();
  if (elsewhere) {
    nbody::write_forces_at_csv(places, forces, options.output, context.progress, read.units, scale_factor);
  } else {
    nbody::write_forces_csv(forces, options.output, context.progress, read.units, scale_factor);
  }
  const double written = seconds_since(written_from);
  const nbody::SampledErrors errors = kept.asked > 0 ? kept.reached : compare(forces);
  Remarks remarks = read.remarks;
  remarks.add(of_places);
  const Remarks of_error = nbody::remarks_on(kept);
  report(context, options.file, of_error);
  remarks.add(of_error);
  if (!options.json) {
    context.out << fmt::format(
        "{}{}, {}: {:.3f} s (order {:.3f}, tree {:.3f}, sums {:.3f}); relative force error, sampled "
        "at {}: median {:.1e}, 99 % below {:.1e}\n",
        counted(bodies.size(), "body", "bodies"), elsewhere ? " at " + counted(places.size(), "point") : "",
        forces.report.who, forces.seconds.sort + forces.seconds.tree + forces.seconds.sums,
        forces.seconds.sort, forces.seconds.tree, forces.seconds.sums,
        elsewhere ? counted(errors.samples, "place") : counted(errors.samples, "body", "bodies"),
        errors.median, errors.p99);
    return;
  }
  nlohmann::ordered_json json{
      {"bodies", bodies.size()},
      {"places", elsewhere ? nlohmann::ordered_json(places.size()) : nlohmann::ordered_json()},
      {"solver", nbody::choice_of(force.solver).key},
      {"computed_by", forces.report.who},
      {"reason", forces.report.reason},
      {"devices", describe_shares(forces.report)},
      {"expansion_order", forces.order > 0 ? nlohmann::ordered_json(forces.order) : nlohmann::ordered_json()},
      {"body_pairs", forces.body_pairs},
      {"cell_pairs", forces.cell_pairs},
      {"seconds",
       {{"read", reading},
        {"order", forces.seconds.sort},
        {"tree", forces.seconds.tree},
        {"sums", forces.seconds.sums},
        {"write", written}}},
      {"sampled_bodies", errors.samples},
      {"median_error", errors.median},
      {"p99_error", errors.p99}};
  if (read.box) {
    json["box_side_mpc_per_h"] = read.box->side;
    json["scale_factor"] = *scale_factor;
  }
  json["remarks"] = json_of(remarks);
  print(context.out, json);
}

}  // namespace

void add_nbody_forces(CLI::App& lab, Context& context) {
  auto options = std::make_shared<ForcesArguments>();
  auto& command = add_verb(lab, "forces",
                           "Compute gravitational accelerations and potentials, with G = 1, of the bodies on "
                           "each other or at given points.");
  options->command = &command;
  add_option(
      command, context, &options->file,
      commands::path("FILE",
                     "Bodies: a table with the columns mass,x,y,z[,vx,vy,vz], a trajectory, GADGET (HDF5), "
                     "Tipsy or extended XYZ"));
  add_option(command, context, &options->output,
             commands::path("output",
                            "Table to write: ax,ay,az,potential, in the order of the bodies. With --at, "
                            "x,y,z come first, in the order of the points"));
  add_option(command, context, &options->at,
             commands::path("at",
                            "Table of points, x,y,z, at which the gravity of the bodies is computed; if "
                            "omitted, it is computed at the bodies")
                 .optional());
  add_option(command, context, &options->force.period,
             commands::number("period",
                              "Edge of the periodic cube, in the unit of the positions, for --solver "
                              "particle-mesh; 0: that of the file's comoving box, if any")
                 .range(0, 1e100));
  add_flag(command, "json", options->json, "Print the seconds per phase and the sampled force error as JSON");
  add_parameter_flags(command, options->set, context);
  add_parameter_flags(command, options->file_set, context);
  on_call(command, context, [options, &context] { forces(context, *options); });
}

}  // namespace isolume::batch
