#pragma once

#include <filesystem>
#include <fstream>
#include <optional>

#include "core/base/atomic_file.h"
#include "core/base/partial_file.h"
#include "core/nbody/bodies/diagnostics.h"
#include "core/nbody/forces/sampled_error.h"
#include "core/nbody/runs/energy_reference.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::nbody {

/// A comma-separated table of diagnostics: a line for each frame, all digits. `energy_error` is that of
/// nbody::energy_error since the first line, or since the first one after a change of softening. Where bodies may
/// collide at the first line, or after set_collides(), it also has the number of collisions, the kinetic energy
/// lost and the change of the potential energy in them. For a comoving box it has the scale factor and the redshift instead of the time, the energy lost to the
/// expansion, and no quantities about a centre. The last three columns are relative force errors (median, 90th and
/// 99th percentiles), empty where they were not measured.
class DiagnosticsTable {
 public:
  /// Throws Error where the file cannot be written.
  explicit DiagnosticsTable(const std::filesystem::path& path);
  /// Writes to a PartialFile, in which each line is available as soon as it has been added.
  DiagnosticsTable(const std::filesystem::path& path, PartialFile::Start start);
  /// Continues after the line of a step of a run whose first frame was `first`; lines of later steps are dropped.
  /// Throws Error where there is no such line, or where the lines are in other units.
  DiagnosticsTable(const std::filesystem::path& path, std::int64_t step, const Diagnostics& first,
                   const RunOptions& options, const std::optional<Units>& units);
  /// Removes a partial file without lines.
  ~DiagnosticsTable();
  DiagnosticsTable(const DiagnosticsTable&) = delete;
  DiagnosticsTable& operator=(const DiagnosticsTable&) = delete;
  /// Units in which the numbers are written (in_units), named in a comment before the heading. Call before the first
  /// line.
  void set_units(const std::optional<Units>& units) { units_ = units; }
  /// Declares that bodies may collide at later lines, if not at the first. Call before the first line.
  void set_collides() { collides_ = true; }
  /// Requires a frame with diagnostics.
  void add(const NBodyFrame& frame) {
    add(frame.step, frame.time, frame.options, frame.diagnostics.value(), frame.force_error);
  }
  /// `energy_error`: nothing where it is to be that since an earlier line, see above.
  void add(std::int64_t step, double time, const RunOptions& options, const Diagnostics& now,
           const std::optional<SampledErrors>& force_error,
           const std::optional<double>& energy_error = std::nullopt);
  /// Publishes the file. Throws Error where the disk is full.
  void finish();
  /// Discards the file: the destructor removes a partial file.
  void discard() { empty_ = true; }

 private:
  std::filesystem::path path_;
  std::optional<AtomicFile> atomic_;
  std::optional<PartialFile> partial_;
  std::ofstream lines_;  ///< of the partial file
  EnergyReference energy_;
  std::optional<Units> units_;
  bool empty_ = true;
  bool collides_ = false;  ///< the table has the columns for collisions
};

}  // namespace isolume::nbody
