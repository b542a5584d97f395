#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/nbody/diagnostics_table.h"
#include "core/nbody/trajectory.h"

namespace isolume::batch {

/// Which files a run writes, and of which moments.
struct RecordingOptions {
  std::string output, diagnostics;    ///< either may be empty
  std::optional<std::int64_t> steps;  ///< of the run
  std::int64_t every = 0;  ///< steps from one moment to the next; 0: about a hundred moments in all

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

/// The files that a run writes.
class Recording {
 public:
  Recording(const RecordingOptions& options, const nbody::BodyLabels& labels, const std::vector<double>& mass,
            const std::string& made_by);
  void add(const nbody::Bodies& bodies, std::int64_t step, double time, const nbody::RunOptions& options,
           const nbody::Diagnostics& now, const std::optional<nbody::SampledErrors>& force_error);
  /// In parts: the labels of all bodies, and of each moment begin() and then all its bodies.
  Recording(const RecordingOptions& options, const nbody::BodyLabels& labels, std::uint64_t bodies,
            const std::string& made_by);
  void begin(std::int64_t step, double time, const nbody::RunOptions& options, const nbody::Diagnostics& now,
             const std::optional<nbody::SampledErrors>& force_error);
  /// Where there is one.
  nbody::TrajectoryWriter* trajectory() { return trajectory_ ? &*trajectory_ : nullptr; }
  void finish();
  double energy_error() const { return nbody::energy_error(last_, *first_); }
  const nbody::Diagnostics& last() const { return last_; }
  /// Measured last.
  const nbody::SampledErrors& force_error() const { return force_error_; }

 private:
  void note(std::int64_t step, double time, const nbody::RunOptions& options, const nbody::Diagnostics& now,
            const std::optional<nbody::SampledErrors>& force_error);

  std::optional<nbody::TrajectoryWriter> trajectory_;
  std::optional<nbody::DiagnosticsTable> table_;
  std::optional<nbody::Diagnostics> first_;
  nbody::Diagnostics last_;
  nbody::SampledErrors force_error_;
};

}  // namespace isolume::batch
