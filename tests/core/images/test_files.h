#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/images/document.h"
#include "tests/temporary_folder.h"

namespace isolume::images::testing {

namespace fs = std::filesystem;

using isolume::testing::TemporaryFolder;

inline std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The numbers' bytes, as in memory.
template <class Number>
std::string bytes_of_all(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

/// The message of the Error that `body` must end with; empty when there was none.
template <class Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Red, green and blue of a voxel of the first slice; {-1, -1, -1} where the volume has no colours.
inline std::array<int, 3> colour_at(const Volume& volume, int i, int j) {
  if (volume.colours == nullptr) return {-1, -1, -1};
  const std::uint8_t* rgb = volume.colours.get() + 3 * (j * volume.geometry.dimensions[0] + i);
  return {rgb[0], rgb[1], rgb[2]};
}

/// A volume of numbers that are all different, counted up from `first`.
template <class Pixel>
Volume counting_volume(PixelType type, std::array<int, 3> size, int first = 0) {
  Volume volume;
  volume.geometry.dimensions = size;
  volume.type = type;
  const std::shared_ptr<std::byte> memory = allocate_voxels(volume.geometry, type);
  Pixel* pixels = reinterpret_cast<Pixel*>(memory.get());
  for (std::size_t at = 0; at < volume.geometry.point_count(); ++at) {
    pixels[at] = static_cast<Pixel>(first + static_cast<int>(at));
  }
  volume.storage = memory;
  return volume;
}

}  // namespace isolume::images::testing
