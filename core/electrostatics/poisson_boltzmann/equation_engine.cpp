#include "core/electrostatics/poisson_boltzmann/equation_engine.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/dispatch/engine_choice.h"
#include "core/electrostatics/sums/pair_engine.h"

namespace isolume::electrostatics {
namespace {

class CpuEquationEngine final : public EquationEngine {
 public:
  dispatch::Computed<SolveReport> solve(GridEquation& equation, const SolveOptions& how,
                                        const dispatch::ComputeOptions& options,
                                        const jobs::Progress& progress) const override {
    dispatch::require_no_more_than_cpu(options);
    return {equation.solve(how, progress), {}};
  }
};

dispatch::Computed<SolveReport> solve_by_the_best(const EngineRegistry& engines, GridEquation& equation,
                                                  const SolveOptions& how, const PotentialOptions& options,
                                                  const jobs::Progress& progress) {
  std::string why;
  const auto& all = engines.engines();
  for (const auto& engine : all) {
    const bool last = engine == all.back();
    const EquationEngine* const equations = engine->equations();
    if (equations == nullptr || (!last && options.devices == "0")) continue;  // the last one is the CPU's
    // Explicitly named devices and kernels are used whatever the cost.
    const bool free = options.devices == "all" && options.kernel == "auto";
    if (std::string other = last || !free ? "" : equations->leaves_to_others(equation.extents().count());
        !other.empty()) {
      why = std::move(other);
      continue;
    }
    try {
      auto solved = equations->solve(equation, how, options, progress);
      if (!why.empty()) solved.report.reason = why;
      return solved;
    } catch (const NotConverged&) {
      throw;  // it would fail elsewhere, too
    } catch (const Error& error) {
      if (last || !free) throw;
      log::warning("An equation is solved by an engine other than {}: {}", engine->name(), error.what());
      why = error.what();
    }
  }
  throw Error("There is no engine for equations on grids.");
}

}  // namespace

const EquationEngine& cpu_equations() {
  static const CpuEquationEngine engine;
  return engine;
}

dispatch::Computed<SolveReport> solve_by_engine(GridEquation& equation, const SolveOptions& how,
                                                const PotentialOptions& options,
                                                const jobs::Progress& progress) {
  EngineRegistry cpu_alone;
  const EngineRegistry& engines = engines_of(options, cpu_alone);
  const PairEngine& named = engines.find(options.engine);  // throws for an unknown name
  if (options.engine == "auto") return solve_by_the_best(engines, equation, how, options, progress);
  if (named.equations() == nullptr) {
    throw Error(
        fmt::format("The engine \"{}\" solves no equations on grids. Choose the engine \"auto\" or \"cpu\".",
                    named.name()));
  }
  return named.equations()->solve(equation, how, options, progress);
}

void add_equation(dispatch::Report& all, const dispatch::Report& one) {
  std::vector<dispatch::Report::Share> by_cpu(1);
  by_cpu[0].device = "CPU";
  by_cpu[0].tiles = 1;
  for (const auto& share : one.shares.empty() ? by_cpu : one.shares) {
    const auto known = std::ranges::find_if(all.shares, [&](const auto& each) {
      return each.which == share.which && each.device == share.device;
    });
    if (known == all.shares.end()) {
      all.shares.push_back(share);
      continue;
    }
    known->tiles += share.tiles;
    known->busy_seconds += share.busy_seconds;
    if (known->error.empty()) known->error = share.error;
  }
  all.seconds += one.seconds;
  if (!one.kernel.empty()) all.kernel = one.kernel;
  if (one.reason.empty() || all.reason.find(one.reason) != std::string::npos) return;
  all.reason += (all.reason.empty() ? "" : "; ") + one.reason;
}

}  // namespace isolume::electrostatics
