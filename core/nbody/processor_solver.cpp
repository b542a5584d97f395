#include "core/nbody/processor_solver.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

namespace isolume::nbody {

namespace {

class ProcessorSolver final : public Solver {
 public:
  ProcessorSolver(std::string name, std::string title, AddForces add)
      : name_(std::move(name)), title_(std::move(title)), add_(std::move(add)) {}

  std::string_view name() const override { return name_; }
  Forces forces(const Bodies& bodies, const ForceOptions& options,
                const jobs::Progress& progress) const override {
    check(bodies);
    check(options);
    const int threads = options.threads > 0 ? options.threads : dispatch::processor_threads();
    Forces forces = no_forces(bodies.size());
    forces.report = {.who =
                         fmt::format("CPU, {}, {} {}", title_, threads, threads == 1 ? "thread" : "threads")};
    if (bodies.size() == 0) return forces;
    tbb::task_arena arena(threads);
    arena.execute([&] { add_(bodies, options, forces, progress); });
    return forces;
  }

 private:
  std::string name_, title_;
  AddForces add_;
};

}  // namespace

std::unique_ptr<Solver> make_processor_solver(std::string name, std::string title, AddForces add) {
  return std::make_unique<ProcessorSolver>(std::move(name), std::move(title), std::move(add));
}

}  // namespace isolume::nbody
