#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/jobs/progress.h"
#include "core/orbitals/field_problem.h"
#include "core/orbitals/product_kernels.h"
#include "core/orbitals/product_levels.h"

namespace isolume::orbitals {

/// Products of primitives (product_levels.h), summed on the CPU.
class ProductField {
 public:
  /// Whether that is faster for this problem than adding squares of columns, and its rounding as good.
  static bool worthwhile(const FieldProblem& problem);

  /// Computes what is summed on coarse grids. Throws Error as check_shapes() does, and Cancelled.
  ProductField(const FieldProblem& problem, int threads, const jobs::Progress& progress);

  int coarse_grids() const { return static_cast<int>(levels_.size()) - 1; }
  /// Pencils, ordered by blocks of `products::block_z` planes.
  int piece_count() const { return pencils_y_ * pencils_z_; }
  int pieces_per_block() const { return pencils_y_; }
  /// Operations for the coarse grids, two per multiply-add; those of pieces are in their scratch memory.
  double preparing_operations() const { return preparing_operations_; }

  void density(int piece, float* field, products::Scratch& scratch, const jobs::Progress& progress) const;

 private:
  struct Level : ProductLevel {
    explicit Level(ProductLevel made);
    int pencils_y, pencils_z;
    std::vector<std::uint32_t> starts, chosen;  ///< of each pencil, the products that extend into it
    AlignedFloats values;
  };

  static void list(Level& level);
  void sum_coarse(Level& level, const jobs::Progress& progress);
  static void clear(const Level& level, products::Scratch& scratch);
  static void sum(const Level& level, int pencil, products::Scratch& scratch);

  void finish(int pencil, products::Scratch& scratch, float* field) const;

  std::array<GridAxis, 3> axes_;
  int pencils_y_ = 0, pencils_z_ = 0;
  bool never_negative_ = false;
  double preparing_operations_ = 0;
  std::vector<Level> levels_;  ///< the first is the field's own grid
};

}  // namespace isolume::orbitals
