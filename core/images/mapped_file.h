#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace isolume::images {

/// A part of a file mapped to memory, read on access. Data that become unreadable, because another program truncates
/// the file or the disk fails, are replaced by zeros and recorded; otherwise the system would end this program
/// (SIGBUS).
class MappedFile {
 public:
  /// Maps `bytes` from `offset` on of an open file, which may be closed afterwards. Throws ResourceError.
  MappedFile(std::filesystem::path path, int descriptor, std::uint64_t offset, std::size_t bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::byte* bytes() const { return bytes_; }
  /// Whether any accessed data could not be read.
  bool damaged() const { return damaged_; }

 private:
  std::filesystem::path path_;
  void* memory_;
  std::size_t length_;  ///< from `memory_`, which begins with a page of the file
  const std::byte* bytes_;
  std::atomic<bool> damaged_ = false;
};

}  // namespace isolume::images
