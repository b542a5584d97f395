#pragma once

#include <filesystem>
#include <optional>

#include "core/jobs/progress.h"
#include "core/nbody/initial_conditions.h"
#include "core/parameters/schema.h"

namespace isolume::nbody {

struct FileOptions {
  UnitsChoice units = UnitsChoice::file;
};
/// units.
const parameters::Schema<FileOptions>& file_schema();

/// Bodies of a file, whatever its format: a trajectory, a GADGET snapshot (HDF5 or binary), Tipsy, extended XYZ, or a table
/// with commas. Where it holds several moments, the last one, or `moment`, from 0 on. In units that make G = 1: of files that
/// name no units by `units`. What was left out, assumed or converted is in the remarks. Throws InputError.
InitialConditions read_bodies(const std::filesystem::path& path,
                              std::optional<std::size_t> moment = std::nullopt,
                              const jobs::Progress& progress = {}, UnitsChoice units = UnitsChoice::file);

/// In the format of the name's suffix: .csv, .xyz (extended), .tipsy, .hdf5 (GADGET). Throws Error.
void write_bodies(const InitialConditions& bodies, const std::filesystem::path& path,
                  const jobs::Progress& progress = {});

}  // namespace isolume::nbody
