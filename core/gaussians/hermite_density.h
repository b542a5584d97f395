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
  double exponent = 0;    ///< bohr^-2
  int order = 0;          ///< at most max_order
  std::size_t first = 0;  ///< of h in HermiteDensity::coefficients, in the order of triple_index(order)
  int atoms[2] = {0, 0};  ///< whose functions' products these are, the first not behind the second
};

/// A density in e/bohr^3 as a sum over pairs of primitive groups: all primitives of an atom that share an exponent.
struct HermiteDensity {
  std::vector<HermiteGaussian> gaussians;
  std::vector<double> coefficients;
  double left_out = 0;  ///< the potentials of pairs that were left out sum to less than this, in Eh/e

  /// The integral: electrons, where the density is one of electrons.
  double integral() const;
  /// Of the place (bohr) times the density.
  Eigen::Vector3d first_moment() const;
};

/// sum_k weights[k] psi_k(r)^2 with psi_k = sum_mu coefficients(mu, k) chi_mu. Products of primitives are expanded by the
/// recursions of McMurchie and Davidson, J. Comput. Phys. 26, 218 (1978), and contracted with the density matrix here, once.
/// Pairs are left out as long as their potentials sum to less than `tolerance` (Eh/e) everywhere; 0 keeps all of them but those
/// that are 0.
///
/// Throws Error where the shapes do not match, ResourceError, Cancelled.
HermiteDensity hermite_density(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                               const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                               double tolerance, const jobs::Progress& progress = {});

/// The same for one set of a wavefunction's orbitals with their occupations, spins together.
HermiteDensity electron_density(const molecules::Wavefunction& wavefunction, const molecules::OrbitalSet& set,
                                double tolerance, const jobs::Progress& progress = {});

/// The largest magnitude that the potential of a derivative of this order of exp(-exponent r^2) can have:
/// exponent-> (pi/p)^(3/2) (4p)^((n+1)/2) Gamma((n+1)/2) / pi, the integral of its Fourier transform's magnitude.
double largest_potential(double exponent, int order);

}  // namespace isolume::gaussians
