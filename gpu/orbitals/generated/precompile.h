#pragma once

#include <filesystem>

#include "core/orbitals/field_problem.h"

namespace isolume::gpu {

/// Compiles what the kernel "generated" compiles for a problem's molecule, basis set and number of columns,
/// for GPUs of a compute capability (9.0) that need not be here, and keeps it in a folder of compiled kernels
/// ($XDG_CACHE_HOME/isolume/kernels is where the program looks). Throws Error where there is no compiler, it
/// knows no such GPU, or the source would be too long.
void precompile(const orbitals::FieldProblem& problem, int compute_major, int compute_minor,
                const std::filesystem::path& folder);

}  // namespace isolume::gpu
