#pragma once

#include <array>
#include <complex>
#include <vector>

#include "core/jobs/progress.h"
#include "core/nbody/bodies/bodies.h"
#include "core/nbody/forces/exact_force.h"

namespace isolume::nbody {

/// Gravity of bodies and all their images in a periodic cube, against a uniform background that compensates the mean
/// density: by Ewald's sum in double precision, relative errors around a millionth or less. The reference for other
/// solvers.
///
/// Softening is Plummer's, for the nearest image. The potential has a mean of 0 over the cube; a body feels its own
/// images, and not itself.
class PeriodicGravity {
 public:
  /// Time grows linearly with the number of bodies, for the construction and for each force. Runs on the threads of
  /// TBB's arena; the result does not depend on their number. Keeps a reference to the bodies.
  PeriodicGravity(const Bodies& bodies, double period, double softening, const jobs::Progress& progress = {});
  PeriodicGravity(Bodies&&, double, double, const jobs::Progress& = {}) = delete;

  ExactForce on(std::size_t body) const;

 private:
  struct Mode {
    std::array<int, 3> number;
    double
        weight;  ///< 2 x 4 pi / V x exp(-k^2 / 4 alpha^2) / k^2: one of each pair of opposite modes is stored
    std::complex<double> amplitude = 0;  ///< sum of m exp(i k x)
  };

  const Bodies& bodies_;
  double period_, softening_, alpha_, mass_ = 0;
  std::vector<Mode> modes_;
};

}  // namespace isolume::nbody
