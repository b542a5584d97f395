#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

namespace isolume {

/// Every reader calls this before it opens a file. Throws InputError if there is none, and for a folder, a
/// pipe, a socket or a device: opening a pipe blocks until somebody writes to it, and none of them has a
/// size.
void require_regular_file(const std::filesystem::path& path);

/// Opens a regular file. Throws InputError.
std::ifstream open_input(const std::filesystem::path& path);

/// The first bytes of a file, for recognising a format; empty if there is no regular file or it cannot be
/// read.
std::string start_of_file(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace isolume
