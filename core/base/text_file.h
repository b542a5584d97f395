#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace isolume {

/// Sees what has been read so far, block by block, and which fraction of the file on disk that is. The first
/// block is large enough to recognise a format. Anything it throws ends the reading.
using ReadingWatch = std::function<void(std::string_view so_far, double fraction)>;

/// The whole content of a file, gunzipped when it starts with the gzip signature (whatever its suffix).
/// Throws InputError when it cannot be opened, is not a regular file, is empty, is a damaged gzip stream, or
/// holds more than `limit_bytes` after unpacking, or expands as no genuine file does (beyond 64 MiB plus a
/// hundred times the file). Memory is allocated only for what has been read.
std::string read_text_file(const std::filesystem::path& path, std::size_t limit_bytes = std::size_t{4} << 30,
                           const ReadingWatch& watch = {});

/// What it begins with, unpacked: at most so many bytes. Throws InputError as read_text_file, but knows nothing of the rest.
std::string read_text_start(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace isolume
