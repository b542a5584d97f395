#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace isolume::pictures {

/// Order of rows: pictures of OpenGL and VTK begin at the bottom.
enum class FirstRow { top, bottom };

/// Writes red, green and blue of each pixel, without padding. On failure no file appears; throws Error.
void write_png(std::span<const std::uint8_t> rgb, int width, int height, FirstRow first,
               const std::filesystem::path& path);

}  // namespace isolume::pictures
