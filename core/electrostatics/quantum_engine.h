#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/engine_registry.h"
#include "core/electrostatics/quantum_potential.h"
#include "core/electrostatics/quantum_sums.h"

namespace isolume::electrostatics {

/// What the potential of a wavefunction is computed on: the CPU, GPUs.
class QuantumEngine {
 public:
  virtual ~QuantumEngine() = default;
  virtual std::string_view name() const = 0;  ///< "cpu", "cuda", "emulated"
  virtual std::string description(int threads = 0) const = 0;
  virtual std::vector<std::string> kernels() const { return {}; }
  /// Why another engine is the better choice for so many operations, as a clause; empty where none is.
  virtual std::string leaves_to_others(double /*operations*/) const { return {}; }

  /// Both within the wavefunction's tolerance and the rounding of double precision; report.who says who computed. Where values
  /// were computed does not change them, but for those of the CPU among a GPU's. Throw Error, ResourceError, Cancelled.
  /// At each point of a lattice in bohr or angstrom, which may be turned.
  virtual dispatch::Report sum_on(const lattice::Lattice& lattice, const QuantumProblem& problem,
                                  float* values, const dispatch::ComputeOptions& options,
                                  const jobs::Progress& progress) const = 0;
  /// At the places of these numbers, neighbours following each other: values[i] at that of which[i].
  virtual dispatch::Report sum_at(const Places& places, std::span<const std::size_t> which,
                                  const QuantumProblem& problem, double* values,
                                  const dispatch::ComputeOptions& options,
                                  const jobs::Progress& progress) const = 0;
};

using QuantumEngineRegistry = dispatch::EngineRegistry<QuantumEngine>;

std::unique_ptr<QuantumEngine> make_cpu_quantum_engine();

}  // namespace isolume::electrostatics
