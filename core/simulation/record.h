#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/simulation/checkpoints.h"
#include "core/simulation/course.h"
#include "core/simulation/simulation.h"

namespace isolume::simulation {

/// A simulation with its computed steps, in both directions of time from an origin: it can be brought to any
/// step, by advancing, or from the nearest checkpoint. Not thread-safe.
class Record {
 public:
  /// The simulation must be at the origin of the course, which is followed from there; an empty course begins
  /// here.
  Record(std::unique_ptr<Simulation> simulation, std::size_t checkpoint_bytes, std::int64_t spacing,
         Course course = {});

  Simulation& simulation() { return *simulation_; }
  const Simulation& simulation() const { return *simulation_; }
  std::int64_t first() const { return origin_ - sides_[1].last; }
  std::int64_t last() const { return origin_ + sides_[0].last; }
  std::int64_t origin() const { return origin_; }
  /// The end of the side that was computed last, or a later step at which its course still changes
  /// parameters.
  std::int64_t live_end() const;
  bool is_recording() const { return simulation_->recorded_until().has_value(); }
  /// The past and the pending changes.
  Course course() const;
  /// The part that leads to a step, which becomes its origin.
  Course course_to(std::int64_t step) const;
  /// The step of the simulation; empty after an exception.
  const std::optional<std::int64_t>& at() const { return at_; }

  /// Moves towards a step, past the end of the record if necessary: to a checkpoint, or on by at most
  /// `most_steps` and not past a multiple of them. Returns whether it has arrived. Rethrows exceptions of the
  /// simulation.
  bool move_towards(std::int64_t step, std::int64_t most_steps, const jobs::Progress& progress);

  /// Marks the simulation's state as unknown: the next move starts from a checkpoint.
  void leave() { at_.reset(); }
  /// Sets a parameter at the live end, or everywhere for a recording. Throws Error and changes nothing if the
  /// simulation rejects it.
  void set_parameter(const std::string& key, const parameters::Value& value);
  /// Removes the record after the present step of the simulation; if that is before the origin, it becomes
  /// the origin, and everything else is removed. A change of the parameter `without` at this step of the record is
  /// removed, too: then the step is computed again, and the parameter's value before it is returned.
  std::optional<parameters::Value> cut_here(const std::string& without = {});

  std::size_t checkpoints() const { return sides_[0].checkpoints.size() + sides_[1].checkpoints.size(); }
  std::size_t checkpoint_bytes() const {
    return sides_[0].checkpoints.bytes() + sides_[1].checkpoints.bytes();
  }
  std::int64_t spacing() const { return sides_[0].checkpoints.spacing(); }

 private:
  /// One direction of time; positions in it are steps from the origin, 0 or more.
  struct Side {
    int direction;
    Checkpoints checkpoints;
    std::int64_t last = 0;
    /// Ordered by position, some perhaps still pending; a checkpoint includes those at its own position.
    std::vector<Change> changes = {};
    CheckpointPointer end = nullptr;  ///< set when the simulation was at the end and has left it
  };

  std::size_t side_of(std::int64_t step) const { return step < origin_ ? 1 : 0; }
  std::int64_t place(const Side& side, std::int64_t step) const { return (step - origin_) * side.direction; }
  std::optional<std::int64_t> place_now(const Side& side) const;
  void restore(Side& side, const Checkpoints::Found& found);
  void advance(Side& side, std::int64_t from, std::int64_t to, const jobs::Progress& progress);
  void keep_end();
  void start_here();

  std::unique_ptr<Simulation> simulation_;
  std::size_t checkpoint_bytes_;
  std::int64_t spacing_;
  Course course_;  ///< up to the origin
  std::int64_t origin_ = 0;
  std::optional<std::int64_t> at_;
  std::size_t live_ = 0;
  std::vector<Side> sides_;
};

}  // namespace isolume::simulation
