#pragma once

#include <filesystem>

#include "core/nbody/initial_conditions.h"

namespace isolume::nbody {

/// Whether the start of the file is Tipsy's header, and the file is as long as that says; in either order of
/// bytes, with or without the four bytes that fill the header up.
bool is_tipsy(const std::filesystem::path& path);

/// Gas, dark matter and stars become origins. G = 1 by convention, so that `units` other than that tell what masses are
/// multiplied by. Bodies that fill a cube of side 1 about the origin, with a mean density below the critical one, which is 1
/// there, at a time that can be a scale factor, are a comoving box, as PKDGRAV and ChaNGa write them: its side is not in the
/// file. Throws InputError, ResourceError.
InitialConditions read_tipsy(const std::filesystem::path& path, UnitsChoice units = UnitsChoice::file);

/// All as dark matter, high bytes first ("standard"), in single precision. Throws Error.
void write_tipsy(const InitialConditions& bodies, const std::filesystem::path& path);

}  // namespace isolume::nbody
