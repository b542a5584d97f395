#include <memory>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/batch/shares.h"
#include "app/labs/nbody/batch_ranks.h"
#include "app/labs/nbody/batch_verbs.h"
#include "core/base/clock.h"
#include "core/nbody/nbody_simulation.h"

namespace isolume::batch {
namespace {

struct Options : RunRequest {
  parameters::StructParameters<nbody::RunOptions> set{nbody::run_schema(), run};
};

/// Adds up where the time went, and what for.
struct Seconds {
  double order = 0, tree = 0, sums = 0, integration = 0, writing = 0;
  nbody::StepWork work = {};

  void add(const nbody::StepSeconds& step) {
    order += step.forces.sort;
    tree += step.forces.tree;
    sums += step.forces.sums;
    integration += step.integration;
  }
  void add(const nbody::StepWork& step) {
    work.substeps += step.substeps;
    work.forces += step.forces;
  }
};

void record(nbody::NBodySimulation& simulation, const RecordingOptions& options, Recording& recording,
            const jobs::Progress& progress) {
  const auto frame = simulation.frame(nbody::frame_diagnostics, progress);
  std::optional<nbody::SampledErrors> error;
  if (options.measures_error(simulation.step(), simulation.labels()->box.has_value()))
    error = simulation.frame(nbody::frame_force_error, progress)->force_error;
  recording.add(simulation.bodies(), simulation.step(), simulation.time(), simulation.options(),
                *frame->diagnostics, error);
}

std::string conserved(const Recording& recording) {
  if (recording.last().expansion)
    return fmt::format("Layzer and Irvine's equation is off by {:.1e} of the kinetic energy",
                       recording.energy_error());
  return fmt::format("energy changed by {:.1e}, virial ratio {:.3f}", recording.energy_error(),
                     recording.last().virial_ratio());
}

void tell(Context& context, const Options& options, nbody::NBodySimulation& simulation,
          const Recording& recording, const Seconds& seconds, double all, const Remarks& remarks) {
  const auto frame = simulation.frame(nbody::frame_totals, context.progress);
  const nbody::SampledErrors& error = recording.force_error();
  const double rate = all > 0 ? static_cast<double>(*options.recording.steps) / all : 0;
  const nbody::Diagnostics& last = recording.last();
  if (!options.json) {
    context.out << fmt::format(
        "{} bodies, {} steps to {}, {}{}: {:.3f} s, {:.3g} steps/s; {}; error of the force, of {} bodies: "
        "median "
        "{:.1e}, 99 % below {:.1e}\n",
        simulation.bodies().size(), *options.recording.steps, moment_of(*frame), frame->computed_by,
        frame->stays_on.empty() ? std::string() : ", stays on " + frame->stays_on, all, rate,
        conserved(recording), error.samples, error.median, error.p99);
    return;
  }
  const auto vector = [](const Eigen::Vector3d& v) { return std::vector{v.x(), v.y(), v.z()}; };
  nlohmann::ordered_json json{{"bodies", simulation.bodies().size()},
                              {"steps", *options.recording.steps},
                              {"dt", simulation.options().dt},
                              {"time", simulation.time()},
                              {"computed_by", frame->computed_by},
                              {"stays_on", frame->stays_on.empty() ? "host" : frame->stays_on},
                              {"reason", simulation.forces().report.reason},
                              {"devices", describe_shares(simulation.forces().report)},
                              {"steps_per_second", rate},
                              {"seconds",
                               {{"all", all},
                                {"order", seconds.order},
                                {"tree", seconds.tree},
                                {"sums", seconds.sums},
                                {"integration", seconds.integration},
                                {"write", seconds.writing}}},
                              {"substeps", seconds.work.substeps},
                              {"forces_on_bodies", seconds.work.forces},
                              {"energy", last.energy()},
                              {"energy_error", recording.energy_error()},
                              {"momentum", vector(last.momentum)},
                              {"sampled_bodies", error.samples},
                              {"median_error", error.median},
                              {"p99_error", error.p99}};
  if (last.expansion) {
    const nbody::ComovingBox& box = *simulation.labels()->box;
    json["scale_factor"] = last.expansion->scale_factor;
    json["redshift"] = last.expansion->redshift();
    json["age_hubble_times"] = box.cosmology.age(last.expansion->scale_factor);
    json["box_side_mpc_per_h"] = box.side;
    json["energy_lost"] = last.expansion->energy_lost;
  } else {
    json["virial_ratio"] = last.virial_ratio();
    json["angular_momentum"] = vector(last.angular_momentum);
  }
  json["remarks"] = json_of(remarks);
  print(context.out, json);
}

void run(Context& context, const Options& options) {
  const std::vector<std::string> outputs = options.recording.files();
  if (run_on_ranks(context, options)) return;
  check_outputs(outputs, options.source.files());
  nbody::InitialConditions start = options.source.bodies(*options.command, context.progress.part(0, 0.02));
  const Remarks remarks = start.remarks;
  options.recording.require_space(start.bodies.size());
  const nbody::RunOptions run = suited(options.run, *options.command, start);
  nbody::NBodySimulation simulation(std::move(start), run, engines_of_this_machine());
  Recording recording(options.recording, *simulation.labels(), simulation.bodies().mass,
                      options.source.name());
  const std::int64_t steps = *options.recording.steps, every = options.recording.interval();
  Seconds seconds;
  const auto began = std::chrono::steady_clock::now();
  record(simulation, options.recording, recording, context.progress);
  seconds.add({.forces = simulation.forces().seconds});
  for (std::int64_t step = 0; step < steps;) {
    const auto part = [&](std::int64_t at) {
      return 0.02 + 0.98 * static_cast<double>(at) / static_cast<double>(steps);
    };
    simulation.advance(1, context.progress.part(part(step), part(step + 1)));
    ++step;
    seconds.add(simulation.seconds());
    seconds.add(simulation.work());
    if (step % every != 0 && step != steps) continue;
    const auto writing = std::chrono::steady_clock::now();
    record(simulation, options.recording, recording, context.progress);
    seconds.writing += seconds_since(writing);
  }
  const double all = seconds_since(began);
  recording.finish();
  tell(context, options, simulation, recording, seconds, all, remarks);
}

}  // namespace

void add_nbody_run(CLI::App& lab, Context& context) {
  auto options = std::make_shared<Options>();
  auto& command = add_verb(
      lab, "run",
      "Let bodies move under their gravity, with G = 1, and record where they are and what is conserved.");
  options->command = &command;
  options->source.add(command, context);
  constexpr double most_steps = 9e15;  // that double precision counts
  add_option(command, context, &options->recording.steps,
             commands::integer("steps", "How many steps of --dt to take").range(0, most_steps));
  add_option(command, context, &options->recording.every,
             commands::integer(
                 "every", "Steps from one recorded moment to the next; 0: about a hundred moments in all")
                 .range(0, most_steps));
  add_option(
      command, context, &options->recording.output,
      commands::path("output", "Trajectory to write, HDF5: positions and velocities of each recorded moment")
          .optional());
  add_option(command, context, &options->recording.diagnostics,
             commands::path("diagnostics",
                            "Table to write: energies, momenta, virial ratio, radii and the force's error of "
                            "each recorded moment")
                 .optional());
  add_flag(command, "json", options->json,
           "Print seconds by phase, what was conserved and the force's error as JSON");
  add_parameter_flags(command, options->set, context);
  on_call(command, context, [options, &context] { run(context, *options); });
}

}  // namespace isolume::batch
