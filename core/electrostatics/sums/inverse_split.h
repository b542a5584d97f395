#pragma once

#include <functional>

#include "core/electrostatics/sums/options.h"

namespace isolume::electrostatics {

/// Polynomial approximation of a smooth function of u in [-1, 1] to within `tolerance` of its largest value, by
/// interpolation at Chebyshev points.
RadialPolynomial radial_polynomial(const std::function<double(double)>& of, double tolerance);

/// Splitting for multilevel summation: 1/r = (1/r - g(r)) + g(r), where g is 1/r beyond the cut-off a, and within it
/// the truncated Taylor series of 1/sqrt(s) in s = r^2/a^2 about s = 1, over a. Skeel, Tezcan and Hardy, J. Comput.
/// Chem. 23, 673 (2002). With three terms, 1 - r g(r) is 1 - (r/a) (15/8 - 5/4 (r/a)^2 + 3/8 (r/a)^4); here six terms
/// are used, which allows coarser meshes.
PairTerms multilevel_terms(double cutoff_angstrom);
/// a g(r) at r = a `distance`.
double multilevel_smooth(double distance);

/// Ewald's splitting: 1/r = erfc(alpha r) / r + erf(alpha r) / r, with the alpha for which erfc(alpha r) has the
/// requested value at the cut-off.
struct EwaldSplit {
  double alpha = 0;  ///< 1/angstrom
  PairTerms terms = {};
};
EwaldSplit ewald_split(double cutoff_angstrom, double at_cutoff);
/// For pme.
EwaldSplit ewald_split_of(const PotentialOptions& options);

}  // namespace isolume::electrostatics
