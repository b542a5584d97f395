#pragma once

#include <cstdint>

#include "core/nbody/bodies/diagnostics.h"
#include "core/nbody/distributed/forces_on_ranks.h"
#include "core/nbody/engines/run_options.h"
#include "core/nbody/forces/kept_error.h"

namespace isolume::nbody {

/// Throws Error for options that are not supported on several ranks, and as check(RunOptions) does.
void check_on_ranks(const RunOptions& options);

/// Time spent in steps on one rank, in seconds.
struct SecondsOnRank {
  ForceSeconds forces = {};  ///< `tree` includes the exchange of trees and waiting for other ranks
  double division = 0;       ///< of the bodies among the ranks
  double integration = 0;
};

/// A simulation of the bodies of all ranks, like NBodySimulation on one rank, by leapfrog with global steps.
/// Functions are collective: see Ranks. After an exception the state is undefined.
class SimulationOnRanks {
 public:
  /// At least one rank must have bodies.
  SimulationOnRanks(const Ranks& ranks, OwnBodies own, RunOptions options, double time,
                    const jobs::Progress& progress = {});

  std::int64_t step() const { return step_; }
  double time() const { return start_ + static_cast<double>(step_) * options_.dt; }
  const RunOptions& options() const { return options_; }
  /// Advances by one step.
  void advance(const jobs::Progress& progress = {});

  const OwnBodies& own() const { return own_; }
  const Forces& forces() const { return forces_; }  ///< on this rank's bodies, at the present step
  /// Whether forces kept the requested error at the start; see NBodySimulation::kept_error.
  const KeptError& kept_error() const { return kept_error_; }
  /// Of all bodies, the same on every rank.
  Diagnostics diagnostics() const;
  /// Total of all steps so far.
  const SecondsOnRank& seconds() const { return seconds_; }

 private:
  void divide(const jobs::Progress& progress);
  void evaluate(const jobs::Progress& progress);
  void take(Forces forces);

  const Ranks& ranks_;
  RunOptions options_;
  OwnBodies own_;
  Forces forces_;
  KeptError kept_error_;
  double start_ = 0;
  std::int64_t step_ = 0;
  SecondsOnRank seconds_;
};

}  // namespace isolume::nbody
