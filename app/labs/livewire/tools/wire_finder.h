#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/images/document.h"
#include "core/jobs/job_runner.h"
#include "core/livewire/costs.h"
#include "core/livewire/wire_solver.h"

namespace isolume::labs::livewire {

/// What wires on one slice are found with.
struct Ground {
  images::SliceImage slice;
  isolume::livewire::Features features;
  std::shared_ptr<const isolume::livewire::CostGrid> grid;

  std::size_t bytes() const;
};

/// Where a wire ran: costs are trained on the edge along it.
struct TracedPath {
  images::SliceId slice;
  std::vector<isolume::livewire::Pixel> pixels;
};

/// What grounds are made of, and how they are searched.
struct WireProblem {
  std::shared_ptr<const images::Document> image;
  isolume::livewire::CostParameters costs;
  std::shared_ptr<const TracedPath> trained_on;  ///< null: nothing
  std::shared_ptr<const isolume::livewire::Engine> engine;
  isolume::livewire::SearchOptions search = {};

  /// Whether the other's grounds are this one's, too; searches may differ.
  bool same_grounds(const WireProblem& other) const {
    return image == other.image && costs == other.costs && trained_on == other.trained_on;
  }
};

/// Throws Cancelled, and Error where the slice lies outside the image.
std::shared_ptr<const Ground> make_ground(const WireProblem& problem, images::SliceId slice,
                                          const jobs::Progress& progress);

/// Works that share a search: the tool's wires, changes of contours, and what only looks at the ground.
enum class Lane { tool, edit, look };

/// Finds wires, one at a time, in the order in which works are submitted. It keeps the grounds of the slices that
/// were used last, and for each the searches of the last seeds. Works run on threads of their own, and must not
/// call it.
class WireFinder {
 public:
  using GroundPointer = std::shared_ptr<const Ground>;
  using Work =
      std::function<void(const GroundPointer&, isolume::livewire::WireSolver&, const jobs::Progress&)>;
  /// Called on a work's thread when it or its ground throws anything but Cancelled.
  using Fail = std::function<void(const std::string& message)>;

  explicit WireFinder(const Fail& fail);
  /// Drops what waits, cancels what runs and waits for its end.
  ~WireFinder() = default;
  WireFinder(const WireFinder&) = delete;
  WireFinder& operator=(const WireFinder&) = delete;

  /// Another image: everything that waits or runs is dropped.
  void open(WireProblem problem);
  /// Other costs or another engine for the same image: what waits is done with them.
  void change(WireProblem problem);

  /// A work that is surely done, unless another image is opened. Where it or its ground throws, `failed` is
  /// called on its thread as well.
  void submit(images::SliceId slice, Lane lane, Work work, std::function<void()> failed = nullptr);
  /// A work of which only the newest matters: it gives way to any later one of its lane that comes before it
  /// has begun.
  void submit_newest(images::SliceId slice, Lane lane, Work work);

  /// Does what the destructor does, for an owner whose works call its other members.
  void end() {
    jobs_.cancel_all();
    jobs_.wait_idle();
  }

  /// Whether anything waits or runs.
  bool busy() const { return !jobs_.active().empty(); }

 private:
  /// A slice's ground, and a search for each lane that finds wires.
  struct Kept {
    images::SliceId slice;
    std::shared_ptr<const WireProblem> problem;
    GroundPointer ground;
    std::optional<isolume::livewire::WireSolver> tool, edit;
  };

  void set_problem(WireProblem problem);
  void put(images::SliceId slice, Lane lane, jobs::Replaced replaced, Work work,
           std::function<void()> failed = nullptr);
  void do_work(images::SliceId slice, Lane lane, const Work& work, const jobs::Progress& progress);
  Kept& kept(images::SliceId slice, const std::shared_ptr<const WireProblem>& problem,
             const jobs::Progress& progress);

  std::mutex mutex_;
  std::shared_ptr<const WireProblem> problem_;     ///< guarded by the mutex
  std::list<Kept> kept_;                           ///< of the running job alone; used last first
  jobs::JobRunner jobs_{jobs::Channels::in_turn};  ///< a channel for each lane
};

}  // namespace isolume::labs::livewire
