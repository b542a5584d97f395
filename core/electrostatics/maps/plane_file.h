#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include "core/base/atomic_file.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// A file of a map's values with the first axis fastest, as 32-bit little-endian numbers, to which planes across that
/// axis are written one after the other, each row at its position. The file appears at `commit`, or not at all.
class PlaneFile {
 public:
  /// The numbers begin after a header of this many bytes. Throws Error where the file cannot be written.
  PlaneFile(const std::filesystem::path& path, const std::array<int, 3>& dimensions, std::size_t head_bytes);
  /// Writes the next planes: a field on these only. Throws Error, Cancelled.
  void put(const grid::ScalarField& planes, const jobs::Progress& progress);
  /// Call after all planes: writes the header, head_bytes long, and the trailer after the numbers. Throws Error where
  /// planes are missing or the file cannot be written.
  void commit(std::string_view head, std::string_view tail = {});

 private:
  void write_at(std::size_t offset, const void* bytes, std::size_t count);

  AtomicFile file_;
  const std::array<std::size_t, 3> dimensions_;
  const std::size_t head_bytes_;
  std::size_t next_ = 0;  ///< plane
};

}  // namespace isolume::electrostatics
