#pragma once

#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/dispatch/compute_options.h"
#include "core/dispatch/engine_registry.h"

namespace isolume::dispatch {

/// For an engine that is the CPU's alone: throws Error where a kernel or other devices are asked for.
void require_no_more_than_cpu(const ComputeOptions& options);

/// Does `work(engine)`, which returns a Report, by the engine of options.engine. "auto" takes the first that does not leave so
/// much (engine->leaves_to_others(size), a clause that says why) to others, and the next one where that one throws Error; the
/// report's reason says why. The last engine is the CPU's. Devices and kernels that are named are used whatever it costs, and an
/// engine that is named does it or throws.
template <class Engine, class Work>
Report by_chosen_engine(const EngineRegistry<Engine>& engines, double size, const ComputeOptions& options,
                        const Work& work) {
  const Engine& named = engines.find(options.engine);  // throws for a name that is none
  if (options.engine != "auto") return work(named);
  std::string why;
  const bool free = options.devices == "all" && options.kernel == "auto";
  const auto& all = engines.engines();
  for (const auto& engine : all) {
    const bool last = engine == all.back();
    if (!last && options.devices == "0") continue;
    if (std::string other = last || !free ? "" : engine->leaves_to_others(size); !other.empty()) {
      why = std::move(other);
      continue;
    }
    try {
      Report report = work(*engine);
      if (!why.empty()) report.reason = why;
      return report;
    } catch (const Error& error) {
      if (last || !free) throw;
      log::warning("Another engine takes the place of {}: {}", engine->name(), error.what());
      why = error.what();
    }
  }
  throw Error("There is no engine for this.");
}

}  // namespace isolume::dispatch
