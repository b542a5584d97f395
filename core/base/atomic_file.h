#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

namespace isolume {

/// A file that is written completely or not at all: written next to its target, and renamed over it by
/// `commit()`. Without `commit()` (an exception, a cancelled job) the target stays unchanged and no file is
/// left behind. An existing target keeps its permissions and its group.
class AtomicFile {
 public:
  /// `owner`: only the owner may read the file, whatever the umask and an older file allow.
  enum class Readers { usual, owner };

  /// Throws Error if the folder cannot be written to, and for a target that is not a file (a folder, a
  /// device). If the target is a link, the file that it points to is replaced or created.
  explicit AtomicFile(std::filesystem::path target, Readers readers = Readers::usual);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// The path of the data before `commit()`, for libraries that write to a path. Has the target's suffixes.
  const std::filesystem::path& temporary() const { return temporary_; }
  /// Flushes, checks that every byte is on the disk, renames, and writes the folder entry to the disk as
  /// well. `size` is the number of bytes that a library has written to `temporary()`, for libraries that do
  /// not report a full disk; the stream counts its own bytes (and must be at its end). On failure (disk full,
  /// no permission) throws Error and leaves the target unchanged.
  void commit(std::optional<std::uintmax_t> size = {});
  /// Changes the name that `commit()` gives the file, within the same folder: "meeting.partial.mp4" if the
  /// work ends early.
  void retarget(std::filesystem::path target);

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  std::optional<unsigned> mode_;  ///< permissions to set; empty: those of the umask
  std::ofstream stream_;
  bool committed_ = false;
};

/// The file that an AtomicFile with this target replaces or creates: links are followed, whether or not it exists.
/// Throws Error where they lead to no end.
std::filesystem::path behind_links(std::filesystem::path target);

/// Removes the temporary files of all AtomicFiles, for a program that exits without running destructors.
void remove_unfinished_files();

/// Creates the folder and its missing parents, accessible to the owner alone.
void make_private_folder(const std::filesystem::path& folder, std::error_code& failed);

}  // namespace isolume
