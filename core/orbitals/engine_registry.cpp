#include "core/orbitals/engine_registry.h"

#include <fmt/format.h>

namespace isolume::orbitals {

std::string who_computed(const Engine& engine, const EngineOptions& options, const dispatch::Report& report) {
  if (engine.kernels().empty()) return engine.description(options.threads);
  return fmt::format("{}, {}", report.took_part(), report.how.substr(0, report.how.find(':')));
}

}  // namespace isolume::orbitals
