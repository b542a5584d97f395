#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace isolume {

/// The whole content of a file, gunzipped when it starts with the gzip signature (whatever its suffix).
/// Throws InputError when it cannot be opened, is not a regular file, is empty, is a damaged gzip stream, or
/// holds more than `limit_bytes` after unpacking.
std::string read_text_file(const std::filesystem::path& path, std::size_t limit_bytes = std::size_t{4} << 30);

}  // namespace isolume
