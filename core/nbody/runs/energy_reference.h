#pragma once

#include <cstdint>
#include <optional>

#include "core/nbody/bodies/diagnostics.h"
#include "core/nbody/engines/run_options.h"

namespace isolume::nbody {

/// Whether both conserve the same energy: softening and added bodies change the Hamiltonian.
inline bool have_one_energy(const RunOptions& one, const RunOptions& other) {
  return one.softening == other.softening && one.softening_kind == other.softening_kind &&
         one.added == other.added;
}

/// Reference for the energy drift of successive frames: the first frame that conserves the same energy.
class EnergyReference {
 public:
  /// Returns true where the comparison restarts: at the first frame, or after softening or bodies have changed.
  bool take(std::int64_t step, const Diagnostics& now, const RunOptions& options) {
    if (reference_ && have_one_energy(options_, options)) return false;
    reference_ = now;
    options_ = options;
    step_ = step;
    return true;
  }
  void clear() { reference_.reset(); }
  /// Step of the reference frame.
  std::int64_t step() const { return step_; }
  double error(const Diagnostics& now) const { return reference_ ? energy_error(now, *reference_) : 0; }

 private:
  std::optional<Diagnostics> reference_;
  RunOptions options_;
  std::int64_t step_ = 0;
};

}  // namespace isolume::nbody
