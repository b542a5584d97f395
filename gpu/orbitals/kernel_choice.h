#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/orbitals/kernel_job.h"

namespace isolume::gpu {

/// A kernel's job and the reason for the choice.
struct KernelChoice {
  std::unique_ptr<KernelJob> job;
  std::string why;  ///< "the grid is axis-aligned", "it was asked for"
};

/// `wanted`: "auto" or a kernel's name. `auto` takes `products` if products_worthwhile(); else `separable` on
/// axis-aligned grids; else `range-limited` if screening saves at least half of the operations; else `constant` if
/// the coefficients fit in constant memory, otherwise `cached`. (`generated` is never taken automatically: compiling
/// takes longer than most fields.) Throws Error for an unknown name, with the known names, and if the requested kernel
/// cannot compute the problem; Cancelled.
KernelChoice choose_kernel(std::string_view wanted, const FieldProblem& problem,
                           const jobs::Progress& progress = {});

std::vector<std::string> kernel_names();
/// Throws Error for an unknown name, with the known names.
KernelKind kernel_named(std::string_view name);

}  // namespace isolume::gpu
