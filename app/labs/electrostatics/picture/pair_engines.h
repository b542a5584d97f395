#pragma once

#include <memory>

#include "core/electrostatics/sums/pair_engine.h"
#include "gpu/electrostatics/engines.h"
#include "gpu/machine.h"

namespace isolume::batch {

/// Of this machine, for PotentialOptions::engines. Looking for GPUs may take a second: not where the CPU was named, nor for
/// what it computes alone.
inline std::shared_ptr<const electrostatics::EngineRegistry> engines_for(
    const electrostatics::PotentialOptions& options) {
  if (options.engine == "cpu" || !electrostatics::has_engines(options.method)) return nullptr;
  return std::make_shared<const electrostatics::EngineRegistry>(
      gpu::make_pair_engines(gpu::make_device_pool()));
}

/// For PotentialOptions::quantum_engines; in the same way.
inline std::shared_ptr<const electrostatics::QuantumEngineRegistry> quantum_engines_for(
    const electrostatics::PotentialOptions& options) {
  if (options.engine == "cpu") return nullptr;
  return std::make_shared<const electrostatics::QuantumEngineRegistry>(
      gpu::make_quantum_engines(gpu::make_device_pool()));
}

}  // namespace isolume::batch
