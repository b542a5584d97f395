#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "core/electrostatics/potential.h"

namespace isolume::electrostatics {

/// Reads places in angstrom: lines of numbers with commas, of which the first three are x, y and z; a first line of
/// words, empty lines and those that begin with # are left out. Plain or gzipped. Throws InputError with the line's
/// number, Cancelled.
Places read_places(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// Writes a table with a line for each place, of the columns x,y,z,potential; what the units are stands in a comment
/// above. Throws Error where it cannot be written, Cancelled.
void write_potentials(const Places& places, std::span<const double> potential, std::string_view unit,
                      const std::filesystem::path& path, const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
