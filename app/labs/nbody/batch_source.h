#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/jobs/progress.h"
#include "core/nbody/scenes.h"

namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

/// Where a verb's bodies come from: a file, or a scene with the flags that describe it.
class Source {
 public:
  void add(CLI::App& command, Context& context);
  /// Throws UsageError where both or none were given, and what reading or making them throws.
  nbody::InitialConditions bodies(const CLI::App& command, const jobs::Progress& progress) const;
  /// Those that are read.
  std::vector<std::string> files() const;
  /// For people: the file, or the scene with what it was made of.
  std::string name() const;

 private:
  std::string file_;
  std::optional<int> moment_;
  nbody::SceneOptions scene_;
  mutable parameters::StructParameters<nbody::SceneOptions> set_{nbody::scene_schema(), scene_};
};

}  // namespace isolume::batch
