#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

namespace isolume {

/// A file that appears whole or not at all: written beside its target, renamed over it by `commit()`. Without
/// `commit()` (an exception, a cancelled job) the target stays as it was and nothing is left behind.
class AtomicFile {
 public:
  /// Throws Error when the folder cannot be written to, and for a target that is not a file (a folder, a
  /// device). Where the target is a link, the file it leads to is replaced.
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// Where the data goes before `commit()`; for libraries that write to a path. Keeps the target's suffixes.
  const std::filesystem::path& temporary() const { return temporary_; }
  /// Flushes, checks that every byte is on the disk, and renames. `size` is how many bytes a library has
  /// written to `temporary()`, for libraries that do not report a full disk; the stream counts its own (and
  /// must be at its end). On failure (disk full, no permission) throws Error and leaves the target untouched.
  void commit(std::optional<std::uintmax_t> size = {});

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  std::ofstream stream_;
  bool committed_ = false;
};

}  // namespace isolume
