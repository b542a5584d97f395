#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/jobs/progress.h"
#include "core/nbody/engines/engine.h"
#include "core/nbody/engines/run_options.h"
#include "core/nbody/files/bodies_file.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "core/nbody/scenes/scenes.h"

namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

/// Where a verb's bodies come from: a file, or a scene with the flags that describe it.
class Source {
 public:
  void add(CLI::App& command, Context& context);
  /// Throws UsageError where both or none of a file and a scene were given.
  void check(const CLI::App& command) const;
  /// Throws UsageError where a source was given and is not what `run` was started from: `made_by`, its name().
  void check_same(const CLI::App& command, const std::string& made_by, const std::string& run) const;
  /// Reports the remarks of a file. Throws the same, and what reading or making them throws.
  nbody::InitialConditions bodies(const CLI::App& command, const jobs::Progress& progress) const;
  /// The scene, where several ranks can make its bodies in parts.
  std::optional<nbody::SceneOptions> scene_in_parts() const;
  /// The file, or empty.
  const std::string& file() const { return file_; }
  /// Which of the file's moments is wanted.
  const std::optional<int>& moment() const { return moment_; }
  void choose_moment(std::size_t number) { moment_ = static_cast<int>(number); }
  /// What a session says in the place of the command line: a file, or the scene of scene() where it is empty.
  void use(const std::filesystem::path& file);
  parameters::ParameterSet& scene() { return set_; }
  parameters::ParameterSet& file_options() { return file_set_; }
  /// Those that are read.
  std::vector<std::string> files() const;
  /// For people: the file, or the scene with what it was made of.
  std::string name() const;

 private:
  Context* context_ = nullptr;
  std::string file_;
  std::optional<int> moment_;
  bool scene_chosen_ = false;
  nbody::SceneOptions scene_;
  mutable parameters::StructParameters<nbody::SceneOptions> set_{nbody::scene_schema(), scene_};
  nbody::FileOptions file_options_;
  mutable parameters::StructParameters<nbody::FileOptions> file_set_{nbody::file_schema(), file_options_};
};

/// For people: "time 3.2", with units "time 3.2 (35.06 Myr)", or in a comoving box "redshift 1.5 (scale factor 0.4)".
std::string moment_of(const nbody::NBodyFrame& frame);

/// For --json: the names of the units, and the gravitational constant in them; null where only G = 1 is known.
nlohmann::ordered_json json_of(const std::optional<nbody::Units>& units);

/// The processor and, where there are some, GPUs.
std::shared_ptr<const nbody::EngineRegistry> engines_of_this_machine();

/// Throws UsageError where both were given, of which the error decides alone.
void refuse_angle_with_error(const CLI::App& command, const nbody::ForceOptions& options);

/// `options` with the softening that the file of the bodies records, which a remark names, where the command line
/// leaves it open.
nbody::ForceOptions softened_as_recorded(nbody::ForceOptions options, const CLI::App& command,
                                         const nbody::InitialConditions& bodies, Remarks& remarks);

/// `run` with what suits the bodies (nbody::suited_to) where the command line leaves it open. Throws UsageError for
/// given options that do not matter then.
nbody::RunOptions suited(const nbody::RunOptions& run, const CLI::App& command,
                         const nbody::InitialConditions& start);

}  // namespace isolume::batch
