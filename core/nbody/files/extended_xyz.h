#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "core/nbody/bodies/initial_conditions.h"

namespace isolume::nbody {

/// Extended XYZ: the number of bodies, a line with Properties=... (and Time=...), a line for each body. Reads pos,
/// mass or masses (1 if missing) and velo, vel or velocities; of several frames the last one, or number `moment`,
/// from 0 on. Throws InputError, ResourceError.
InitialConditions read_extended_xyz(const std::filesystem::path& path,
                                    std::optional<std::size_t> moment = std::nullopt);

/// Writes species (the origin), pos, velo, mass; all digits. Throws Error.
void write_extended_xyz(const InitialConditions& bodies, const std::filesystem::path& path);

}  // namespace isolume::nbody
