#include "core/nbody/engines/best_solver.h"

#include <algorithm>
#include <string>

#include "core/base/language.h"

namespace isolume::nbody {
namespace {

/// Whether a tree code for this number of bodies runs on the CPU.
bool on_processor(const EngineRegistry& engines, std::size_t bodies, const ForceOptions& options) {
  if (options.engine != "auto") return options.engine == "cpu";
  const auto& all = engines.engines();
  const auto taken = std::ranges::find_if(all, [&](const auto& each) {
    return each->solver(SolverKind::barnes_hut) != nullptr && each->leaves_to_others(bodies).empty();
  });
  return taken == all.end() || (*taken)->name() == "cpu";
}

}  // namespace

ForceOptions with_best_solver(const EngineRegistry& engines, std::size_t bodies, const ForceOptions& options,
                              bool some) {
  ForceOptions found = options;
  if (options.solver != SolverKind::best) return found;
  // See tests/bench/results/solvers.md.
  constexpr double single_precision = 5e-6;
  constexpr std::size_t few = 2048, few_for_small_errors = 4096, few_on_gpus = 65536, many = 16384;
  const bool by_error = options.error > 0, spline = options.softening_kind == SofteningKind::spline;
  const bool on_cpu = on_processor(engines, bodies, options);
  if (by_error && options.error < single_precision) {
    found.solver = spline ? SolverKind::direct : SolverKind::fmm;
  } else if (!on_cpu) {
    found.solver = bodies < few_on_gpus ? SolverKind::direct : SolverKind::barnes_hut;
  } else if (bodies < (by_error && options.error < 1e-3 ? few_for_small_errors : few)) {
    found.solver = SolverKind::direct;
  } else {
    const bool softened = options.softening > 0;
    found.solver =
        by_error && !some && !softened && bodies >= many ? SolverKind::fmm : SolverKind::barnes_hut;
  }
  return found;
}

ForceOptions with_best_solver(const EngineRegistry& engines, std::size_t bodies, const RunOptions& options) {
  return with_best_solver(engines, bodies, options, options.time_steps == TimeSteps::block);
}

void narrow_to_used(parameters::Description& description, const EngineRegistry& engines, std::size_t bodies,
                    const RunOptions& options) {
  const std::string& key = description.key;
  if (key != "solver" && key != "opening-angle" && key != "error") return;
  if (options.integrator == Integrator::hermite) {  // it sums over all pairs
    description.relevant_when = {"integrator", {"leapfrog"}};
    return;
  }
  RunOptions best = options;
  best.solver = SolverKind::best;
  const SolverKind fastest = with_best_solver(engines, bodies, best).solver;
  if (key == "solver") {
    const std::string label = localised("declared", choice_of(fastest).label.c_str());
    description.choices.front().label = filled(localised("nbody", "Fastest: %1"), {label});
  } else if (key == "opening-angle" && options.error > 0) {
    description.relevant_when = {"error", {"0"}};
  } else if (key == "opening-angle" && fastest == SolverKind::direct) {
    description.relevant_when = {"solver", {"barnes-hut", "fmm"}};
  }
}

}  // namespace isolume::nbody
