#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace isolume::gpu {

/// Compiled kernels on disk, one file each, found by everything they depend on. Programs may share a folder.
class KernelCache {
 public:
  /// $XDG_CACHE_HOME/isolume/kernels, or ~/.cache/isolume/kernels; at most 256 MiB.
  KernelCache();
  /// Made when first written to. An empty path caches nothing.
  explicit KernelCache(std::filesystem::path folder, std::size_t limit_bytes = std::size_t{256} << 20);

  /// What was stored under this key. The whole key is kept in the file and compared, and the image has a
  /// checksum: neither a clash of file names nor damage gives a wrong kernel, only none.
  std::optional<std::string> find(std::string_view key) const;
  /// Keeps an image, and deletes those not used for longest until the folder is below its limit. Throws
  /// Error when it cannot be written.
  void store(std::string_view key, std::string_view image) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path file_of(std::string_view key) const;
  void trim() const;

  std::filesystem::path folder_;
  std::size_t limit_bytes_;
};

}  // namespace isolume::gpu
