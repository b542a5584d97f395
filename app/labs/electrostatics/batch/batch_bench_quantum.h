#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "app/batch/context.h"
#include "core/electrostatics/quantum/quantum_benchmark.h"

namespace isolume::batch {

/// What `bench electrostatics --method quantum` times.
struct QuantumBench {
  std::string file;  ///< with a wavefunction; empty: the sample caffeine
  double spacing_angstrom = 0.5;
  dispatch::ComputeOptions compute;
};

/// Of its potential on a grid that reaches 4 angstrom beyond the nuclei, lines for people into `text`, and the row for JSON.
nlohmann::ordered_json bench_quantum(Context& context, const QuantumBench& bench,
                                     const std::shared_ptr<dispatch::DevicePool>& pool, std::string& text);

}  // namespace isolume::batch
