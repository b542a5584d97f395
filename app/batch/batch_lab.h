#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/commands/declaration.h"
#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

namespace CLI {
class App;
}
namespace isolume::dispatch {
class DevicePool;
}

namespace isolume::batch {

struct Context;

/// What a lab gives to isolume-batch. Whatever it does not have stays empty.
struct BatchLab {
  std::string name;  ///< as in its commands: "orbitals"
  std::string help;  ///< one sentence: what its verbs are about
  /// What people can do in its window, which scripts may name.
  std::vector<commands::Declaration> commands;
  /// Adds its verbs below `isolume-batch NAME`.
  std::function<void(CLI::App& lab, Context& context)> add_verbs;
  /// Adds `bench NAME`.
  std::function<void(CLI::App& bench, Context& context)> add_bench = nullptr;
  /// Verbs that can be called without the lab's name: {"render", "render"}, {"livewire", "trace"}.
  std::vector<std::pair<std::string, std::string>> short_forms = {};
  /// Those that compute with these devices, for `devices`: [{"name", "description", "kernels"}].
  std::function<nlohmann::ordered_json(const std::shared_ptr<dispatch::DevicePool>& devices)> engines =
      nullptr;
  /// A field of a file, in which `bench gpu` finds surfaces; a coarse one for emulated GPUs. Throws Error.
  std::function<lattice::ScalarField(const std::string& file, bool coarse, const jobs::Progress& progress)>
      read_field = nullptr;
  /// The same, computed anew at every call by one GPU of the pool (its position), where it `stays` or from where
  /// it comes to the host. Throws Error where the file has nothing to compute.
  std::function<std::function<lattice::ScalarField(bool stays)>(
      const std::string& file, bool coarse, const std::shared_ptr<dispatch::DevicePool>& pool, int position,
      const jobs::Progress& progress)>
      compute_on_gpu = nullptr;
};

/// The labs of this program in their order; written by isolume_link_labs in CMake.
std::vector<BatchLab> labs();

}  // namespace isolume::batch
