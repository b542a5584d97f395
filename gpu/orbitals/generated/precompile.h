#pragma once

#include <filesystem>

#include "core/orbitals/field_problem.h"

namespace isolume::gpu {

/// Compiles the kernel "generated" for a problem's molecule, basis set and number of columns, for GPUs of a
/// compute capability (9.0) that need not be present, and stores it in a folder of compiled kernels (the
/// program searches $XDG_CACHE_HOME/isolume/kernels). Throws Error if there is no compiler, it does not know
/// such a GPU, or the source would be too long.
void precompile(const orbitals::FieldProblem& problem, int compute_major, int compute_minor,
                const std::filesystem::path& folder);

}  // namespace isolume::gpu
