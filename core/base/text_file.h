#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace isolume {

/// Receives the text read so far, block by block, and its fraction of the file on disk. The first block is
/// large enough to recognise a format. An exception ends the reading.
using ReadingWatch = std::function<void(std::string_view so_far, double fraction)>;

/// The whole content of a file, gunzipped if it starts with the gzip signature (whatever its suffix). Throws
/// InputError if it cannot be opened, is not a regular file, is empty, is a damaged gzip stream, holds more
/// than `limit_bytes` after unpacking, or expands as no genuine file does (beyond 64 MiB plus a hundred times
/// the file). Memory is allocated only for text that has been read.
std::string read_text_file(const std::filesystem::path& path, std::size_t limit_bytes = std::size_t{4} << 30,
                           const ReadingWatch& watch = {});

/// Editors on Windows put a byte-order mark before UTF-8; it is no part of the text.
void drop_byte_order_mark(std::string& text);

/// The beginning of the file, unpacked: at most this many bytes. Throws InputError like read_text_file, but
/// does not check the rest.
std::string read_text_start(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace isolume
