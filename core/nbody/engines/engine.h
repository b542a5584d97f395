#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/engine_registry.h"
#include "core/nbody/engines/resident_bodies.h"
#include "core/nbody/forces/solver.h"

namespace isolume::nbody {

/// A back end that sums forces: the CPU, GPUs.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;  ///< "cpu", "cuda", "emulated"
  virtual std::string description(int threads = 0) const = 0;
  virtual std::vector<std::string> kernels() const { return {}; }
  /// Null where this engine has no such solver.
  virtual std::unique_ptr<Solver> solver(SolverKind kind) const = 0;
  /// Why this engine cannot compute with these options, by one of its solvers, as a clause; empty if it can.
  virtual std::string why_not(const ForceOptions& /*options*/) const { return {}; }
  /// Bodies that are kept on this engine's devices during steps; null where it does not support this. Uses
  /// options.solver, which it must have, on options.devices. Throws Error.
  virtual std::unique_ptr<ResidentBodies> resident(const ForceOptions& /*options*/) const { return nullptr; }
  /// Why another engine is the better choice for this many bodies, as a clause; empty if it is not.
  virtual std::string leaves_to_others(std::size_t /*bodies*/) const { return {}; }
};

using EngineRegistry = dispatch::EngineRegistry<Engine>;

/// Offers the solvers of make_solver.
std::unique_ptr<Engine> make_cpu_engine();
/// A registry with the CPU engine only.
std::shared_ptr<const EngineRegistry> cpu_engines();

/// Computes forces by options.solver (best_solver.h) on options.engine; a report of several devices goes to the registry, too. "auto"
/// takes the first engine that has the solver and does not leave this many bodies to others, and the next one where
/// that one fails; the report says why. An engine named explicitly computes them or throws Error. Only forces on
/// `active` bodies (indices, ascending) are computed if any are given, as Solver::active_forces.
Forces forces_by(const EngineRegistry& engines, const Bodies& bodies, const ForceOptions& options,
                 const jobs::Progress& progress = {}, std::span<const std::uint32_t> active = {});

/// Bodies kept on devices by the engine that forces_by would take first. Throws NotResident where that engine does
/// not support this, Error for an unknown engine.
std::unique_ptr<ResidentBodies> resident_by(const EngineRegistry& engines, std::size_t bodies,
                                            const ForceOptions& options);

/// Forces at given positions, as Solver::forces_at; the engine is chosen as for forces on so many bodies.
Forces forces_at_by(const EngineRegistry& engines, const Places& places, const Bodies& bodies,
                    const ForceOptions& options, const jobs::Progress& progress = {});

}  // namespace isolume::nbody
