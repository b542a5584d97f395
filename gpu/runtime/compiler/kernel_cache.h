#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace isolume::gpu {

/// Compiled kernels on disk, one file each, identified by everything on which they depend. Programs may share
/// a folder.
class KernelCache {
 public:
  /// $XDG_CACHE_HOME/isolume/kernels, or ~/.cache/isolume/kernels; at most 256 MiB.
  KernelCache();
  /// The folder is created on the first write. An empty path disables the cache.
  explicit KernelCache(std::filesystem::path folder, std::size_t limit_bytes = std::size_t{256} << 20);

  /// The image stored under this key. The file holds the whole key, which is compared, and a checksum of the
  /// image: neither a clash of file names nor damage returns a wrong kernel, only none.
  std::optional<std::string> find(std::string_view key) const;
  /// Stores an image, and deletes the least recently used ones until the folder is below its limit. Throws
  /// Error if it cannot be written.
  void store(std::string_view key, std::string_view image) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path file_of(std::string_view key) const;
  void trim() const;

  std::filesystem::path folder_;
  std::size_t limit_bytes_;
};

}  // namespace isolume::gpu
