#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "gpu/orbitals/kernel_job.h"
#include "gpu/orbitals/packed_layout.h"

namespace isolume::gpu {

/// Shells and coefficients of a FieldProblem in the format of the pointwise kernels (Stone et al., GPU
/// Computing Gems Emerald, chapter 1: norms folded into coefficients, one copy of a contraction however many
/// atoms have it, everything in loop order). Spherical functions are converted to monomials. Everything is
/// computed in double precision and rounded once.
struct PackedShells {
  std::vector<Word> words;
  PackedLayout layout;

  std::size_t shell_count = 0;        ///< sum over all atoms
  std::size_t primitive_count = 0;    ///< stored pairs of exponent and coefficient, without copies
  std::size_t monomial_count = 0;     ///< coefficients per column
  std::size_t exponential_count = 0;  ///< number of exponentials for a point, all atoms

  std::size_t bytes() const { return words.size() * sizeof(Word); }
};

/// With `tolerance` there are radii as well: what is left out beyond them sums to less than it in every
/// amplitude; in a quadratic field the left-out amplitudes d_k satisfy sqrt(sum_k |w_k| d_k^2) <= tolerance.
///
/// Proof: RadialBound bounds a primitive's term (all shells of its group) with each monomial's coefficient
/// replaced by its norm over the columns (row_norms: the largest magnitude, or sqrt(sum_k |w_k| c_k^2)). The
/// primitive's radius is where that bound falls below its share of the tolerance, and the shares sum to the
/// tolerance; the triangle inequality in the norm does the rest. Shares go as exponent^(-3/2), as in
/// core/orbitals/separable_grid.h. Radii are rounded upwards.
///
/// Throws Error when shells, atoms and coefficients do not belong together.
PackedShells pack_shells(const FieldProblem& problem, int columns_per_pass,
                         std::optional<double> tolerance = {});

/// The number of columns per pass with the least cost for K columns: every pass repeats the exponentials, and
/// a partly filled one wastes columns.
int choose_columns_per_pass(Eigen::Index columns);

}  // namespace isolume::gpu
