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

/// Location and compression of the numbers of a file.
struct VoxelBody {
  enum class Packing { none, deflate, bzip2, text, hex };

  std::vector<std::filesystem::path> files;  ///< each holds an equal part; never empty
  Packing packing = Packing::none;           ///< deflate: gzip or zlib, distinguished by the first bytes
  std::uint64_t offset = 0;                  ///< in each file, after the header
  std::uint64_t lines_before = 0;            ///< lines to skip after `offset`
  std::uint64_t bytes_before = 0;            ///< bytes to skip after that, counted after decompression
  bool at_end = false;  ///< the numbers are the last bytes after decompression, whatever precedes
  std::optional<std::uint64_t> packed_bytes;  ///< of each file, if stated in the header
  bool swapped = false;                       ///< not in native byte order
};

/// More surplus bytes of a compressed file are not decompressed to be counted.
inline constexpr std::uint64_t most_surplus = std::uint64_t{64} << 20;

/// Amount of data promised by a header, and the requested part.
struct BodyExtent {
  NumberType type = NumberType::uint8;
  std::uint64_t promised = 0;  ///< numbers in all files together
  std::uint64_t skipped = 0;   ///< before the first requested one
  std::uint64_t wanted = 0;    ///< including those skipped, at most `promised`
};

/// Throws InputError if the files cannot contain what is promised: uncompressed ones are too short, or compressed
/// ones too short at the maximum ratio. Allocates no memory. Returns the number of bytes that follow those promised, in
/// uncompressed files and after compressed ones of stated size.
std::uint64_t require_body(const VoxelBody& body, const BodyExtent& extent);

/// Reads the requested numbers, in native byte order, and checks all others that are promised: throws InputError if
/// one is missing or damaged, or if text has more numbers. Returns the number of bytes that follow them, where
/// require_body cannot count them: after compressed and hexadecimal numbers, and lines to skip; counted up to
/// `most_surplus`.
std::uint64_t read_body(const VoxelBody& body, const BodyExtent& extent, std::byte* target,
                        const jobs::Progress& progress);

/// Whether `map_body` can be used: one file, neither compressed nor swapped, and numbers aligned to their size.
bool can_be_mapped(const VoxelBody& body, const BodyExtent& extent);
/// The requested numbers, read on access.
std::shared_ptr<const MappedFile> map_body(const VoxelBody& body, const BodyExtent& extent);

}  // namespace isolume::images
