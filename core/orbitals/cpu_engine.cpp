#include <algorithm>

#include <fmt/format.h>

#include "core/dispatch/engine_choice.h"
#include "core/orbitals/cpu_field.h"
#include "core/orbitals/field_engine.h"
#include "core/orbitals/separable_kernels.h"

namespace isolume::orbitals {
namespace {

class CpuEngine final : public FieldEngine {
 public:
  std::string_view name() const override { return "cpu"; }
  std::string description(int wanted) const override {
    const int most = dispatch::processor_threads();
    const int threads = wanted > 0 ? std::min(wanted, most) : most;
    return fmt::format("CPU, {}, {} thread{}", separable::instruction_set(), threads,
                       threads == 1 ? "" : "s");
  }

 protected:
  dispatch::Report fill(const FieldProblem& problem, const std::vector<float*>& fields,
                        const EngineOptions& options, const jobs::Progress& progress) const override {
    dispatch::require_no_more_than_cpu(options);
    auto report = fill_on_cpu(problem, fields, options.threads, progress);
    report.who = description(options.threads);
    return report;
  }
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine() {
  return std::make_unique<CpuEngine>();
}

}  // namespace isolume::orbitals
