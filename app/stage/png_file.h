#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace isolume::stage {

/// Red, green and blue of each pixel, the bottom row first, as OpenGL gives them. Written whole or not at all; throws
/// Error.
void write_png(std::span<const std::uint8_t> rgb, int width, int height, const std::filesystem::path& path);

}  // namespace isolume::stage
