#pragma once

#include <cstdint>
#include <optional>

#include "core/nbody/diagnostics.h"
#include "core/nbody/run_options.h"

namespace isolume::nbody {

/// Whether the same energy is conserved: softening is a part of the Hamiltonian, and so are bodies.
inline bool have_one_energy(const RunOptions& one, const RunOptions& other) {
  return one.softening == other.softening && one.softening_kind == other.softening_kind &&
         one.added == other.added;
}

/// What energies of moments, which come one after the other, are compared with: the first one of those that conserve the
/// same energy.
class EnergyReference {
 public:
  /// True where the comparison begins anew, as softening or the bodies have changed, or at the first moment.
  bool take(std::int64_t step, const Diagnostics& now, const RunOptions& options) {
    if (reference_ && have_one_energy(options_, options)) return false;
    reference_ = now;
    options_ = options;
    step_ = step;
    return true;
  }
  void clear() { reference_.reset(); }
  /// The moment that is compared with.
  std::int64_t step() const { return step_; }
  double error(const Diagnostics& now) const { return reference_ ? energy_error(now, *reference_) : 0; }

 private:
  std::optional<Diagnostics> reference_;
  RunOptions options_;
  std::int64_t step_ = 0;
};

}  // namespace isolume::nbody
