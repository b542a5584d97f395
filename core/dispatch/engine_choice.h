#pragma once

#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/dispatch/compute_options.h"
#include "core/dispatch/engine_registry.h"

namespace isolume::dispatch {

/// For an engine that runs on the CPU only: throws Error if a kernel or other devices are requested.
void require_no_more_than_cpu(const ComputeOptions& options);

/// Calls `work(engine)`, which returns a Report, with the engine of options.engine. "auto" takes the first
/// engine that does not leave a job of this size to others (engine->leaves_to_others(size), a clause with the
/// reason), and the next one if that one throws Error; the report's reason explains the choice. The last
/// engine is the CPU's. Named devices and kernels are used at any cost, and a named engine does the work or
/// throws.
template <class Engine, class Size, class Work>
Report by_chosen_engine(const EngineRegistry<Engine>& engines, const Size& size,
                        const ComputeOptions& options, const Work& work) {
  const Engine& named = engines.find(options.engine);  // throws for an unknown name
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
