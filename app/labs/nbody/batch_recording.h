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
  /// Throws ResourceError where the trajectory of so many bodies does not fit on the disk.
  void require_space(std::size_t bodies) const;
};

/// The files that a run writes.
class Recording {
 public:
  Recording(const RecordingOptions& options, const nbody::BodyLabels& labels, const std::vector<double>& mass,
            const std::string& made_by);
  void add(const nbody::Bodies& bodies, std::int64_t step, double time, const nbody::RunOptions& options,
           const nbody::Diagnostics& now);
  void finish();
  double energy_error() const { return nbody::energy_error(last_, *first_); }
  const nbody::Diagnostics& last() const { return last_; }

 private:
  std::optional<nbody::TrajectoryWriter> trajectory_;
  std::optional<nbody::DiagnosticsTable> table_;
  std::optional<nbody::Diagnostics> first_;
  nbody::Diagnostics last_;
};

}  // namespace isolume::batch
