#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/orbitals/product_kernels.h"
#include "gpu/orbitals/kernel_job.h"
#include "gpu/orbitals/make_reach.h"
#include "gpu/orbitals/products/product_kernels.h"

namespace isolume::gpu {

/// Products of primitives in the format of their kernels, in host memory.
struct ProductLayout {
  struct Level {
    GridAxes axes;
    std::array<orbitals::products::Stencil, 3> stencils;  ///< none for the field's own grid
    std::vector<TermReach> reach;
    std::vector<products::Product> products;
    std::vector<Chunk> chunks;
    std::vector<float> coefficients;

    std::size_t points() const;
  };
  std::vector<Level> levels;             ///< the first is the field's own grid
  bool never_negative = false;           ///< no weight is
  std::vector<double> layer_operations;  ///< of the field's products, for each layer of tiles
  double plane_operations = 0;           ///< of the interpolation of one plane

  /// Values between two passes of the interpolation of one plane.
  std::size_t values_along_z() const;  ///< after the first pass
  std::size_t values_along_y() const;  ///< after the second
};

/// Throws Error for amplitudes, scattered points, grids that are not axis-aligned, a screening of 0, and as
/// check_problem(); Cancelled.
ProductLayout lay_out_products(const FieldProblem& problem, const jobs::Progress& progress);

}  // namespace isolume::gpu
