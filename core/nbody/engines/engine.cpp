#include "core/nbody/engines/engine.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/nbody/engines/best_solver.h"

namespace isolume::nbody {

namespace {

class CpuEngine final : public Engine {
 public:
  std::string_view name() const override { return "cpu"; }
  std::string description(int wanted) const override {
    const int threads = wanted > 0 ? wanted : dispatch::processor_threads();
    return fmt::format("CPU, {} thread{}", threads, threads == 1 ? "" : "s");
  }
  std::unique_ptr<Solver> solver(SolverKind kind) const override { return make_solver(kind); }
};

std::string_view name_of(SolverKind kind) {
  return choice_of(kind).key;
}

/// What to sum, and for how many bodies or positions.
struct Task {
  std::size_t sums;
  std::function<Forces(const Solver& solver)> by;
  std::function<void()> check_input;
};

Forces forces_on(const Engine& engine, const Task& task, const ForceOptions& options) {
  const auto solver = engine.solver(options.solver);
  if (solver == nullptr) {
    throw Error(fmt::format(
        "The engine \"{}\" has no solver \"{}\". Choose another solver, or the engine \"auto\" or \"cpu\".",
        engine.name(), name_of(options.solver)));
  }
  if (engine.name() == "cpu" && options.devices != "all" && options.devices != "0") {
    throw Error(
        fmt::format("devices: the engine \"cpu\" computes on the CPU alone, {} was asked for. Use "
                    "\"all\" or \"0\".",
                    isolume::quoted(options.devices)));
  }
  return task.by(*solver);
}

/// Why "auto" skips this engine; empty: it does not.
std::string passed_over(const Engine& engine, std::size_t sums, const ForceOptions& options) {
  if (engine.solver(options.solver) == nullptr)
    return fmt::format("{} has no solver \"{}\"", engine.name(), name_of(options.solver));
  if (std::string why = engine.why_not(options); !why.empty()) return why;
  // Explicitly named devices are used whatever the cost.
  return options.devices == "all" ? engine.leaves_to_others(sums) : std::string();
}

Forces by_the_best(const EngineRegistry& engines, const Task& task, const ForceOptions& options) {
  std::string why;
  const auto& all = engines.engines();
  for (const auto& engine : all) {
    const bool last = engine == all.back();
    if (const std::string other = last ? "" : passed_over(*engine, task.sums, options); !other.empty()) {
      why = other;
      continue;
    }
    try {
      Forces forces = forces_on(*engine, task, options);
      if (!why.empty()) forces.report.reason = why;
      return forces;
    } catch (const Error& error) {
      if (last || options.devices != "all") throw;
      task.check_input();  // errors in the input are not failures of the engine
      check(options);
      log::warning("Forces are summed by an engine other than {}: {}", engine->name(), error.what());
      why = error.what();
    }
  }
  throw Error("There is no engine for forces between bodies.");
}

Forces forces_of(const EngineRegistry& engines, const Task& task, const ForceOptions& options) {
  const Engine& named = engines.find(options.engine);  // throws for an unknown name
  Forces forces =
      options.engine == "auto" ? by_the_best(engines, task, options) : forces_on(named, task, options);
  if (!forces.report.shares.empty())
    engines.record(forces.report);  // otherwise there is nothing to learn from it
  return forces;
}

}  // namespace

std::unique_ptr<Engine> make_cpu_engine() {
  return std::make_unique<CpuEngine>();
}

std::shared_ptr<const EngineRegistry> cpu_engines() {
  auto engines = std::make_shared<EngineRegistry>();
  engines->add(make_cpu_engine());
  return engines;
}

Forces forces_by(const EngineRegistry& engines, const Bodies& bodies, const ForceOptions& wanted,
                 const jobs::Progress& progress, std::span<const std::uint32_t> active) {
  check_softening(wanted, bodies);
  const ForceOptions options = with_best_solver(engines, bodies.size(), wanted, !active.empty());
  const Task task{active.empty() ? bodies.size() : active.size(),
                  [&](const Solver& solver) {
                    return active.empty() ? solver.forces(bodies, options, progress)
                                          : solver.active_forces(bodies, active, options, progress);
                  },
                  [&] { check(bodies); }};
  return forces_of(engines, task, options);
}

std::unique_ptr<ResidentBodies> resident_by(const EngineRegistry& engines, std::size_t bodies,
                                            const ForceOptions& wanted) {
  const ForceOptions options = with_best_solver(engines, bodies, wanted);
  const Engine* chosen = &engines.find(options.engine);
  if (options.engine == "auto") {
    const auto& all = engines.engines();
    const auto taken = std::ranges::find_if(
        all, [&](const auto& each) { return passed_over(*each, bodies, options).empty(); });
    chosen = taken == all.end() ? all.back().get() : taken->get();
  }
  std::unique_ptr<ResidentBodies> resident;
  if (chosen->solver(options.solver) != nullptr) resident = chosen->resident(options);
  if (resident == nullptr)
    throw NotResident(fmt::format("the engine \"{}\" computes on the host", chosen->name()));
  return resident;
}

Forces forces_at_by(const EngineRegistry& engines, const Places& places, const Bodies& bodies,
                    const ForceOptions& wanted, const jobs::Progress& progress) {
  check_softening(wanted, bodies, places);
  const ForceOptions options = with_best_solver(engines, bodies.size(), wanted);
  const Task task{bodies.size() + places.size(),
                  [&](const Solver& solver) { return solver.forces_at(places, bodies, options, progress); },
                  [&] {
                    check(bodies);
                    check(places);
                  }};
  return forces_of(engines, task, options);
}

}  // namespace isolume::nbody
