#include "core/electrostatics/quantum/quantum_engine.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "core/dispatch/engine_choice.h"

namespace isolume::electrostatics {
namespace {

class CpuQuantumEngine final : public QuantumEngine {
 public:
  std::string_view name() const override { return "cpu"; }
  std::string description(int wanted) const override {
    const int threads = threads_of(wanted);
    return fmt::format("CPU, {} thread{}", threads, threads == 1 ? "" : "s");
  }
  dispatch::Report sum_on(const grid::Grid& grid, const QuantumProblem& problem, float* values,
                          const dispatch::ComputeOptions& options,
                          const jobs::Progress& progress) const override {
    return in_arena(options, [&] { sum_quantum_on(grid, problem, values, progress); });
  }
  dispatch::Report sum_at(const Places& places, std::span<const std::size_t> which,
                          const QuantumProblem& problem, double* values,
                          const dispatch::ComputeOptions& options,
                          const jobs::Progress& progress) const override {
    return in_arena(options, [&] { sum_quantum_at(places, which, problem, values, progress); });
  }

 private:
  static int threads_of(int wanted) { return wanted > 0 ? wanted : dispatch::processor_threads(); }

  template <class Sum>
  dispatch::Report in_arena(const dispatch::ComputeOptions& options, const Sum& sum) const {
    dispatch::require_no_more_than_cpu(options);
    tbb::task_arena arena(threads_of(options.threads));
    arena.execute(sum);
    return {.who = description(options.threads)};
  }
};

}  // namespace

std::unique_ptr<QuantumEngine> make_cpu_quantum_engine() {
  return std::make_unique<CpuQuantumEngine>();
}

}  // namespace isolume::electrostatics
