#include "core/base/input_file.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume {

namespace fs = std::filesystem;

void require_regular_file(const fs::path& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (fs::is_regular_file(status)) return;
  if (status.type() == fs::file_type::not_found) throw InputError(path, 0, "no such file", "Check the name.");
  if (failed) {
    throw InputError(path, 0, fmt::format("cannot be opened ({})", failed.message()),
                     "Check its permissions.");
  }
  if (fs::is_directory(status)) throw InputError(path, 0, "this is a folder", "Choose a file in it.");
  throw InputError(path, 0, "this is a pipe, a socket or a device, not a regular file",
                   "Write the data to a file first.");
}

std::ifstream open_input(const fs::path& path) {
  require_regular_file(path);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw InputError(path, 0, fmt::format("cannot be opened ({})", std::strerror(errno)),
                     "Check its permissions.");
  }
  return stream;
}

std::string start_of_file(const fs::path& path, std::size_t most_bytes) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return {};
  std::string start(most_bytes, '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(stream.gcount()));
  return start;
}

}  // namespace isolume
