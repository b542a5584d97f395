#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/grid/grid.h"

namespace isolume::electrostatics {

/// Finished parts of a map, some planes each, kept in the file NAME.parts next to the map until that is complete:
/// they survive whenever the program ends, and the same computation can continue after them.
class KeptParts {
 public:
  enum class Start { fresh, continued };

  /// `computation`: hash of everything that determines the values. Throws Error if there are parts but should be none
  /// or vice versa, if they are of another computation, or if the file cannot be written.
  KeptParts(const std::filesystem::path& map, std::uint64_t computation, const grid::Grid& grid, Start start);
  /// Keeps the file unless it is empty.
  ~KeptParts();
  KeptParts(const KeptParts&) = delete;
  KeptParts& operator=(const KeptParts&) = delete;

  const std::filesystem::path& path() const { return path_; }
  struct Part {
    int planes = 0;
    std::uint64_t begin = 0;  ///< offset in the file
  };
  /// From the first plane on.
  const std::vector<Part>& parts() const { return parts_; }
  /// Reads the values of a part. Throws Error where they cannot be read.
  void read(const Part& part, float* values) const;
  /// Appends the next part. Throws Error where the disk is full.
  void add(int planes, const float* values);
  /// Removes the file, once the map is complete.
  void discard();

 private:
  [[noreturn]] void fail(const char* what) const;
  void find_parts(std::uint64_t end, int most_planes);

  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t plane_bytes_;
  std::vector<Part> parts_;
  std::uint64_t end_ = 0;  ///< of the last part
};

}  // namespace isolume::electrostatics
