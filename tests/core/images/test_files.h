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
#include <stdlib.h>

#include "core/base/error.h"
#include "core/images/document.h"

namespace isolume::images::testing {

namespace fs = std::filesystem;

/// A folder that lives as long as this object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "isolume-images-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }
  fs::path write(std::string_view name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

 private:
  fs::path path_;
};

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
