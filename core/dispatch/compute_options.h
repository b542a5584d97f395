#pragma once

#include <string>

#include "core/parameters/schema.h"

namespace isolume::dispatch {

/// Options that all engines understand. A lab's own options derive from them.
struct ComputeOptions {
  int threads = 0;              ///< threads of the CPU; 0: as many as the machine has
  std::string engine = "auto";  ///< one of an EngineRegistry, by its name; "auto": its first
  /// For engines with several kernels: one of the engine's kernels(), or "auto".
  std::string kernel = "auto";
  /// For engines of several devices: positions in the device pool, separated by commas, as in "1,2" (0 is the
  /// CPU); or "all": the engine decides which of them help.
  std::string devices = "all";
};

const parameters::Schema<ComputeOptions>& compute_schema();

}  // namespace isolume::dispatch
