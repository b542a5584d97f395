#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/orbitals/kernel_job.h"

namespace isolume::gpu {

/// A kernel's job and why it was chosen.
struct KernelChoice {
  std::unique_ptr<KernelJob> job;
  std::string why;  ///< "the lattice is axis-aligned", "it was asked for"
};

/// `wanted`: "auto" or a kernel's name. `auto` takes `separable` on axis-aligned lattices; else
/// `range-limited` where screening spares it at least half of the operations; else `constant` where the
/// coefficients fit in constant memory, `cached` where not. (`generated` is never taken unasked: compiling
/// takes longer than most fields.) Throws Error for a name that is none, naming those there are, and where
/// the kernel wanted cannot compute the problem.
KernelChoice choose_kernel(std::string_view wanted, const FieldProblem& problem);

std::vector<std::string> kernel_names();
/// Throws Error for a name that is none, naming those there are.
KernelKind kernel_named(std::string_view name);

}  // namespace isolume::gpu
