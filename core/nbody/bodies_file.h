#pragma once

#include <filesystem>
#include <optional>

#include "core/jobs/progress.h"
#include "core/nbody/initial_conditions.h"

namespace isolume::nbody {

/// Bodies of a file, whatever its format: a trajectory, a GADGET snapshot (HDF5), Tipsy, extended XYZ, or a table
/// with commas. Where it holds several moments, the last one, or `moment`, from 0 on. In units that make G = 1.
/// Throws InputError.
InitialConditions read_bodies(const std::filesystem::path& path,
                              std::optional<std::size_t> moment = std::nullopt,
                              const jobs::Progress& progress = {});

/// In the format of the name's suffix: .csv, .xyz (extended), .tipsy, .hdf5 (GADGET). Throws Error.
void write_bodies(const InitialConditions& bodies, const std::filesystem::path& path,
                  const jobs::Progress& progress = {});

}  // namespace isolume::nbody
