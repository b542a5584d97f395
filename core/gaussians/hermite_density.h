#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "core/gaussians/triple_index.h"
#include "core/jobs/progress.h"
#include "core/molecules/wavefunction.h"

namespace isolume::gaussians {

/// A sum of derivatives of one Gaussian by its centre P,
///   sum_tuv h_tuv (d/dPx)^t (d/dPy)^u (d/dPz)^v exp(-exponent |r - P|^2),   t + u + v <= order.
struct HermiteGaussian {
  Eigen::Vector3d centre_bohr;
  double exponent = 0;  ///< bohr^-2
  int order = 0;        ///< at most max_order
  /// position of h in HermiteDensity::coefficients, in the order of triple_index(order)
  std::size_t first = 0;
  int atoms[2] = {0, 0};  ///< the atoms of the two functions, in increasing order
};

/// A density in e/bohr^3 as a sum over pairs of primitive groups. A group holds all primitives of an atom
/// that share an exponent.
struct HermiteDensity {
  std::vector<HermiteGaussian> gaussians;
  std::vector<double> coefficients;
  double left_out = 0;  ///< upper bound of the sum of the potentials of neglected pairs, in Eh/e

  /// The integral; for a density of electrons, their number.
  double integral() const;
  /// The integral of the position (bohr) times the density.
  Eigen::Vector3d first_moment() const;
};

/// The density sum_k weights[k] psi_k(r)^2 with psi_k = sum_mu coefficients(mu, k) chi_mu. Products of
/// primitives are expanded by the recursions of McMurchie and Davidson, J. Comput. Phys. 26, 218 (1978), and
/// contracted with the density matrix here, once. Pairs are neglected as long as their potentials sum to less
/// than `tolerance` (Eh/e) everywhere; with 0 only pairs that vanish are neglected.
///
/// Throws Error if the shapes do not match, ResourceError, Cancelled.
HermiteDensity hermite_density(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                               const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                               double tolerance, const jobs::Progress& progress = {});

/// The same for one set of a wavefunction's orbitals with their occupations; both spins are added.
HermiteDensity electron_density(const molecules::Wavefunction& wavefunction, const molecules::OrbitalSet& set,
                                double tolerance, const jobs::Progress& progress = {});

/// The largest possible magnitude of the potential of a derivative of this order of exp(-exponent r^2):
/// (pi/p)^(3/2) (4p)^((n+1)/2) Gamma((n+1)/2) / pi for the exponent p, the integral of the magnitude of its
/// Fourier transform.
double largest_potential(double exponent, int order);

}  // namespace isolume::gaussians
