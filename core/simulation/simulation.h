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

/// What is drawn or written of one moment; never changes once it is made, so that every thread may read it. Numbers may
/// lie on a device until somebody reads them.
/// Simulations derive their own.
class Frame {
 public:
  virtual ~Frame() = default;
  virtual std::size_t bytes() const = 0;
  /// False once numbers of it are lost, with the device that they were on: it is made again then.
  virtual bool readable() const { return true; }

  std::int64_t step = 0;
  double time = 0;  ///< in the simulation's unit
};
using FramePointer = std::shared_ptr<const Frame>;

/// All that a simulation needs to go on from a moment, bit for bit, with the parameters that it had then.
/// Never changes once it is made.
class Checkpoint {
 public:
  virtual ~Checkpoint() = default;
  virtual std::size_t bytes() const = 0;
};
using CheckpointPointer = std::shared_ptr<const Checkpoint>;

/// The parts of a frame that somebody needs: bits, whose meaning is the simulation's.
using Wanted = std::uint32_t;
inline constexpr Wanted everything = ~Wanted{0};

using ParameterValues = std::map<std::string, parameters::Value>;  ///< by their keys

/// State that advances step by step. Not for several threads at once: a Runner has one of its own for it. What
/// follows from a state and the parameters is the same, bit for bit, however often it is computed and on
/// however many threads.
class Simulation {
 public:
  virtual ~Simulation() = default;

  /// Steps from the start; below 0 before it.
  virtual std::int64_t step() const = 0;
  virtual double time() const = 0;
  /// Whether advance() takes negative numbers.
  virtual bool reversible() const = 0;

  /// By so many steps; a negative number runs time backwards. After Cancelled the state is that after some whole
  /// step; after any other exception nothing is known of it until restore().
  virtual void advance(std::int64_t steps, const jobs::Progress& progress = {}) = 0;
  /// At least what is wanted, of the state as it is. Same exceptions as advance().
  virtual FramePointer snapshot(Wanted what, const jobs::Progress& progress = {}) = 0;

  virtual CheckpointPointer checkpoint() const = 0;
  /// Of this simulation or of one that it was branched from or that was branched from it.
  virtual void restore(const Checkpoint& checkpoint) = 0;
  /// Another simulation in the same state, which goes its own way.
  virtual std::unique_ptr<Simulation> branch() const = 0;

  /// Those that may be changed between steps.
  virtual const parameters::ParameterSet& parameters() const = 0;
  /// Throws Error and changes nothing where the value is not allowed.
  virtual void set_parameter(std::string_view key, const parameters::Value& value) = 0;
  /// All of them, at once where they go together only so. Throws Error where one of them is not allowed.
  virtual void set_parameters(const ParameterValues& values) {
    for (const auto& [key, value] : values) set_parameter(key, value);
  }

  /// Of a recording that is shown again, whose steps are read instead of computed: its last step. It reaches any of them
  /// at once, parameters act on all of them alike, and branch() is what computes on from there. Nothing: no recording.
  virtual std::optional<std::int64_t> recorded_until() const { return std::nullopt; }
};

}  // namespace isolume::simulation
