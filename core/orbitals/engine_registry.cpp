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

}  // namespace isolume::orbitals
