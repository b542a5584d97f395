#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "core/nbody/initial_conditions.h"

namespace isolume::nbody {

/// Extended XYZ: the number of bodies, a line with Properties=... (and Time=...), a line for each body. Read are
/// pos, mass or masses (1 where there is none) and velo, vel or velocities; of several moments the last one, or
/// `moment`, from 0 on. Throws InputError, ResourceError.
InitialConditions read_extended_xyz(const std::filesystem::path& path,
                                    std::optional<std::size_t> moment = std::nullopt);

/// species (the origin), pos, velo, mass; all digits. Throws Error.
void write_extended_xyz(const InitialConditions& bodies, const std::filesystem::path& path);

}  // namespace isolume::nbody
