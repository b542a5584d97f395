#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "core/nbody/files/trajectory.h"
#include "core/nbody/runs/diagnostics_table.h"

namespace isolume::batch {

/// Which files a run writes, and of which moments.
struct RecordingOptions {
  std::string output, diagnostics;    ///< either may be empty
  std::optional<std::int64_t> steps;  ///< of the run
  std::int64_t every = 0;  ///< steps from one moment to the next; 0: about a hundred moments in all
  bool resume = false;     ///< the run that the files hold is continued

  /// Those that are not empty. Throws UsageError where there is none.
  std::vector<std::string> files() const;
  std::int64_t interval() const;
  /// Whether the force's error is measured at a recorded step: at the last one, and for a table at all of them, but in a
  /// box, where that takes longer than a step.
  bool measures_error(std::int64_t step, bool in_a_box) const {
    return step == *steps || (!diagnostics.empty() && !in_a_box);
  }
  /// Throws ResourceError where the trajectory of so many bodies does not fit on the disk.
  void require_space(std::size_t bodies) const;
};

/// The files that a run writes. Those of a run with a trajectory are partial files (PartialFile), complete up to the last
/// moment whenever the program ends.
class Recording {
 public:
  Recording(const RecordingOptions& options, const nbody::BodyLabels& labels, const std::vector<double>& mass,
            const std::string& made_by, const nbody::RunOptions& run);
  /// Of a run that is continued. `first`: of its first moment, `now`: of the step that it is continued from.
  Recording(const RecordingOptions& options, const nbody::Trajectory& continued, const nbody::RunPlan& plan,
            const std::optional<nbody::Units>& units, const nbody::Diagnostics& first,
            const nbody::Diagnostics& now);
  /// By what the forces are computed; of a trajectory, before its first moment.
  void set_computed_by(const std::string& who);
  void add(const nbody::Bodies& bodies, const nbody::TrajectoryWriter::Moment& moment,
           const nbody::Diagnostics& now, const std::optional<nbody::SampledErrors>& force_error);
  /// In parts: the labels of all bodies, and of each moment begin() and then all its bodies.
  Recording(const RecordingOptions& options, const nbody::BodyLabels& labels, std::uint64_t bodies,
            const std::string& made_by, const nbody::RunOptions& run);
  void begin(const nbody::TrajectoryWriter::Moment& moment, const nbody::Diagnostics& now,
             const std::optional<nbody::SampledErrors>& force_error);
  /// Where there is one.
  nbody::TrajectoryWriter* trajectory() { return trajectory_ ? &*trajectory_ : nullptr; }
  void finish();
  /// Now and then, so that little is lost when the program is killed between two moments.
  void keep(const nbody::NBodySimulation& simulation);
  /// Does what takes the run to its end. Where that ends early, the files are published as they are, and the exception
  /// says so: CancelledInPart, or Error. `simulation`: whose last step is kept, too.
  template <class Work>
  void during(const Work& work, const nbody::NBodySimulation* simulation = nullptr) {
    try {
      work();
    } catch (const Cancelled&) {
      const std::string kept = end_early(simulation);
      if (kept.empty()) throw;
      throw CancelledInPart(kept);
    } catch (const Error& error) {
      const std::string kept = end_early(simulation);
      if (kept.empty()) throw;
      throw Error(fmt::format("{} {}", error.what(), kept));
    }
  }
  double energy_error() const { return nbody::energy_error(last_, *first_); }
  const nbody::Diagnostics& last() const { return last_; }
  /// Of the last recorded moment.
  std::int64_t last_step() const { return last_step_; }
  /// Measured last.
  const nbody::SampledErrors& force_error() const { return force_error_; }

 private:
  Recording(const RecordingOptions& options, const std::optional<nbody::Diagnostics>& first)
      : options_(options), first_(first) {}
  void note(const nbody::TrajectoryWriter::Moment& moment, const nbody::Diagnostics& now,
            const std::optional<nbody::SampledErrors>& force_error);
  /// What is kept, and how the run is continued; empty where nothing is.
  std::string end_early(const nbody::NBodySimulation* simulation);

  RecordingOptions options_;
  std::optional<nbody::TrajectoryWriter> trajectory_;
  std::optional<nbody::DiagnosticsTable> table_;
  std::optional<nbody::Diagnostics> first_;
  nbody::Diagnostics last_;
  std::int64_t last_step_ = 0;  ///< of a line of the table
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
  double writing_ = 0;  ///< seconds, of the last keep()
  nbody::SampledErrors force_error_;
};

}  // namespace isolume::batch
