#include "core/orbitals/engine_registry.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::orbitals {

void EngineRegistry::add(std::unique_ptr<Engine> engine) {
  engines_.push_back(std::move(engine));
}

const Engine& EngineRegistry::find(std::string_view name) const {
  std::string known;
  for (const auto& engine : engines_) {
    if (name == "auto" || name == engine->name()) return *engine;
    known += fmt::format(", \"{}\"", engine->name());
  }
  throw Error(fmt::format("There is no engine named {} here. Use \"auto\"{}.", quoted(name), known));
}

std::string who_computed(const Engine& engine, const EngineOptions& options, const dispatch::Report& report) {
  if (engine.kernels().empty()) return engine.description(options.threads);
  return fmt::format("{}, {}", report.took_part(), report.how.substr(0, report.how.find(':')));
}

}  // namespace isolume::orbitals
