#pragma once

#include <filesystem>

#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

namespace isolume::electrostatics {

/// Writes a field as VTK's XML image data with binary numbers, in angstrom, for ParaView and VTK 9 or later. Throws Error
/// where the lattice's steps are not at right angles, which the format cannot say, or it cannot be written; Cancelled.
void write_vti(const lattice::ScalarField& field, const std::filesystem::path& path,
               const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
