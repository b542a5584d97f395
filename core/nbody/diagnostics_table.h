#pragma once

#include <filesystem>
#include <optional>

#include "core/base/atomic_file.h"
#include "core/nbody/nbody_simulation.h"

namespace isolume::nbody {

/// A table, comma-separated, of diagnostics: a line for each frame, all digits. `energy_error` is the change of
/// the energy since the first line, relative to it.
class DiagnosticsTable {
 public:
  /// Throws Error where the file cannot be written.
  explicit DiagnosticsTable(const std::filesystem::path& path);
  /// Of a frame that has them.
  void add(const NBodyFrame& frame) { add(frame.step, frame.time, frame.diagnostics.value()); }
  void add(std::int64_t step, double time, const Diagnostics& now);
  /// The file appears now. Throws Error where the disk is full.
  void finish() { file_.commit(); }
  /// Of the last line.
  double energy_error() const { return energy_error_; }

 private:
  AtomicFile file_;
  std::optional<double> first_energy_;
  double energy_error_ = 0;
};

/// 0 where there was no energy.
double energy_error(double energy, double first_energy);

}  // namespace isolume::nbody
