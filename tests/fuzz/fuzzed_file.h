#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace isolume::fuzz {

/// A folder of this program's own, in memory where that can be; removed at its end.
inline const std::filesystem::path& folder() {
  static const std::filesystem::path made = [] {
    std::error_code failed;
    const std::filesystem::path memory = "/dev/shm";
    const std::filesystem::path parent =
        std::filesystem::is_directory(memory, failed) ? memory : std::filesystem::temp_directory_path();
    const std::filesystem::path path = parent / fmt::format("isolume-fuzz-{}", ::getpid());
    std::filesystem::create_directories(path);
    std::atexit([] { std::filesystem::remove_all(folder()); });
    return path;
  }();
  return made;
}

inline std::filesystem::path write_file(std::string_view name, std::string_view bytes) {
  const std::filesystem::path file = folder() / name;
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file;
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace isolume::fuzz
