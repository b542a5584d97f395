#pragma once

#include <filesystem>
#include <fstream>
#include <optional>

#include "core/base/atomic_file.h"
#include "core/base/partial_file.h"
#include "core/nbody/diagnostics.h"
#include "core/nbody/energy_reference.h"
#include "core/nbody/nbody_simulation.h"
#include "core/nbody/sampled_error.h"

namespace isolume::nbody {

/// A table, comma-separated, of diagnostics: a line for each frame, all digits. `energy_error` is that of
/// nbody::energy_error since the first line, or the first one after a change of softening. Where bodies collide at the first line, or set_collides() says so, it also has the
/// number of collisions and the energy that was lost in them. Of a comoving box it has the scale factor and the redshift in the place of
/// the time, the energy that was lost to the expansion, and nothing that is about a centre. The last three columns are
/// relative errors of the force that 50, 90 and 99 of 100 bodies stay below, empty where they were not measured.
class DiagnosticsTable {
 public:
  /// Throws Error where the file cannot be written.
  explicit DiagnosticsTable(const std::filesystem::path& path);
  /// As a PartialFile, in which each line is there as soon as it has been added.
  DiagnosticsTable(const std::filesystem::path& path, PartialFile::Start start);
  /// Goes on behind the line of a step of a run whose first moment was `first`; lines of later steps are dropped. Throws
  /// Error where there is no such line.
  DiagnosticsTable(const std::filesystem::path& path, std::int64_t step, const Diagnostics& first,
                   const RunOptions& options);
  /// A partial file without a line is removed.
  ~DiagnosticsTable();
  DiagnosticsTable(const DiagnosticsTable&) = delete;
  DiagnosticsTable& operator=(const DiagnosticsTable&) = delete;
  /// Of the numbers, named in a comment before the heading; before the first line.
  void set_units(const std::optional<Units>& units) { units_ = units; }
  /// That bodies collide at later lines, if not at the first; before it.
  void set_collides() { collides_ = true; }
  /// Of a frame that has them.
  void add(const NBodyFrame& frame) {
    add(frame.step, frame.time, frame.options, frame.diagnostics.value(), frame.force_error);
  }
  void add(std::int64_t step, double time, const RunOptions& options, const Diagnostics& now,
           const std::optional<SampledErrors>& force_error);
  /// The file appears now. Throws Error where the disk is full.
  void finish();
  /// Without it: a partial file is removed when this goes.
  void discard() { empty_ = true; }

 private:
  std::filesystem::path path_;
  std::optional<AtomicFile> atomic_;
  std::optional<PartialFile> partial_;
  std::ofstream lines_;  ///< of the partial file
  EnergyReference energy_;
  std::optional<Units> units_;
  bool empty_ = true;
  bool collides_ = false;  ///< the table has the columns of collisions
};

}  // namespace isolume::nbody
