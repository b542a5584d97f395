#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace isolume::pictures {

/// Order of rows: pictures of OpenGL and VTK begin at the bottom.
enum class FirstRow { top, bottom };
/// The fourth byte of each pixel, if it has one: opacity, or anything.
enum class FourthByte { none, opacity, unused };

/// Pixels of one byte for each of red, green and blue (sRGB), and perhaps a fourth, without gaps between rows.
struct Pixels {
  std::span<const std::uint8_t> bytes;
  int width = 0, height = 0;
  FirstRow first = FirstRow::top;
  FourthByte fourth = FourthByte::none;
};

/// Writes RGB, or RGBA if there is opacity (not premultiplied), with a resolution in dots per inch if one is given. On
/// failure no file appears; throws Error.
void write_png(const Pixels& pixels, const std::filesystem::path& path, std::optional<int> dpi = {});

}  // namespace isolume::pictures
