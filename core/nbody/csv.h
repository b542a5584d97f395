#pragma once

#include <filesystem>

#include "core/jobs/progress.h"
#include "core/nbody/bodies.h"
#include "core/nbody/initial_conditions.h"
#include "core/nbody/solver.h"

namespace isolume::nbody {

/// A table with the columns mass, x, y, z, vx, vy, vz if it has seven, and radius if it has eight. A first line of names says in which
/// order they are; columns of other names are left out, with a remark. Columns are separated by commas; empty lines and those
/// that begin with # are skipped, but for units as units_as_text() has them, by which masses are in units of mass, not times
/// the constant of gravitation as in memory; gzip is unpacked. Throws InputError, ResourceError.
InitialConditions read_bodies_table(const std::filesystem::path& path, const jobs::Progress& progress = {});
Bodies read_bodies_csv(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// The same with the columns x, y, z. Throws InputError.
Places read_places_csv(const std::filesystem::path& path, Remarks& remarks,
                       const jobs::Progress& progress = {});

/// The columns mass, x, y, z, vx, vy, vz where there are velocities, and radius where radii are known, named in the first
/// line, with all digits. Throws Error; what was there stays then.
/// With `units`: these in comments before that, and masses without the constant of gravitation.
void write_bodies_csv(const Bodies& bodies, const std::filesystem::path& path,
                      const jobs::Progress& progress = {}, const std::vector<double>& radius = {},
                      const std::optional<Units>& units = std::nullopt);

/// The columns ax, ay, az, potential, a line for each body, with all digits. Throws Error; what was there
/// stays then.
/// With `units`, a comment before them that names the unit of each column.
void write_forces_csv(const Forces& forces, const std::filesystem::path& path,
                      const jobs::Progress& progress = {}, const std::optional<Units>& units = std::nullopt);

/// The same at places, after the columns x, y, z.
void write_forces_at_csv(const Places& places, const Forces& forces, const std::filesystem::path& path,
                         const jobs::Progress& progress = {},
                         const std::optional<Units>& units = std::nullopt);

}  // namespace isolume::nbody
