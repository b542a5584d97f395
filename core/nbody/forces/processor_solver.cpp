#include "core/nbody/forces/processor_solver.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "core/nbody/bodies/each_axis.h"

namespace isolume::nbody {

namespace {

class ProcessorSolver final : public Solver {
 public:
  ProcessorSolver(std::string name, std::string title, std::size_t bytes_a_body, AddForces add,
                  AddActiveForces add_active, AddForcesAt add_at)
      : name_(std::move(name)),
        title_(std::move(title)),
        bytes_a_body_(bytes_a_body),
        add_(std::move(add)),
        add_active_(std::move(add_active)),
        add_at_(std::move(add_at)) {}

  std::string_view name() const override { return name_; }
  Forces forces(const Bodies& bodies, const ForceOptions& options,
                const jobs::Progress& progress) const override {
    return summed(bodies, options, bodies.size(), bodies.size(),
                  [&](Forces& forces) { add_(bodies, options, forces, progress); });
  }
  Forces active_forces(const Bodies& bodies, std::span<const std::uint32_t> active,
                       const ForceOptions& options, const jobs::Progress& progress) const override {
    if (!add_active_ || active.size() == bodies.size()) return forces(bodies, options, progress);
    return summed(bodies, options, bodies.size(), active.size(),
                  [&](Forces& forces) { add_active_(bodies, active, options, forces, progress); });
  }
  Forces forces_at(const Places& places, const Bodies& bodies, const ForceOptions& options,
                   const jobs::Progress& progress) const override {
    if (!add_at_) return Solver::forces_at(places, bodies, options, progress);
    check(places);
    return summed(bodies, options, places.size(), places.size(),
                  [&](Forces& forces) { add_at_(places, bodies, options, forces, progress); });
  }

 private:
  template <class Add>
  Forces summed(const Bodies& bodies, const ForceOptions& options, std::size_t results, std::size_t sums,
                const Add& add) const {
    check(bodies);
    check(options);
    // What is free is read from files of the system, which takes longer than the sums of few bodies.
    constexpr std::size_t always_there = 1 << 17;
    if (const std::size_t bytes = bodies.size() * bytes_a_body_; bytes > always_there) {
      dispatch::require_memory(fmt::format("Forces on {} bodies ({})", bodies.size(), title_), bytes,
                               "Take fewer bodies.");
    }
    const int threads = threads_for(options.threads, bodies.size() * sums);
    Forces forces = no_forces(results);
    forces.report = {.who =
                         fmt::format("CPU, {}, {} {}", title_, threads, threads == 1 ? "thread" : "threads")};
    if (bodies.size() == 0 || sums == 0) return forces;
    tbb::task_arena arena(threads);
    arena.execute([&] { add(forces); });
    check_finite(forces);
    return forces;
  }

  std::string name_, title_;
  std::size_t bytes_a_body_;
  AddForces add_;
  AddActiveForces add_active_;
  AddForcesAt add_at_;
};

}  // namespace

std::unique_ptr<Solver> make_processor_solver(std::string name, std::string title, std::size_t bytes_a_body,
                                              AddForces add, AddActiveForces add_active, AddForcesAt add_at) {
  return std::make_unique<ProcessorSolver>(std::move(name), std::move(title), bytes_a_body, std::move(add),
                                           std::move(add_active), std::move(add_at));
}

}  // namespace isolume::nbody
