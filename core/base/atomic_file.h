#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

namespace isolume {

/// A file that appears whole or not at all: written beside its target, renamed over it by `commit()`. Without
/// `commit()` (an exception, a cancelled job) the target stays as it was and nothing is left behind. A target that
/// exists keeps its permissions and its group.
class AtomicFile {
 public:
  /// `owner`: nobody else may read the file, whatever the umask and an older file allow.
  enum class Readers { usual, owner };

  /// Throws Error when the folder cannot be written to, and for a target that is not a file (a folder, a
  /// device). Where the target is a link, the file it leads to is replaced, or made.
  explicit AtomicFile(std::filesystem::path target, Readers readers = Readers::usual);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// Where the data goes before `commit()`; for libraries that write to a path. Keeps the target's suffixes.
  const std::filesystem::path& temporary() const { return temporary_; }
  /// Flushes, checks that every byte is on the disk, renames, and brings the new name to the disk as well. `size` is how many bytes a library has
  /// written to `temporary()`, for libraries that do not report a full disk; the stream counts its own (and
  /// must be at its end). On failure (disk full, no permission) throws Error and leaves the target untouched.
  void commit(std::optional<std::uintmax_t> size = {});
  /// Another file of the same folder is what `commit()` makes: "meeting.partial.mp4" where the work is ended early.
  void retarget(std::filesystem::path target);

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  std::optional<unsigned> mode_;  ///< permissions that it must have; nothing: as the umask has it
  std::ofstream stream_;
  bool committed_ = false;
};

/// For a program that ends without its destructors: removes what all AtomicFiles have written so far.
void remove_unfinished_files();

/// Makes the folder with those above it, where they are missing, and keeps everybody but the owner out of it.
void make_private_folder(const std::filesystem::path& folder, std::error_code& failed);

}  // namespace isolume
