#pragma once

#include <filesystem>

#include "core/nbody/initial_conditions.h"

namespace isolume::nbody {

/// Whether the start of the file is Tipsy's header, and the file is as long as that says; in either order of
/// bytes, with or without the four bytes that fill the header up.
bool is_tipsy(const std::filesystem::path& path);

/// Gas, dark matter and stars become origins. G = 1 by convention. Throws InputError, ResourceError.
InitialConditions read_tipsy(const std::filesystem::path& path);

/// All as dark matter, high bytes first ("standard"), in single precision. Throws Error.
void write_tipsy(const InitialConditions& bodies, const std::filesystem::path& path);

}  // namespace isolume::nbody
