#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/orbitals/separable_terms.h"
#include "gpu/orbitals/kernel_job.h"
#include "gpu/orbitals/separable/separable_kernels.h"

namespace isolume::gpu {

/// A field on an axis-aligned grid in the format of the separable kernels, in host memory.
struct SeparableLayout {
  std::array<orbitals::GridAxis, 3> axes;
  std::vector<separable::TableJob> table_jobs;
  std::size_t table_size = 0;  ///< number of values of all tables
  std::vector<TermReach> reach;
  std::vector<separable::TermRows> rows;
  std::vector<Chunk> chunks;
  std::vector<float> coefficients;
  std::vector<float> weights;
  bool quadratic = false;
  int columns = 0;
  int coefficient_rows = 0;
};

/// Without `with_columns`, the caller sets the coefficients, and terms are chosen with half of the screening
/// tolerance (local_density.h). Throws Error for scattered points and grids that are not axis-aligned,
/// ResourceError for tables beyond 2^31 values.
SeparableLayout lay_out_separable(const FieldProblem& problem, bool with_columns = true);

/// See KernelJob::flop.
double separable_flop(const SeparableLayout& layout, Slab slab);

}  // namespace isolume::gpu
