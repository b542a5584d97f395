#pragma once

#include <filesystem>
#include <memory>

#include "core/isolation/served_reader.h"

namespace isolume::anatomy {

/// Serves the requests of transform_files.cpp inside isolume-reader, by ITK. Throws Error.
std::unique_ptr<isolation::ServedReader> serve_transforms(const std::filesystem::path& path);

}  // namespace isolume::anatomy
