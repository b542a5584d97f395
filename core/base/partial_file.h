#pragma once

#include <filesystem>

namespace isolume {

/// A file whose making takes long: until it is finished it stands under a name that says so, "meeting.partial.h5" beside
/// "meeting.h5", and stays there when the program is ended, so that the work can be gone on with.
class PartialFile {
 public:
  enum class Start {
    fresh,     ///< there must be none yet: what another run has left is not thrown away
    continued  ///< there must be one; or else the finished file becomes it again
  };

  /// Throws Error where the target cannot be written (see AtomicFile), where there is a partial file and should be none,
  /// and the other way round.
  PartialFile(std::filesystem::path target, Start start);

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& path() const { return partial_; }
  /// Puts it in the target's place, whole and on the disk, as AtomicFile does. Throws Error; it stays where it is then.
  void publish();
  /// Removes it, where nothing in it is worth keeping.
  void discard();

 private:
  std::filesystem::path target_, partial_;
};

/// "meeting.partial.h5", "density.partial.cube.gz".
std::filesystem::path partial_name(const std::filesystem::path& target);
/// "meeting.h5" for both names.
std::filesystem::path finished_name(const std::filesystem::path& partial);

}  // namespace isolume
