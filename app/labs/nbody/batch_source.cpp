#include "app/labs/nbody/batch_source.h"

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "core/nbody/bodies_file.h"

namespace isolume::batch {

void Source::add(CLI::App& command, Context& context) {
  describe(context,
           command
               .add_option(
                   "FILE", file_,
                   "Bodies: a trajectory, a GADGET snapshot (HDF5), Tipsy, extended XYZ, or a table with the "
                   "columns mass,x,y,z[,vx,vy,vz]; or else give --scene")
               ->type_name("FILE"),
           commands::path("FILE", "").optional(std::string()));
  commands::Argument moment;
  moment.description.key = "moment";
  moment.description.kind = parameters::Kind::integer;
  moment.description.low = 0;
  describe(context,
           command
               .add_option("--moment", moment_,
                           "Of a file with several moments: which one, from 0 on; the last one unless given")
               ->check(CLI::Range(0, 2000000000))
               ->type_name("INTEGER"),
           std::move(moment).optional(std::int64_t{-1}));
  add_parameter_flags(command, set_, context);
}

nbody::InitialConditions Source::bodies(const CLI::App& command, const jobs::Progress& progress) const {
  const bool scene = given(command, "scene");
  if (scene == !file_.empty()) {
    throw UsageError(scene ? "Both a file and a scene are given. Give one of them."
                           : "There are no bodies to start from. Give a file or --scene.");
  }
  if (scene) return nbody::make_scene(scene_);
  const auto moment = moment_ >= 0 ? std::optional(static_cast<std::size_t>(moment_)) : std::nullopt;
  return nbody::read_bodies(file_, moment, progress);
}

std::vector<std::string> Source::files() const {
  return file_.empty() ? std::vector<std::string>() : std::vector{file_};
}

std::string Source::name() const {
  if (!file_.empty()) return file_;
  std::string text;
  for (const auto& each : set_.descriptions()) {
    if (!relevant(each, set_)) continue;
    text +=
        fmt::format("{}--{} {}", text.empty() ? "" : " ", each.key, parameters::to_text(set_.get(each.key)));
  }
  return text;
}

}  // namespace isolume::batch
