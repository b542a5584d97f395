#include <filesystem>
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
#include "core/base/counted.h"
#include "core/base/launch.h"
#include "core/base/partial_file.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::batch {
namespace {

struct RunArguments : RunRequest {
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
  recording.set_computed_by(frame->computed_by);
  std::optional<nbody::SampledErrors> error;
  if (options.measures_error(simulation.step(), simulation.labels()->box.has_value()))
    error = simulation.frame(nbody::frame_force_error, progress)->force_error;
  recording.add(simulation.bodies(), nbody::TrajectoryWriter::moment_of(simulation), *frame->diagnostics,
                error);
}

/// `gravitation`: by which the masses are multiplied.
std::string conserved(const Recording& recording, double gravitation) {
  if (recording.last().expansion)
    return fmt::format("Layzer-Irvine energy error {:.1e} of the kinetic energy", recording.energy_error());
  const nbody::CollisionTotals& collisions = recording.last().collisions;
  const std::string collided =
      collisions.count > 0 ? fmt::format(
                                 "kinetic energy lost in {} collisions {:.4g}, change of the potential "
                                 "energy in them {:.4g}, remaining ",
                                 collisions.count, collisions.kinetic_lost / gravitation,
                                 collisions.potential_change() / gravitation)
                           : "";
  return fmt::format("{}energy drift {:.1e}, virial ratio {:.4g}", collided, recording.energy_error(),
                     recording.last().virial_ratio());
}

void tell(Context& context, const RunArguments& options, nbody::NBodySimulation& simulation,
          const Recording& recording, const Seconds& seconds, std::int64_t steps, double all,
          const Remarks& remarks) {
  const auto frame = simulation.frame(nbody::frame_totals, context.progress);
  const nbody::SampledErrors& error = recording.force_error();
  const double rate = all > 0 ? static_cast<double>(steps) / all : 0;
  const nbody::Diagnostics& last = recording.last();
  const auto& units = simulation.labels()->units;
  const double gravitation = units ? units->gravitation : 1;
  if (!options.json) {
    context.out << fmt::format(
        "{}, {} to {}, {}{}: {:.3f} s, {:.3g} steps/s; {}; relative force error, sampled at {}: median "
        "{:.1e}, 99 % below {:.1e}\n",
        counted(simulation.bodies().size(), "body", "bodies"),
        counted(static_cast<std::size_t>(*options.recording.steps), "step"), moment_of(*frame),
        frame->computed_by, frame->stays_on.empty() ? std::string() : ", resident on " + frame->stays_on, all,
        rate, conserved(recording, gravitation), counted(error.samples, "body", "bodies"), error.median,
        error.p99);
    return;
  }
  const auto vector = [gravitation](const Eigen::Vector3d& v) {
    return std::vector{v.x() / gravitation, v.y() / gravitation, v.z() / gravitation};
  };
  nlohmann::ordered_json json{
      {"bodies", simulation.bodies().size()},
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
      {"energy", last.energy() / gravitation},
      {"energy_error", recording.energy_error()},
      {"collisions", last.collisions.count},
      {"kinetic_energy_lost_in_collisions", last.collisions.kinetic_lost / gravitation},
      {"potential_energy_change_in_collisions", last.collisions.potential_change() / gravitation},
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
    json["units"] = json_of(units);
    json["virial_ratio"] = last.virial_ratio();
    json["angular_momentum"] = vector(last.angular_momentum);
  }
  json["remarks"] = json_of(remarks);
  print(context.out, json);
}

void add_remarks(Context& context, const RunArguments& options, const Remarks& found, Remarks& remarks) {
  report(context, options.source.name(), found);
  remarks.add(found);
}

/// Bodies that have moved may be harder to sum than those that the run began with.
std::optional<nbody::KeptError> error_at_end(nbody::NBodySimulation& simulation,
                                             const jobs::Progress& progress) {
  const nbody::KeptError at_start = simulation.kept_error(progress);
  if (at_start.asked == 0 || !at_start.is_kept() || simulation.step() == 0) return std::nullopt;
  const nbody::SampledErrors reached =
      nbody::sampled_errors(simulation.bodies(), simulation.forces(progress), simulation.options(),
                            nbody::bodies_to_compare(simulation.bodies().size()), progress);
  return nbody::KeptError{at_start.asked, at_start.factor, reached, at_start.solver};
}

/// From the step that the simulation is at to the last one.
void follow(Context& context, const RunArguments& options, nbody::NBodySimulation& simulation,
            Recording& recording, Remarks remarks) {
  const std::int64_t steps = *options.recording.steps, every = options.recording.interval(),
                     first = simulation.step();
  Seconds seconds;
  const auto began = std::chrono::steady_clock::now();
  const auto recorded = [&] {
    const auto writing = std::chrono::steady_clock::now();
    record(simulation, options.recording, recording, context.progress);
    seconds.writing += seconds_since(writing);
  };
  const auto is_moment = [&](std::int64_t step) { return step % every == 0 || step == steps; };
  const auto all_steps = [&] {
    // A run may have been ended while the moment that it is continued from was being recorded.
    if (!options.recording.resume || (is_moment(first) && first > recording.last_step()))
      record(simulation, options.recording, recording, context.progress);
    seconds.add({.forces = simulation.forces().seconds});
    for (std::int64_t step = first; step < steps;) {
      const auto part = [&](std::int64_t at) {
        return 0.02 + 0.98 * static_cast<double>(at) / static_cast<double>(steps);
      };
      simulation.advance(1, context.progress.part(part(step), part(step + 1)));
      ++step;
      seconds.add(simulation.seconds());
      seconds.add(simulation.work());
      if (is_moment(step)) {
        recorded();
      } else {
        recording.keep(simulation);
      }
    }
  };
  recording.during(all_steps, &simulation);
  const double all = seconds_since(began);
  recording.finish();
  if (const auto now = error_at_end(simulation, context.progress))
    add_remarks(context, options, nbody::remarks_on(*now, true), remarks);
  add_remarks(context, options, nbody::remarks_on_energy(recording.energy_error()), remarks);
  tell(context, options, simulation, recording, seconds, steps - first, all, remarks);
}

/// What was given must be what the run was started with.
void check_resumed(const RunArguments& options, const nbody::Trajectory& trajectory,
                   const std::string& file) {
  if (!trajectory.plan()) {
    throw Error(
        fmt::format("{}: this trajectory holds no run options and cannot be continued. Start a new run from "
                    "its last snapshot: isolume-batch nbody run {}",
                    file, file));
  }
  const nbody::RunOptions& run = trajectory.plan()->options;
  for (const std::string& key : nbody::differing_keys(options.run, run)) {
    if (key == "threads" || !given(*options.command, key)) continue;
    throw UsageError(fmt::format(
        "--{} differs from the option that the run of {} was started with. Leave it out.", key, file));
  }
  nbody::RunOptions stored = run;
  refuse_ignored(*options.command, parameters::StructParameters(nbody::run_schema(), stored));
  options.source.check_same(*options.command, trajectory.made_by(), file);
  const std::int64_t last = trajectory.last_step(),
                     wanted = options.recording.steps.value_or(trajectory.plan()->steps);
  if (wanted < last) {
    throw UsageError(
        fmt::format("--steps {}: the run of {} is already at step {}. Give more steps, or leave out --steps.",
                    wanted, file, last));
  }
}

/// On the processor their number changes nothing.
std::string without_threads(const std::string& computed_by) {
  return computed_by.ends_with("thread") || computed_by.ends_with("threads")
             ? computed_by.substr(0, computed_by.rfind(", "))
             : computed_by;
}

void resume(Context& context, RunArguments& options) {
  RecordingOptions& recorded = options.recording;
  if (launch().value_or(Launch()).ranks > 1)
    throw UsageError("--resume works in a single process only. Start the program without mpirun.");
  if (recorded.output.empty())
    throw UsageError("--resume continues the run recorded in a trajectory. Name the trajectory with -o.");
  recorded.output = finished_name(recorded.output).string();
  check_outputs(context, recorded.files(), {});
  const std::filesystem::path partial = partial_name(recorded.output);
  const std::string file = std::filesystem::exists(partial) ? partial.string() : recorded.output;
  const nbody::Trajectory trajectory(file);
  check_resumed(options, trajectory, file);
  nbody::RunPlan plan = *trajectory.plan();
  if (recorded.steps) plan.steps = *recorded.steps;
  if (recorded.every > 0) plan.every = recorded.every;
  if (given(*options.command, "threads")) plan.options.threads = options.run.threads;
  recorded.steps = plan.steps;
  recorded.every = plan.every;
  nbody::NBodySimulation simulation(trajectory.moment(0), plan.options, engines_of_this_machine());
  const auto first = simulation.frame(nbody::frame_diagnostics, context.progress);  // finds kept_error() anew
  Remarks remarks;
  if (without_threads(first->computed_by) != without_threads(trajectory.computed_by())) {
    remarks.warn(
        fmt::format("The run was computed by {} and is continued by {}: the results agree within the force "
                    "error, not bit for bit.",
                    trajectory.computed_by(), first->computed_by));
    report(context, file, remarks);
  }
  nbody::Trajectory::Checkpoint last = trajectory.checkpoint();
  simulation.put(std::move(last.bodies), std::move(last.moment), last.labels);
  const auto now = simulation.frame(nbody::frame_diagnostics, context.progress);
  Recording recording(recorded, trajectory, plan, simulation.labels()->units, *first->diagnostics,
                      *now->diagnostics);
  follow(context, options, simulation, recording, remarks);
}

void run(Context& context, RunArguments& options) {
  const std::vector<std::string> outputs = options.recording.files();
  if (!options.recording.output.empty()) need_full_program(context);  // which writes HDF5
  if (options.recording.resume) return resume(context, options);
  refuse_ignored(*options.command, context);
  if (!options.recording.steps) throw UsageError("--steps is required. See isolume-batch nbody run --help.");
  if (run_on_ranks(context, options)) return;
  check_outputs(context, outputs, options.source.files());
  nbody::InitialConditions start = options.source.bodies(*options.command, context.progress.part(0, 0.02));
  Remarks remarks = start.remarks;
  options.recording.require_space(start.bodies.size());
  const nbody::RunOptions run = suited(options.run, *options.command, start);
  nbody::NBodySimulation simulation(std::move(start), run, engines_of_this_machine());
  add_remarks(context, options, nbody::remarks_on(simulation.kept_error(context.progress)), remarks);
  add_remarks(context, options, nbody::remarks_on_radii(*simulation.labels(), run), remarks);
  Recording recording(options.recording, *simulation.labels(), simulation.bodies().mass,
                      options.source.name(), run);
  follow(context, options, simulation, recording, remarks);
}

}  // namespace

void add_nbody_run(CLI::App& lab, Context& context) {
  auto options = std::make_shared<RunArguments>();
  auto& command = add_verb(
      lab, "run", "Run a gravity simulation with G = 1 and record its trajectory and conserved quantities.");
  options->command = &command;
  options->source.add(command, context);
  constexpr double most_steps = 9e15;  // that double precision counts
  add_option(command, context, &options->recording.steps,
             commands::integer(
                 "steps", "Number of steps of --dt; with --resume the total number, by default as before")
                 .range(0, most_steps)
                 .optional());
  add_option(command, context, &options->recording.every,
             commands::integer("every", "Steps from one snapshot to the next; 0: about 100 snapshots in all")
                 .range(0, most_steps));
  add_option(command, context, &options->recording.output,
             commands::path("output", "Trajectory to write (HDF5): positions and velocities of each snapshot")
                 .optional());
  add_option(command, context, &options->recording.diagnostics,
             commands::path("diagnostics",
                            "Table to write: energies, momenta, virial ratio, Lagrangian radii and force "
                            "error of each snapshot")
                 .optional());
  add_flag(command, "resume", options->recording.resume,
           "Continue the interrupted run of the trajectory --output, or extend it with more --steps; the "
           "result is identical bit for bit to an uninterrupted run");
  add_flag(command, "json", options->json,
           "Print the seconds per phase, the conserved quantities and the force error as JSON");
  add_parameter_flags(command, options->set, context);
  on_call(
      command, context, [options, &context] { run(context, *options); }, Ignored::refused_by_action);
}

}  // namespace isolume::batch
