#pragma once

#include <filesystem>

#include "core/nbody/bodies/initial_conditions.h"

namespace isolume::nbody {

/// Whether the start of the file is a Tipsy header consistent with the length of the file; in either byte order, with
/// or without four bytes of padding after the header.
bool is_tipsy(const std::filesystem::path& path);

/// Gas, dark matter and stars become origins. G = 1 by convention; other `units` determine the factor for the masses.
/// What bodies have besides mass, position and velocity is not used, with a remark.
/// Bodies that fill a cube of side 1 about the origin, with a mean density below the critical one, which is 1 there,
/// at a time that can be a scale factor, are a comoving box, as PKDGRAV and ChaNGa write them: its side is not in the
/// file. Throws InputError, ResourceError.
InitialConditions read_tipsy(const std::filesystem::path& path, UnitsChoice units = UnitsChoice::file);

/// Writes all bodies as dark matter, big-endian ("standard"), in single precision. Throws Error.
void write_tipsy(const InitialConditions& bodies, const std::filesystem::path& path);

}  // namespace isolume::nbody
