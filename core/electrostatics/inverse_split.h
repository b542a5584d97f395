#pragma once

#include <functional>

#include "core/electrostatics/options.h"

namespace isolume::electrostatics {

/// The polynomial that a smooth function of u in [-1, 1] is to within `tolerance` of its largest value, by Chebyshev's
/// points.
RadialPolynomial radial_polynomial(const std::function<double(double)>& of, double tolerance);

/// Multilevel summation's: 1/r = (1/r - g(r)) + g(r), where g is 1/r beyond the cut-off a, and within it the beginning of the
/// series of 1/sqrt(s) in s = r^2/a^2 about s = 1, over a. Skeel, Tezcan and Hardy, J. Comput. Chem. 23, 673 (2002).
/// With three terms, 1 - r g(r) is 1 - (r/a) (15/8 - 5/4 (r/a)^2 + 3/8 (r/a)^4); there are six here, whose lattices may be
/// coarser.
PairTerms multilevel_terms(double cutoff_angstrom);
/// a g(r) at r = a `distance`.
double multilevel_smooth(double distance);

/// Ewald's: 1/r = erfc(alpha r) / r + erf(alpha r) / r, with the alpha that makes erfc(alpha r) what is asked for at the
/// cut-off.
struct EwaldSplit {
  double alpha = 0;  ///< 1/angstrom
  PairTerms terms = {};
};
EwaldSplit ewald_split(double cutoff_angstrom, double at_cutoff);
/// For pme.
EwaldSplit ewald_split_of(const PotentialOptions& options);

}  // namespace isolume::electrostatics
