#pragma once

#include <array>
#include <vector>

#include "core/jobs/progress.h"
#include "core/orbitals/field_problem.h"
#include "core/orbitals/product_kernels.h"

/// Quadratic fields on axis-aligned grids as sums of products of Gaussians, as in J. VandeVondele et al., Comput.
/// Phys. Commun. 167, 103 (2005): the work depends on the number of overlapping primitives, not on that of orbitals.
/// Smooth products are collocated on coarse grids. A Gaussian with exponent p is the convolution of a sharper one,
/// exponent r, with one of exponent q > p, where 1/p = 1/q + 1/r, and so is a polynomial times it. The sharper ones are
/// summed at points of spacing m h; the convolution over these points, as a sum, gives the fine grid. Its relative
/// error is that of the trapezoidal rule, exp(-pi^2 / ((q + r) (m h)^2)), and all of its weights are positive.
///
/// Screening: each product has a radius beyond which its bound stays below e_t. The sum of all e_t is a hundredth of
/// EngineOptions::screening in the field's unit, and limits the error anywhere; that of convolutions is below 1e-9 of
/// the smooth products' sum of magnitudes. Rounding to float is additional, relative to the same sum.
namespace isolume::orbitals {

/// Products that are summed on one grid.
struct ProductLevel {
  int over = 1, under = 1;  ///< its spacing is over / under times that of the field
  double kernel = 0;        ///< exponent q; 0: not interpolated
  std::array<GridAxis, 3> axes;
  std::array<products::Stencil, 3> stencils;  ///< of the field's points; none if not interpolated
  std::vector<products::Product> products;
  std::vector<float> coefficients;
  double factor() const { return static_cast<double>(over) / under; }
};

/// The grids on which a quadratic field's products are summed, from fine to coarse; the first is the field's own.
/// Coarse grids reach to the taps of all points of whole pencils (product_kernels.h). Runs on the threads of the
/// current arena. Throws Error as check_shapes() does, and Cancelled.
std::vector<ProductLevel> product_levels(const FieldProblem& problem, const jobs::Progress& progress);

}  // namespace isolume::orbitals
