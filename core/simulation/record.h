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

/// A simulation with what it has computed, in both directions of time from an origin: it can be brought to any
/// step, by going on, or from the nearest checkpoint. Not for several threads at once.
class Record {
 public:
  /// The simulation is at the origin of the course, which is followed on from there; a course that says nothing begins
  /// here.
  Record(std::unique_ptr<Simulation> simulation, std::size_t checkpoint_bytes, std::int64_t spacing,
         Course course = {});

  Simulation& simulation() { return *simulation_; }
  const Simulation& simulation() const { return *simulation_; }
  std::int64_t first() const { return origin_ - sides_[1].last; }
  std::int64_t last() const { return origin_ + sides_[0].last; }
  std::int64_t origin() const { return origin_; }
  /// Where the record was made longer last; and further, where parameters are yet to change by its course.
  std::int64_t live_end() const;
  bool is_recording() const { return simulation_->recorded_until().has_value(); }
  /// What has been done, and what is yet to be done.
  Course course() const;
  /// What of it leads to a step, which is its origin.
  Course course_to(std::int64_t step) const;
  /// Where the simulation is; nothing after it has thrown.
  const std::optional<std::int64_t>& at() const { return at_; }

  /// Goes nearer to a step, past the end of the record if need be: to a checkpoint, or on by at most
  /// `most_steps` and not past a multiple of them. Whether it is there. Passes on what the simulation throws.
  bool move_towards(std::int64_t step, std::int64_t most_steps, const jobs::Progress& progress);

  /// Nothing is known of the simulation's state any more: next it goes to a checkpoint.
  void leave() { at_.reset(); }
  /// At the live end, of a recording everywhere. Throws Error and changes nothing where the simulation refuses it.
  void set_parameter(const std::string& key, const parameters::Value& value);
  /// What is recorded after the step that the simulation is at is forgotten; where that is before the origin,
  /// it becomes the origin, and all else is.
  void cut_here();

  std::size_t checkpoints() const { return sides_[0].checkpoints.size() + sides_[1].checkpoints.size(); }
  std::size_t checkpoint_bytes() const {
    return sides_[0].checkpoints.bytes() + sides_[1].checkpoints.bytes();
  }
  std::int64_t spacing() const { return sides_[0].checkpoints.spacing(); }

 private:
  /// One direction of time; places in it are steps from the origin, 0 or more.
  struct Side {
    int direction;
    Checkpoints checkpoints;
    std::int64_t last = 0;
    /// In their order, of places, some perhaps yet to come; a checkpoint has those of its own place.
    std::vector<Change> changes = {};
    CheckpointPointer end = nullptr;  ///< when the simulation was at the end and has left it
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
  Course course_;  ///< to the origin
  std::int64_t origin_ = 0;
  std::optional<std::int64_t> at_;
  std::size_t live_ = 0;
  std::vector<Side> sides_;
};

}  // namespace isolume::simulation
