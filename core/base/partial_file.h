#pragma once

#include <filesystem>

namespace isolume {

/// A file that takes long to write: until it is finished it has a name that shows this, "meeting.partial.h5"
/// next to "meeting.h5", and it remains when the program ends, so that the work can be continued.
class PartialFile {
 public:
  enum class Start {
    fresh,     ///< a partial file is an error, so that the work of another run is not lost
    continued  ///< a partial file must exist, or the finished file becomes it again
  };

  /// Throws Error if the target cannot be written (see AtomicFile), and if a partial file exists or is
  /// missing contrary to `start`.
  PartialFile(std::filesystem::path target, Start start);

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& path() const { return partial_; }
  /// Moves it to the target, complete and on the disk, as AtomicFile does. Throws Error; the partial file
  /// then remains.
  void publish();
  /// Removes it if nothing in it is worth keeping.
  void discard();

 private:
  std::filesystem::path target_, partial_;
};

/// "meeting.partial.h5", "density.partial.cube.gz".
std::filesystem::path partial_name(const std::filesystem::path& target);
/// "meeting.h5" for both names.
std::filesystem::path finished_name(const std::filesystem::path& partial);

}  // namespace isolume
