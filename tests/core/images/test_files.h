#pragma once

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

/// A volume of numbers that are all different, counted up from `first`.
template <class Pixel>
Volume counting_volume(PixelType type, std::array<int, 3> size, int first = 0) {
  Volume volume;
  volume.geometry.size = size;
  volume.type = type;
  const std::shared_ptr<std::byte> memory = allocate_voxels(volume.geometry, type);
  Pixel* pixels = reinterpret_cast<Pixel*>(memory.get());
  for (std::size_t at = 0; at < volume.geometry.voxel_count(); ++at) {
    pixels[at] = static_cast<Pixel>(first + static_cast<int>(at));
  }
  volume.storage = memory;
  return volume;
}

}  // namespace isolume::images::testing
