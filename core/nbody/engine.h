#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/engine_registry.h"
#include "core/nbody/resident_bodies.h"
#include "core/nbody/solver.h"

namespace isolume::nbody {

/// What forces are summed on: the CPU, GPUs.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;  ///< "cpu", "cuda", "emulated"
  virtual std::string description(int threads = 0) const = 0;
  virtual std::vector<std::string> kernels() const { return {}; }
  /// Null where this engine has no such solver.
  virtual std::unique_ptr<Solver> solver(SolverKind kind) const = 0;
  /// What keeps bodies on this engine's devices while they move; null where it moves none. Forces by options.solver,
  /// which it has, on options.devices. Throws Error.
  virtual std::unique_ptr<ResidentBodies> resident(const ForceOptions& /*options*/) const { return nullptr; }
  /// Why another engine is the better choice for forces on so many bodies, as a clause; empty where none is.
  virtual std::string leaves_to_others(std::size_t /*bodies*/) const { return {}; }
};

using EngineRegistry = dispatch::EngineRegistry<Engine>;

/// The solvers of make_solver.
std::unique_ptr<Engine> make_cpu_engine();
/// That engine alone.
std::shared_ptr<const EngineRegistry> cpu_engines();

/// Forces by options.solver on options.engine; a report of several devices goes to the registry's, too. "auto" takes the
/// first engine that has the solver and does not leave such bodies to others, and the next one where that one fails;
/// the report says why. An engine that was named does it or throws Error. On those bodies that are `active` (numbers,
/// rising), where there are any, as Solver::active_forces; otherwise on all.
Forces forces_by(const EngineRegistry& engines, const Bodies& bodies, const ForceOptions& options,
                 const jobs::Progress& progress = {}, std::span<const std::uint32_t> active = {});

/// What keeps so many bodies on devices, of the engine that forces_by would take first. Throws NotResident where that
/// keeps none, Error for an engine that there is not.
std::unique_ptr<ResidentBodies> resident_by(const EngineRegistry& engines, std::size_t bodies,
                                            const ForceOptions& options);

/// At places where no body need be, as Solver::forces_at; engines are chosen as for forces on so many bodies.
Forces forces_at_by(const EngineRegistry& engines, const Places& places, const Bodies& bodies,
                    const ForceOptions& options, const jobs::Progress& progress = {});

}  // namespace isolume::nbody
