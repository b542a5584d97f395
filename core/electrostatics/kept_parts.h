#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/lattice/lattice.h"

namespace isolume::electrostatics {

/// Parts of a map that are computed, some planes each, in the file NAME.parts beside the map until that is whole: whenever the program ends,
/// they are there, and the same computation continues behind them.
class KeptParts {
 public:
  enum class Start { fresh, continued };

  /// `computation` tells what the numbers follow from. Throws Error where there are some and should be none, the other way
  /// round, where they are of another computation, and where the file cannot be written.
  KeptParts(const std::filesystem::path& map, std::uint64_t computation, const lattice::Lattice& lattice,
            Start start);
  /// The file stays where there is something in it.
  ~KeptParts();
  KeptParts(const KeptParts&) = delete;
  KeptParts& operator=(const KeptParts&) = delete;

  const std::filesystem::path& path() const { return path_; }
  struct Part {
    int planes = 0;
    std::uint64_t begin = 0;  ///< in the file
  };
  /// From the first plane on.
  const std::vector<Part>& parts() const { return parts_; }
  /// As they were added. Throws Error where they cannot be read.
  void read(const Part& part, float* values) const;
  /// The next one. Throws Error where the disk is full.
  void add(int planes, const float* values);
  /// Removes the file: the map is there.
  void discard();

 private:
  [[noreturn]] void fail(const char* what) const;
  void find_parts(std::uint64_t end, int most_planes);

  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t plane_bytes_;
  std::vector<Part> parts_;
  std::uint64_t end_ = 0;  ///< of the last one
};

}  // namespace isolume::electrostatics
