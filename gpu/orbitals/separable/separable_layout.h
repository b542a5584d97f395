#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/orbitals/separable_terms.h"
#include "gpu/orbitals/kernel_job.h"
#include "gpu/orbitals/separable/separable_kernels.h"

namespace isolume::gpu {

/// A field on an axis-aligned lattice as the separable kernels want it, in host memory.
struct SeparableLayout {
  std::array<orbitals::LatticeAxis, 3> axes;
  std::vector<separable::TableJob> table_jobs;
  std::size_t table_size = 0;  ///< values of all tables together
  std::vector<separable::TermReach> reach;
  std::vector<separable::TermRows> rows;
  std::vector<separable::Chunk> chunks;
  std::vector<float> coefficients;
  std::vector<float> weights;
  bool quadratic = false;
  int columns = 0;
  int coefficient_rows = 0;
};

/// Without `with_columns`, coefficients are left to whoever makes them, and terms are chosen for them with
/// half of the screening (local_density.h). Throws Error for scattered points and lattices that are not axis-aligned, ResourceError for tables beyond
/// 2^31 values.
SeparableLayout lay_out_separable(const FieldProblem& problem, bool with_columns = true);

/// As KernelJob::flop.
double separable_flop(const SeparableLayout& layout, Slab slab);

}  // namespace isolume::gpu
