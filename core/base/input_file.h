#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

namespace isolume {

/// What every reader calls before it opens a file. Throws InputError where there is none, and for a folder, a pipe, a
/// socket or a device: opening a pipe waits for whoever writes to it, and none of them has a size.
void require_regular_file(const std::filesystem::path& path);

/// A regular file, opened. Throws InputError.
std::ifstream open_input(const std::filesystem::path& path);

/// The first bytes as they are, for recognising a format; empty where there is no regular file or it cannot be read.
std::string start_of_file(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace isolume
