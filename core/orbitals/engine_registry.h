#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/orbitals/engine.h"

namespace isolume::orbitals {

/// The engines of this program, best first. Filled once at start: the CPU engine here, others by
/// `gpu::make_engines`.
class EngineRegistry {
 public:
  void add(std::unique_ptr<Engine> engine);
  const std::vector<std::unique_ptr<Engine>>& engines() const { return engines_; }
  /// "auto" takes the first. Throws Error naming the engines there are.
  const Engine& find(std::string_view name) const;

 private:
  std::vector<std::unique_ptr<Engine>> engines_;
};

}  // namespace isolume::orbitals
