#include "gpu/nbody/resident/resident_on_gpus.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/dispatch/device_choice.h"
#include "gpu/nbody/direct/direct_job.h"
#include "gpu/nbody/resident/bodies_replica.h"
#include "gpu/nbody/tree/opening.h"
#include "gpu/nbody/tree/walk_job.h"
#include "gpu/runtime/devices/guarded_on.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/runtime/multi_device/worker_team.h"

namespace isolume::gpu {
namespace {

class ResidentOnGpus final : public nbody::ResidentBodies {
 public:
  ResidentOnGpus(std::shared_ptr<const SumRunner> runner, const nbody::ForceOptions& options)
      : runner_(std::move(runner)),
        options_(options),
        chosen_(choose_gpus(runner_->pool(), options.devices)) {}

  void put(const nbody::Bodies& bodies, const jobs::Progress& progress) override {
    attempt([&] {
      make_replicas(bodies.size());
      mass_sum_ = std::accumulate(bodies.mass.begin(), bodies.mass.end(), 0.0);
      const auto upload = [&](BodiesReplica& replica, const WaitLimits& limits) {
        replica.upload(bodies, limits);
      };
      if (advance(upload, 0, true, progress))
        throw Error("The position of a body is not finite or too far away.");
      steps_since_request_ = 0;
    });
  }

  std::optional<std::size_t> step(double dt, const jobs::Progress& progress) override {
    return attempt([&] {
      const auto escaped = advance([dt](BodiesReplica& replica, const WaitLimits&) { replica.drift(dt); },
                                   0.5 * dt, expects_potentials(), progress);
      if (!escaped) ++steps_since_request_;
      return escaped;
    });
  }

  void fetch(nbody::Bodies& bodies, const jobs::Progress& progress) override {
    attempt([&] {
      on_first(progress, [&](const BodiesReplica& replica, const WaitLimits& limits) {
        const auto places = replica.places(limits);
        for (auto* values : {&bodies.x, &bodies.y, &bodies.z}) values->resize(count_);
        for (std::size_t i = 0; i < count_; ++i) {
          bodies.x[i] = places[i].x;
          bodies.y[i] = places[i].y;
          bodies.z[i] = places[i].z;
        }
        copy_fields(replica.velocities(limits), std::array{&bodies.vx, &bodies.vy, &bodies.vz});
      });
    });
  }

  nbody::Forces forces(const jobs::Progress& progress) override {
    nbody::Forces forces;
    attempt([&] {
      require_potentials(progress);
      on_first(progress, [&](const BodiesReplica& replica, const WaitLimits& limits) {
        copy_fields(replica.forces(limits),
                    std::array{&forces.ax, &forces.ay, &forces.az, &forces.potential});
      });
    });
    if (direct()) forces.body_pairs = static_cast<std::uint64_t>(count_) * count_;
    forces.seconds = seconds();
    forces.report = report();
    return forces;
  }

  std::optional<nbody::ResidentFrame> frame(simulation::Wanted what,
                                            const jobs::Progress& progress) override {
    std::optional<nbody::ResidentFrame> found;
    attempt([&] {
      try {
        if ((what & (nbody::frame_potentials | nbody::frame_diagnostics)) != 0) require_potentials(progress);
        on_first(progress, [&](const BodiesReplica& replica, const WaitLimits& limits) {
          found = replica.frame(what, runner_->shared_pool(), limits);
        });
      } catch (const ResourceError& error) {  // frames are many, and the host has memory for them
        if (!std::exchange(logged_frames_, true)) log::info("Frames go to the host: {}", error.what());
      }
    });
    if (found) found->report = report();
    return found;
  }

  nbody::ForceSeconds seconds() const override {
    double placing = 0, summing = 0;
    for (const auto& replica : replicas_) {
      placing = std::max(placing, replica->seconds_to_place());
      summing = std::max(summing, replica->seconds_to_sum());
    }
    return direct() ? nbody::ForceSeconds{.sort = placing, .sums = summing}
                    : nbody::ForceSeconds{.tree = placing, .sums = summing};
  }

  std::string who() const override { return report().who; }

  std::string where() const override {
    std::vector<int> numbers;
    for (const auto& replica : replicas_) numbers.push_back(replica->device().index());
    if (numbers.size() < 2) return fmt::format("GPU {}", fmt::join(numbers, ""));
    const int last = numbers.back();
    numbers.pop_back();
    return fmt::format("GPUs {} and {}", fmt::join(numbers, ", "), last);
  }

 private:
  bool direct() const { return options_.solver == nbody::SolverKind::direct; }

  /// Work whose failure leaves the replicas in an unknown state.
  template <class Work>
  auto attempt(const Work& work) -> decltype(work()) {
    try {
      return work();
    } catch (const Cancelled&) {
      throw;
    } catch (...) {
      valid_ = false;
      throw;
    }
  }

  /// Whether potentials will probably be requested after the next step. They add 1 slot per pair to 13.4, but take
  /// another sum where they are missing: they are left out between requests at regular intervals, and after many
  /// steps without a request.
  bool expects_potentials() const {
    constexpr std::int64_t many = 16;
    const std::int64_t next = steps_since_request_ + 1;
    return next == interval_ || (!regular_ && next <= many);
  }
  /// Sums the forces again, with potentials, if the last step left these out.
  void require_potentials(const jobs::Progress& progress) {
    if (!has_potentials_) {
      const auto stay = [](BodiesReplica& replica, const WaitLimits&) { replica.stay(); };
      if (advance(stay, 0, true, progress)) throw Error("A repeated sum gave a different result.");
    }
    if (steps_since_request_ == 0) return;
    regular_ = interval_ == steps_since_request_;
    interval_ = std::exchange(steps_since_request_, 0);
  }

  /// Advances to a state that `move` sets in each replica, and computes its forces. Returns the number of an
  /// escaped body, if there is one.
  template <class Move>
  std::optional<std::size_t> advance(const Move& move, double half_step, bool potentials,
                                     const jobs::Progress& progress) {
    const std::vector<Slab> parts = shares();
    std::atomic<std::uint32_t> escaped = nbody_kernels::no_body;
    on_each(progress, [&](std::size_t number, BodiesReplica& replica, const WaitLimits& limits) {
      move(replica, limits);
      if (const auto body = replica.place(mass_sum_, limits)) {
        escaped = *body;
      } else {
        replica.sum(parts[number], potentials, limits);
      }
    });
    if (escaped != nbody_kernels::no_body) return escaped;
    for (const auto& from : replicas_) {
      for (const auto& to : replicas_) {
        if (to != from) run_on(from->device(), [&] { from->copy_part_to(*to); });
      }
    }
    on_each(progress, [&](std::size_t, BodiesReplica& replica, const WaitLimits& limits) {
      replica.take_forces(half_step, limits);
    });
    for (const auto& replica : replicas_) replica->end_step();
    has_potentials_ = potentials || !direct();
    learn_speeds();
    return std::nullopt;
  }

  double operations() const {
    return direct() ? operations_of_direct_sums(count_) : operations_of_walk(count_);
  }

  /// The GPUs that take part, of the remaining ones.
  std::vector<dispatch::Device*> gpus_to_take() {
    if (!chosen_.named) chosen_ = choose_gpus(runner_->pool(), "all");
    std::erase_if(chosen_.all, [](const auto* gpu) { return !gpu->set_aside_because().empty(); });
    if (chosen_.all.empty()) throw Error("every GPU that was named is set aside");
    dispatch::TileWork work;
    work.items = static_cast<int>(count_);
    work.block = placed_granularity;
    work.item_bytes = placed_fields * sizeof(float);
    work.job_bytes = count_ * (BodiesReplica::bytes_a_body + bytes_to_place);
    work.operations = operations();
    work.item = fmt::format("The state of {} bodies", count_);
    work.remedy = "Take fewer bodies, or other devices.";
    return runner_->taking_part(chosen_, work,
                                direct() ? "direct" : kernel_of_walk(opening_of(options_).share));
  }

  void make_replicas(std::size_t bodies) {
    const auto in_use = [](const auto& replica) { return replica->device().set_aside_because().empty(); };
    if (valid_ && count_ == bodies && std::ranges::all_of(replicas_, in_use)) return;
    replicas_.clear();  // frees their memory
    count_ = bodies;
    std::vector<dispatch::Device*> gpus;
    try {
      gpus = gpus_to_take();
    } catch (const Error& error) {
      throw nbody::NotResident(error.what());
    }
    for (const auto* gpu : gpus) {
      const GpuDevice& device = gpu_of(*gpu);
      run_on(device, [&] { replicas_.push_back(std::make_unique<BodiesReplica>(device, count_, options_)); });
    }
    for (const auto& one : replicas_) {
      for (const auto& other : replicas_) {
        if (one == other) continue;
        run_on(one->device(), [&] { enable_peer_access(one->device(), other->device()); });
      }
    }
    speeds_.assign(replicas_.size(), 0);
    if (team_ == nullptr || team_->size() != replicas_.size())
      team_ = std::make_unique<WorkerTeam>(replicas_.size());
    valid_ = true;
  }

  /// Faster GPUs get more bodies; the results do not depend on it.
  std::vector<Slab> shares() const {
    const bool known = std::ranges::find(speeds_, 0) == speeds_.end();
    const std::vector<double> weights = known ? speeds_ : std::vector<double>(speeds_.size(), 1);
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    const int bodies = static_cast<int>(count_);
    std::vector<Slab> parts;
    int first = 0;
    double before = 0;
    for (const double weight : weights) {
      before += weight;
      const bool last = parts.size() + 1 == weights.size();
      const int blocks = static_cast<int>(std::round(bodies * before / all / placed_granularity));
      const int end = last ? bodies : std::clamp(blocks * placed_granularity, first, bodies);
      parts.push_back({first, end - first});
      first = end;
    }
    return parts;
  }
  /// Bodies per second, averaged over the last steps.
  void learn_speeds() {
    for (std::size_t number = 0; number < speeds_.size(); ++number) {
      const BodiesReplica& replica = *replicas_[number];
      if (replica.part().count == 0 || replica.seconds_to_sum() <= 0) continue;
      const double seen = replica.part().count / replica.seconds_to_sum();
      speeds_[number] = speeds_[number] > 0 ? (speeds_[number] + seen) / 2 : seen;
    }
  }

  template <class Work>
  void run_on(const GpuDevice& device, const Work& work) const {
    if (const std::string why = device.set_aside_because(); !why.empty()) throw dispatch::DeviceLost(why);
    guarded_on(device, runner_->settings().run.deadline, work);
  }

  /// Deadline of a device: even a slow one does this much in a second.
  WaitLimits wait_limits(const jobs::Progress& progress) const {
    constexpr double operations_per_second = 1e11;
    const std::chrono::duration<double> longest(operations() / operations_per_second);
    return {std::max(runner_->settings().run.deadline, longest), progress};
  }
  template <class Work>
  void on_first(const jobs::Progress& progress, const Work& work) const {
    const BodiesReplica& replica = *replicas_.front();
    run_on(replica.device(), [&] { work(replica, wait_limits(progress)); });
  }
  /// Runs concurrently, each on its own thread.
  template <class Work>
  void on_each(const jobs::Progress& progress, const Work& work) {
    progress.check();
    team_->together([&](std::size_t number) {
      BodiesReplica& replica = *replicas_[number];
      run_on(replica.device(), [&] { work(number, replica, wait_limits(progress)); });
    });
  }

  template <std::size_t fields>
  void copy_fields(const std::vector<double>& from,
                   const std::array<std::vector<double>*, fields>& to) const {
    for (std::size_t field = 0; field < fields; ++field) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(field * count_);
      to[field]->assign(begin, begin + static_cast<std::ptrdiff_t>(count_));
    }
  }

  dispatch::Report report() const {
    dispatch::Report report;
    for (const auto& replica : replicas_) {
      report.shares.push_back({replica->device().name(),
                               replica->part().count > 0 ? 1U : 0U,
                               replica->seconds_to_sum(),
                               {},
                               &replica->device()});
      report.seconds = std::max(report.seconds, replica->seconds_to_place() + replica->seconds_to_sum());
    }
    report.job = fmt::format("{} bodies", count_);
    report.who = report.took_part() + (direct() ? ", direct sum" : ", Barnes-Hut");
    report.reason = "the bodies stay on " + where();
    return report;
  }

  std::shared_ptr<const SumRunner> runner_;
  nbody::ForceOptions options_;
  ChosenDevices chosen_;
  std::size_t count_ = 0;
  double mass_sum_ = 0;
  bool has_potentials_ = false;           ///< of the present bodies
  std::int64_t steps_since_request_ = 0;  ///< of potentials
  std::int64_t interval_ = 0;             ///< number of steps between the last two requests
  bool regular_ = false;                  ///< the interval is the same as the one before
  bool logged_frames_ = false;
  bool valid_ = false;  ///< all work of the replicas has succeeded, or will
  std::vector<std::unique_ptr<BodiesReplica>> replicas_;
  std::vector<double> speeds_;  ///< of the replicas; 0: unknown
  std::unique_ptr<WorkerTeam> team_;
};

}  // namespace

std::unique_ptr<nbody::ResidentBodies> make_resident_bodies(std::shared_ptr<const SumRunner> runner,
                                                            const nbody::ForceOptions& options) {
  return std::make_unique<ResidentOnGpus>(std::move(runner), options);
}

}  // namespace isolume::gpu
