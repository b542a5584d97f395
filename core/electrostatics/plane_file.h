#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include "core/base/atomic_file.h"
#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

namespace isolume::electrostatics {

/// A file of a map's numbers with the first axis fastest, as 32-bit little-endian numbers, into which planes across that axis are put
/// one after the other: each row of the file is written where it belongs. It is there after `commit`, or not at all.
class PlaneFile {
 public:
  /// The numbers begin behind so many bytes. Throws Error where the file cannot be written.
  PlaneFile(const std::filesystem::path& path, const std::array<int, 3>& dimensions, std::size_t head_bytes);
  /// The next planes: a field on these alone. Throws Error, Cancelled.
  void put(const lattice::ScalarField& planes, const jobs::Progress& progress);
  /// After all planes: with what goes before the numbers, head_bytes long, and behind them. Throws Error where planes are missing
  /// or the file cannot be written.
  void commit(std::string_view head, std::string_view tail = {});

 private:
  void write_at(std::size_t offset, const void* bytes, std::size_t count);

  AtomicFile file_;
  const std::array<std::size_t, 3> dimensions_;
  const std::size_t head_bytes_;
  std::size_t next_ = 0;  ///< plane
};

}  // namespace isolume::electrostatics
