#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/engine_registry.h"
#include "core/electrostatics/quantum/quantum_potential.h"
#include "core/electrostatics/quantum/quantum_sums.h"

namespace isolume::electrostatics {

/// A back end for the potential of a wavefunction: the CPU, GPUs.
class QuantumEngine {
 public:
  virtual ~QuantumEngine() = default;
  virtual std::string_view name() const = 0;  ///< "cpu", "cuda", "emulated"
  virtual std::string description(int threads = 0) const = 0;
  virtual std::vector<std::string> kernels() const { return {}; }
  /// Why another engine is the better choice for this many operations, as a clause; empty if it is not.
  virtual std::string leaves_to_others(double /*operations*/) const { return {}; }

  /// Both are accurate to the wavefunction's tolerance and rounding in double precision; report.who names the device.
  /// The result does not depend on where values were computed, except between the CPU and a GPU. Throw Error,
  /// ResourceError, Cancelled.
  /// At each point of a grid in bohr or angstrom, which may be rotated.
  virtual dispatch::Report sum_on(const grid::Grid& grid, const QuantumProblem& problem, float* values,
                                  const dispatch::ComputeOptions& options,
                                  const jobs::Progress& progress) const = 0;
  /// At the points with these indices, with neighbours consecutive: values[i] belongs to point which[i].
  virtual dispatch::Report sum_at(const Places& places, std::span<const std::size_t> which,
                                  const QuantumProblem& problem, double* values,
                                  const dispatch::ComputeOptions& options,
                                  const jobs::Progress& progress) const = 0;
};

using QuantumEngineRegistry = dispatch::EngineRegistry<QuantumEngine>;

std::unique_ptr<QuantumEngine> make_cpu_quantum_engine();

}  // namespace isolume::electrostatics
