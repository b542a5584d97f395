#pragma once

#include <array>
#include <complex>
#include <vector>

#include "core/jobs/progress.h"
#include "core/nbody/bodies.h"
#include "core/nbody/exact_force.h"

namespace isolume::nbody {

/// Gravity of bodies and all their images in a periodic cube, against an even background that takes the mean density
/// away: by Ewald's sum in double precision, relative errors around a millionth or less. What others are measured by.
///
/// Softening is Plummer's, of the nearest image. The potential has a mean of 0 over the cube; a body feels its own
/// images, and not itself.
class PeriodicGravity {
 public:
  /// Time grows with bodies; each force with bodies again. On the threads of TBB's arena, the same on any number of them.
  /// Refers to the bodies.
  PeriodicGravity(const Bodies& bodies, double period, double softening, const jobs::Progress& progress = {});
  PeriodicGravity(Bodies&&, double, double, const jobs::Progress& = {}) = delete;

  ExactForce on(std::size_t body) const;

 private:
  struct Mode {
    std::array<int, 3> number;
    double
        weight;  ///< 2 x 4 pi / V x exp(-k^2 / 4 alpha^2) / k^2: modes stand for themselves and their opposites
    std::complex<double> amplitude = 0;  ///< sum of m exp(i k x)
  };

  const Bodies& bodies_;
  double period_, softening_, alpha_, mass_ = 0;
  std::vector<Mode> modes_;
};

}  // namespace isolume::nbody
