#pragma once

#include <filesystem>
#include <optional>

#include "core/base/file_format.h"
#include "core/jobs/progress.h"
#include "core/nbody/bodies/initial_conditions.h"
#include "core/parameters/schema.h"

namespace isolume::nbody {

struct FileOptions {
  UnitsChoice units = UnitsChoice::file;
};
/// units.
const parameters::Schema<FileOptions>& file_schema();

/// Those of `read_bodies`; GADGET's binary snapshots have any name.
const FileFormats& body_formats();

/// Reads bodies from a file of any supported format: a trajectory, a GADGET snapshot (HDF5 or binary), Tipsy,
/// extended XYZ, or a comma-separated table. Of several snapshots in it, reads the last one, with a remark, or number
/// `moment`, from 0 on. The result has units with G = 1; `units` applies to files that name no units. Remarks list what
/// was left out, assumed or converted. Throws InputError.
InitialConditions read_bodies(const std::filesystem::path& path,
                              std::optional<std::size_t> moment = std::nullopt,
                              const jobs::Progress& progress = {}, UnitsChoice units = UnitsChoice::file);

bool is_written_as_hdf5(const std::filesystem::path& path);
/// Writes the format of the name's suffix: .csv, .xyz (extended), .tipsy, .hdf5 (GADGET). Remarks list what it has no room
/// for. Throws Error.
Remarks write_bodies(const InitialConditions& bodies, const std::filesystem::path& path,
                     const jobs::Progress& progress = {});

}  // namespace isolume::nbody
