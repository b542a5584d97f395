#pragma once

#include "core/nbody/bodies/cosmology.h"

namespace isolume::nbody {

/// Linear matter power spectrum today, for cold matter and baryons, without baryon acoustic oscillations: shape by
/// Eisenstein and Hu's formula (ApJ 496, 605 (1998), eqs. 26 and 28 to 31; microwave background at 2.7255 K).
class PowerSpectrum {
 public:
  struct Options {
    Cosmology cosmology = {};
    double omega_baryon = 0.049;    ///< part of the matter
    double sigma_8 = 0.81;          ///< root mean square of the density contrast in spheres of 8 Mpc/h
    double spectral_index = 0.965;  ///< n_s: of the primordial spectrum, k^n_s
  };
  /// Throws Error for invalid options.
  explicit PowerSpectrum(const Options& options);

  /// P(k) in (Mpc/h)^3, `k` in h/Mpc: the variance of the density contrast per volume of (k / 2 pi)-space.
  double operator()(double k) const;
  /// Root mean square of the density contrast in spheres of this radius, in Mpc/h.
  double sigma(double radius) const;
  /// Transfer function: 1 for the longest waves.
  double transfer(double k) const;

 private:
  Options options_;
  double sound_horizon_ = 0;  ///< Mpc
  double suppression_ = 0;    ///< alpha_Gamma
  double amplitude_ = 1;
};

}  // namespace isolume::nbody
