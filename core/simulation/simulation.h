#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/jobs/progress.h"
#include "core/parameters/schema.h"

namespace isolume::simulation {

/// The data of one step to be drawn or written. Immutable once it is made, so that every thread may read it.
/// Values may stay on a device until they are read. Simulations derive their own frames.
class Frame {
 public:
  virtual ~Frame() = default;
  virtual std::size_t bytes() const = 0;
  /// False if values were lost together with their device; the frame is then made again.
  virtual bool readable() const { return true; }

  std::int64_t step = 0;
  double time = 0;  ///< in the simulation's unit
};
using FramePointer = std::shared_ptr<const Frame>;

/// Everything that a simulation needs to continue from a step, bit for bit, with the parameters of that step.
/// Immutable once it is made.
class Checkpoint {
 public:
  virtual ~Checkpoint() = default;
  virtual std::size_t bytes() const = 0;
};
using CheckpointPointer = std::shared_ptr<const Checkpoint>;

/// The requested parts of a frame: bits, whose meaning depends on the simulation.
using Wanted = std::uint32_t;
inline constexpr Wanted everything = ~Wanted{0};

using ParameterValues = std::map<std::string, parameters::Value>;  ///< values by key

/// A state that advances step by step. Not thread-safe: a Runner has one of its own thread for it. The steps
/// that follow from a state and the parameters are bit-identical, however often they are computed and on
/// however many threads.
class Simulation {
 public:
  virtual ~Simulation() = default;

  /// Number of steps since the start; negative before it.
  virtual std::int64_t step() const = 0;
  virtual double time() const = 0;
  /// Whether advance() accepts negative numbers.
  virtual bool reversible() const = 0;

  /// Advances by a number of steps; a negative number runs time backwards. After Cancelled the state is that
  /// after a whole step; after any other exception it is undefined until restore().
  virtual void advance(std::int64_t steps, const jobs::Progress& progress = {}) = 0;
  /// A frame of the present state with at least the requested parts. Throws the same exceptions as advance().
  virtual FramePointer snapshot(Wanted what, const jobs::Progress& progress = {}) = 0;

  virtual CheckpointPointer checkpoint() const = 0;
  /// Restores a checkpoint of this simulation, or of one related to it by branch().
  virtual void restore(const Checkpoint& checkpoint) = 0;
  /// An independent simulation in the same state.
  virtual std::unique_ptr<Simulation> branch() const = 0;

  /// Parameters that may be changed between steps.
  virtual const parameters::ParameterSet& parameters() const = 0;
  /// Throws Error and changes nothing where the value is not allowed.
  virtual void set_parameter(std::string_view key, const parameters::Value& value) = 0;
  /// Sets all of them, at once if they are only valid together. Throws Error if one of them is not allowed.
  virtual void set_parameters(const ParameterValues& values) {
    for (const auto& [key, value] : values) set_parameter(key, value);
  }

  /// For a recording, whose steps are read instead of computed: its last step. All steps are accessible at
  /// once, parameters act on all of them, and branch() computes on from a step. Empty: not a recording.
  virtual std::optional<std::int64_t> recorded_until() const { return std::nullopt; }
};

}  // namespace isolume::simulation
