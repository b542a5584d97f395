#pragma once

#include <filesystem>

#include "core/jobs/progress.h"
#include "core/nbody/bodies/bodies.h"
#include "core/nbody/bodies/initial_conditions.h"
#include "core/nbody/forces/solver.h"

namespace isolume::nbody {

/// Reads a table with the columns mass, x, y, z; also vx, vy, vz if it has seven, and radius if it has eight. A first
/// line of names, which may begin with #, gives their order, which otherwise is assumed, with a remark. A column "name"
/// gives the origins; columns with other names are ignored, with a remark. Columns are separated by commas; empty lines
/// and those that begin with # are skipped, except for the time and for units as written by units_as_text(). With
/// units, masses are in the unit of mass, not multiplied by the gravitational constant as in memory. Gzip is unpacked.
/// Throws InputError, ResourceError.
InitialConditions read_bodies_table(const std::filesystem::path& path, const jobs::Progress& progress = {});
Bodies read_bodies_csv(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// The same with the columns x, y, z. Throws InputError.
Places read_places_csv(const std::filesystem::path& path, Remarks& remarks,
                       const jobs::Progress& progress = {});

/// Writes the columns mass, x, y, z, then vx, vy, vz where there are velocities, radius where radii are known, and name
/// where there are several origins, with a line of column names and all digits. Throws Error; an existing file is kept
/// then. Units are written in comments first, and masses without the gravitational constant; a time other than 0 is
/// written in a comment, "# time=2.5".
void write_bodies_csv(const InitialConditions& start, const std::filesystem::path& path,
                      const jobs::Progress& progress);
void write_bodies_csv(const Bodies& bodies, const std::filesystem::path& path);

/// Writes the columns ax, ay, az, potential, a line for each body, with all digits. Throws Error; an existing file is
/// kept then.
/// With `units`: a comment names the unit of each column. With `scale_factor`: the units are those of a ComovingBox at
/// it, and the comment names them and the factors that give peculiar accelerations and potentials.
void write_forces_csv(const Forces& forces, const std::filesystem::path& path,
                      const jobs::Progress& progress = {}, const std::optional<Units>& units = std::nullopt,
                      const std::optional<double>& scale_factor = std::nullopt);

/// The same at given positions, after the columns x, y, z.
void write_forces_at_csv(const Places& places, const Forces& forces, const std::filesystem::path& path,
                         const jobs::Progress& progress = {},
                         const std::optional<Units>& units = std::nullopt,
                         const std::optional<double>& scale_factor = std::nullopt);

}  // namespace isolume::nbody
