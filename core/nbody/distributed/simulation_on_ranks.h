#pragma once

#include <cstdint>

#include "core/nbody/diagnostics.h"
#include "core/nbody/distributed/forces_on_ranks.h"
#include "core/nbody/kept_error.h"
#include "core/nbody/run_options.h"

namespace isolume::nbody {

/// Throws Error for options that several ranks do not offer, and what check(RunOptions) does.
void check_on_ranks(const RunOptions& options);

/// Where the time of steps went, on one rank, in seconds.
struct SecondsOnRank {
  ForceSeconds forces = {};  ///< `tree`: with the exchange of trees, and waiting for the others
  double division = 0;       ///< of the bodies among the ranks
  double integration = 0;
};

/// Bodies of all ranks that attract each other, as NBodySimulation has them on one, by leapfrog with global steps. Ranks
/// go together: see Ranks. Where a function throws, nothing is known of the state.
class SimulationOnRanks {
 public:
  /// At least one body on one of the ranks.
  SimulationOnRanks(const Ranks& ranks, OwnBodies own, RunOptions options, double time,
                    const jobs::Progress& progress = {});

  std::int64_t step() const { return step_; }
  double time() const { return start_ + static_cast<double>(step_) * options_.dt; }
  const RunOptions& options() const { return options_; }
  /// By one step.
  void advance(const jobs::Progress& progress = {});

  const OwnBodies& own() const { return own_; }
  const Forces& forces() const { return forces_; }  ///< on them, as they are
  /// Whether forces kept the error that the options ask for at the start; see NBodySimulation::kept_error.
  const KeptError& kept_error() const { return kept_error_; }
  /// Of all bodies, on every rank.
  Diagnostics diagnostics() const;
  /// Of all steps until now.
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
