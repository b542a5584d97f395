#include "app/labs/nbody/batch_source.h"

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "core/base/shown_number.h"
#include "gpu/machine.h"
#include "gpu/nbody/engines.h"

namespace isolume::batch {

void Source::add(CLI::App& command, Context& context) {
  context_ = &context;
  add_option(command, context, &file_,
             commands::path("FILE",
                            "Bodies: a trajectory, a GADGET snapshot (HDF5 or binary), Tipsy, extended XYZ, "
                            "or a table with the columns mass,x,y,z[,vx,vy,vz]; if omitted, give --scene")
                 .optional());
  add_option(
      command, context, &moment_,
      commands::integer("moment", "Which snapshot of a file with several, from 0; by default the last one")
          .at_least(0)
          .optional());
  add_parameter_flags(command, set_, context);
  add_parameter_flags(command, file_set_, context);
}

void Source::check(const CLI::App& command) const {
  const bool scene = scene_chosen_ || given(command, "scene");
  if (scene == !file_.empty()) {
    throw UsageError(scene ? "Both a file and a scene are given. Give one of them."
                           : "No bodies were given. Give a file or --scene.");
  }
  const bool of_scene = file_.empty();
  const auto refuse = [&](const std::string& key) {
    if (!given(command, key)) return;
    throw UsageError(of_scene ? fmt::format("--{} applies to files only. Leave it out with --scene.", key)
                              : fmt::format("--{} applies to scenes only. Leave it out with a file.", key));
  };
  if (of_scene) refuse("moment");
  for (const auto& each : of_scene ? file_set_.descriptions() : set_.descriptions()) refuse(each.key);
}

void Source::check_same(const CLI::App& command, const std::string& made_by, const std::string& run) const {
  const auto refuse = [&](const std::string& what) {
    throw UsageError(fmt::format("{}: the run of {} was started from {}. Leave it out.", what, run, made_by));
  };
  if (!file_.empty() && file_ != made_by) refuse(file_);
  if (moment_) refuse("--moment");
  if (given(command, "units")) refuse("--units");
  // "--scene plummer --bodies 100": what nbody::flags_of() writes.
  const std::string flags = fmt::format(" {} ", made_by);
  for (const auto& each : set_.descriptions()) {
    const std::string flag = fmt::format("--{} {}", each.key, parameters::to_text(set_.get(each.key)));
    if (given(command, each.key) && flags.find(fmt::format(" {} ", flag)) == std::string::npos) refuse(flag);
  }
}

nbody::InitialConditions Source::bodies(const CLI::App& command, const jobs::Progress& progress) const {
  check(command);
  if (file_.empty()) return nbody::make_scene(scene_);
  const auto moment = moment_ ? std::optional(static_cast<std::size_t>(*moment_)) : std::nullopt;
  nbody::InitialConditions found = nbody::read_bodies(file_, moment, progress, file_options_.units);
  report(*context_, file_, found.remarks);
  add_inputs(*context_, found.files);
  return found;
}

std::optional<nbody::SceneOptions> Source::scene_in_parts() const {
  if (!file_.empty() || !nbody::is_made_in_parts(scene_.scene)) return std::nullopt;
  return scene_;
}

void Source::use(const std::filesystem::path& file) {
  file_ = file.string();
  scene_chosen_ = file.empty();
}

std::vector<std::string> Source::files() const {
  return file_.empty() ? std::vector<std::string>() : std::vector{file_};
}

std::string Source::name() const {
  return file_.empty() ? nbody::flags_of(scene_) : file_;
}

nbody::RunOptions suited(const nbody::RunOptions& run, const CLI::App& command,
                         const nbody::InitialConditions& start) {
  nbody::RunOptions suited =
      nbody::suited_to(start, run,
                       {.dt = given(command, "dt"),
                        .softening = given(command, "softening"),
                        .solver = given(command, "solver"),
                        .steps = given(command, "integrator") || given(command, "time-steps") ||
                                 given(command, "accuracy") || given(command, "softening-kind")});
  refuse_ignored(command, parameters::StructParameters(nbody::run_schema(), suited));
  refuse_angle_with_error(command, suited);
  return suited;
}

void refuse_angle_with_error(const CLI::App& command, const nbody::ForceOptions& options) {
  if (options.error > 0 && given(command, "error") && given(command, "opening-angle"))
    throw UsageError("--opening-angle applies where no --error is requested. Give one of them.");
}

nbody::ForceOptions softened_as_recorded(nbody::ForceOptions options, const CLI::App& command,
                                         const nbody::InitialConditions& bodies, Remarks& remarks) {
  const auto& recorded = bodies.recorded_softening;
  if (!recorded || recorded->length == 0 || given(command, "softening")) return options;
  options.softening = recorded->length;
  if (!given(command, "softening-kind") && recorded->kind) options.softening_kind = *recorded->kind;
  remarks.assumed(fmt::format(
      "Gravity has the softening length {:.6g} that the file records ({} kernel). --softening overrides it.",
      options.softening,
      parameters::to_text(
          parameters::StructParameters(nbody::force_schema(), options).get("softening-kind"))));
  return options;
}

std::string moment_of(const nbody::NBodyFrame& frame) {
  if (!frame.labels->box) {
    const auto& units = frame.labels->units;
    const std::string time = fmt::format("time {:.6g}", frame.time);
    if (!units) return time;
    const nbody::ShownUnit unit = time_unit(*units);
    return fmt::format("{} ({} {})", time, shown_reading(frame.time * unit.size), unit.name);
  }
  const double a = frame.scale_factor();
  return fmt::format("redshift {:.4g} (scale factor {:.4g})", 1 / a - 1, a);
}

nlohmann::ordered_json json_of(const std::optional<nbody::Units>& units) {
  if (!units) return nullptr;
  const std::string length = length_name(*units), mass = mass_name(*units), speed = speed_name(*units);
  return {{"length", length},
          {"mass", mass},
          {"speed", speed},
          {"time", time_name(*units)},
          {"energy", fmt::format("{} ({})^2", mass, speed)},
          {"gravitation", units->gravitation}};
}

std::shared_ptr<const nbody::EngineRegistry> engines_of_this_machine() {
  return std::make_shared<const nbody::EngineRegistry>(gpu::make_nbody_engines(gpu::make_device_pool()));
}

}  // namespace isolume::batch
