#pragma once

#include <filesystem>
#include <memory>

#include "core/isolation/served_reader.h"

namespace isolume::nbody {

/// Serves all requests of Hdf5Reader inside isolume-reader, by libhdf5. Throws Error.
std::unique_ptr<isolation::ServedReader> serve_hdf5(const std::filesystem::path& path);

}  // namespace isolume::nbody
