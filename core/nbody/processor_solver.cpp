#include "core/nbody/processor_solver.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

namespace isolume::nbody {

namespace {

class ProcessorSolver final : public Solver {
 public:
  ProcessorSolver(std::string name, std::string title, AddForces add, AddActiveForces add_active)
      : name_(std::move(name)),
        title_(std::move(title)),
        add_(std::move(add)),
        add_active_(std::move(add_active)) {}

  std::string_view name() const override { return name_; }
  Forces forces(const Bodies& bodies, const ForceOptions& options,
                const jobs::Progress& progress) const override {
    return summed(bodies, options, [&](Forces& forces) { add_(bodies, options, forces, progress); });
  }
  Forces active_forces(const Bodies& bodies, std::span<const std::uint32_t> active,
                       const ForceOptions& options, const jobs::Progress& progress) const override {
    if (!add_active_ || active.size() == bodies.size()) return forces(bodies, options, progress);
    return summed(bodies, options,
                  [&](Forces& forces) { add_active_(bodies, active, options, forces, progress); });
  }

 private:
  template <class Add>
  Forces summed(const Bodies& bodies, const ForceOptions& options, const Add& add) const {
    check(bodies);
    check(options);
    const int threads = options.threads > 0 ? options.threads : dispatch::processor_threads();
    Forces forces = no_forces(bodies.size());
    forces.report = {.who =
                         fmt::format("CPU, {}, {} {}", title_, threads, threads == 1 ? "thread" : "threads")};
    if (bodies.size() == 0) return forces;
    tbb::task_arena arena(threads);
    arena.execute([&] { add(forces); });
    return forces;
  }

  std::string name_, title_;
  AddForces add_;
  AddActiveForces add_active_;
};

}  // namespace

std::unique_ptr<Solver> make_processor_solver(std::string name, std::string title, AddForces add,
                                              AddActiveForces add_active) {
  return std::make_unique<ProcessorSolver>(std::move(name), std::move(title), std::move(add),
                                           std::move(add_active));
}

}  // namespace isolume::nbody
