#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "core/base/remarks.h"
#include "core/electrostatics/potential/potential.h"

namespace isolume::electrostatics {

/// Reads points in angstrom: lines of comma-separated numbers. A heading says which columns are x, y and z; without one
/// these are the first three. Others are named in a remark. Empty lines and those that begin with # are skipped. Plain or
/// gzipped. Throws InputError with the line number, Cancelled.
Places read_places(const std::filesystem::path& path, Remarks& remarks, const jobs::Progress& progress = {});

/// Writes a table with a line for each point, with the columns x,y,z,potential; a comment before it gives the units.
/// Throws Error where it cannot be written, Cancelled.
void write_potentials(const Places& places, std::span<const double> potential, std::string_view unit,
                      const std::filesystem::path& path, const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
