#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace isolume::pictures {

/// Which row of a picture comes first: OpenGL's and VTK's begin at the bottom.
enum class FirstRow { top, bottom };

/// Red, green and blue of each pixel, without gaps. Written whole or not at all; throws Error.
void write_png(std::span<const std::uint8_t> rgb, int width, int height, FirstRow first,
               const std::filesystem::path& path);

}  // namespace isolume::pictures
