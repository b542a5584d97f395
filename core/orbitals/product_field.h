#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/jobs/progress.h"
#include "core/orbitals/field_problem.h"
#include "core/orbitals/gaussian_products.h"
#include "core/orbitals/product_kernels.h"

/// Quadratic fields on axis-aligned lattices as sums of products of Gaussians, as in J. VandeVondele et al., Comput.
/// Phys. Commun. 167, 103 (2005): the work depends on the number of overlapping primitives, not on that of orbitals.
/// Smooth products are collocated on coarse lattices. A Gaussian with exponent p is the convolution of a sharper one,
/// exponent r, with one of exponent q > p, where 1/p = 1/q + 1/r, and so is a polynomial times it. The sharper ones are
/// summed at points of spacing m h; the convolution over these points, as a sum, gives the fine lattice. Its relative
/// error is that of the trapezoidal rule, exp(-pi^2 / ((q + r) (m h)^2)), and all of its weights are positive.
///
/// Screening: each product has a radius beyond which its bound stays below e_t. The sum of all e_t is a hundredth of
/// EngineOptions::screening in the field's unit, and limits the error anywhere; that of convolutions is below 1e-9 of
/// the smooth products' sum of magnitudes. Rounding to float is additional, relative to the same sum.
namespace isolume::orbitals {

class ProductField {
 public:
  /// Whether that is faster for this problem than adding squares of columns, and its rounding as good.
  static bool worthwhile(const FieldProblem& problem);

  /// Computes what is summed on coarse lattices. Throws Error as check_shapes() does, and Cancelled.
  ProductField(const FieldProblem& problem, int threads, const jobs::Progress& progress);

  int coarse_lattices() const { return static_cast<int>(levels_.size()) - 1; }
  /// Pencils, ordered by blocks of `products::block_z` planes.
  int piece_count() const { return pencils_y_ * pencils_z_; }
  int pieces_per_block() const { return pencils_y_; }
  /// Operations for the coarse lattices, two per multiply-add; those of pieces are in their scratch memory.
  double preparing_operations() const { return preparing_operations_; }

  void density(int piece, float* field, products::Scratch& scratch, const jobs::Progress& progress) const;

 private:
  /// Products that are summed on one lattice.
  struct Level {
    int over = 1, under = 1;  ///< its spacing is over / under times that of the field
    double kernel = 0;        ///< exponent q; 0: not interpolated
    std::array<LatticeAxis, 3> axes;
    double factor() const { return static_cast<double>(over) / under; }
    int pencils_y = 0, pencils_z = 0;
    std::vector<products::Product> products;
    std::vector<float> coefficients;
    std::vector<std::uint32_t> starts, chosen;  ///< of each pencil, the products that extend into it
    std::array<products::Stencil, 3> stencils;
    AlignedFloats values;
  };

  void choose_levels(const std::vector<GaussianProducts>& all);
  Level make_level(int over, int under) const;
  void place(std::vector<GaussianProducts> all, double tolerance, const jobs::Progress& progress);
  static void list(Level& level);
  void sum_coarse(Level& level, const jobs::Progress& progress);
  double interpolation_operations(const Level& level) const;
  static void clear(const Level& level, products::Scratch& scratch);
  static void sum(const Level& level, int pencil, products::Scratch& scratch);

  void finish(int pencil, products::Scratch& scratch, float* field) const;

  std::array<LatticeAxis, 3> axes_;
  int pencils_y_ = 0, pencils_z_ = 0;
  bool never_negative_ = false;
  double preparing_operations_ = 0;
  std::vector<Level> levels_;  ///< the first is the field's own lattice
};

}  // namespace isolume::orbitals
