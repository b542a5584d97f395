#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/images/mapped_file.h"
#include "core/images/number_type.h"
#include "core/jobs/progress.h"

namespace isolume::images {

/// Where a file keeps its numbers, and how they are packed.
struct VoxelBody {
  enum class Packing { none, deflate, bzip2, text, hex };

  std::vector<std::filesystem::path> files;  ///< each holds an equal part; never empty
  Packing packing = Packing::none;           ///< deflate: gzip or zlib, told by its first bytes
  std::uint64_t offset = 0;                  ///< in each file, of what follows the header
  std::uint64_t lines_before = 0;            ///< lines to be skipped behind `offset`
  std::uint64_t bytes_before = 0;            ///< bytes to be skipped then, counted when unpacked
  bool at_end = false;  ///< the numbers are the last bytes, counted when unpacked, whatever comes before
  std::optional<std::uint64_t> packed_bytes;  ///< of each file, where the header tells them
  bool swapped = false;  ///< the bytes of a number are in the other order than this machine's
};

/// What is promised by a header, and how much of it is wanted.
struct BodyExtent {
  NumberType type = NumberType::uint8;
  std::uint64_t promised = 0;  ///< numbers in all files together
  std::uint64_t skipped = 0;   ///< of these, before the first that is wanted
  std::uint64_t wanted = 0;    ///< with those skipped, at most `promised`
};

/// Throws InputError where the files cannot hold what is promised: plain ones are shorter, packed ones so
/// short that they could not unpack to it. Takes no memory.
void require_body(const VoxelBody& body, const BodyExtent& extent);

/// Reads the wanted numbers, in this machine's order of bytes, and looks at all others that are promised:
/// throws InputError where one is missing or damaged.
void read_body(const VoxelBody& body, const BodyExtent& extent, std::byte* target,
               const jobs::Progress& progress);

/// Whether `map_body` can be used: one file, neither packed nor swapped, and numbers at multiples of their
/// size.
bool can_be_mapped(const VoxelBody& body, const BodyExtent& extent);
/// The wanted numbers, read when they are looked at.
std::shared_ptr<const MappedFile> map_body(const VoxelBody& body, const BodyExtent& extent);

}  // namespace isolume::images
