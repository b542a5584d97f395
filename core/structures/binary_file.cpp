#include "core/structures/binary_file.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/input_file.h"

namespace isolume::structures {

BinaryFile::BinaryFile(const std::filesystem::path& path)
    : path_(path), stream_(open_input(path)), size_(std::filesystem::file_size(path)) {}

std::vector<unsigned char> BinaryFile::read(std::uint64_t at, std::uint64_t bytes) {
  if (!has(at, bytes)) fail(fmt::format("it ends before byte {}", at + bytes));
  std::vector<unsigned char> found(bytes);
  stream_.clear();
  stream_.seekg(static_cast<std::streamoff>(at));
  stream_.read(reinterpret_cast<char*>(found.data()), static_cast<std::streamsize>(bytes));
  if (!stream_) fail(fmt::format("its bytes from {} on cannot be read", at));
  return found;
}

void BinaryFile::fail(std::string_view problem, std::string_view remedy) const {
  throw InputError(path_, 0, problem, remedy);
}

}  // namespace isolume::structures
