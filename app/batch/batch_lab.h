#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/commands/lab_description.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

namespace CLI {
class App;
}
namespace isolume::dispatch {
class DevicePool;
}

namespace isolume::batch {

struct Context;

/// What a lab provides for isolume-batch. Parts that it does not provide stay empty.
struct BatchLab {
  LabDescription description;
  std::string help;  ///< one sentence about its verbs
  /// Adds its verbs below `isolume-batch NAME`. Null: it has a window alone.
  std::function<void(CLI::App& lab, Context& context)> add_verbs;
  /// Adds `bench NAME`.
  std::function<void(CLI::App& bench, Context& context)> add_bench = nullptr;
  /// Another name of its verbs and of its benchmark: a verb, where the lab's name is none.
  std::string alias = {};
  /// Verbs that can be called without the lab's name: {"render", "render"}, {"livewire", "trace"}.
  std::vector<std::pair<std::string, std::string>> short_forms = {};
  /// Engines that compute with these devices, for the verb `devices`: [{"name", "description", "kernels"}].
  std::function<nlohmann::ordered_json(const std::shared_ptr<dispatch::DevicePool>& devices)> engines =
      nullptr;
  /// A field of a file, whose surfaces `bench gpu` extracts; coarse for emulated GPUs. Throws Error.
  std::function<grid::ScalarField(const std::string& file, bool coarse, const jobs::Progress& progress)>
      read_field = nullptr;
  /// The same, recomputed at every call by the GPU at this position of the pool; the result `stays` on the
  /// GPU or is copied to the host. Throws Error if the file has nothing to compute.
  std::function<std::function<grid::ScalarField(bool stays)>(
      const std::string& file, bool coarse, const std::shared_ptr<dispatch::DevicePool>& pool, int position,
      const jobs::Progress& progress)>
      compute_on_gpu = nullptr;
};

/// The labs of this program in order; isolume_link_labs in CMake writes the definition.
std::vector<BatchLab> labs();

}  // namespace isolume::batch
