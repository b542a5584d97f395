#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/images/file_format.h"
#include "core/images/volume.h"
#include "core/jobs/progress.h"

namespace isolume::images {

/// Where a file keeps its voxels, where that is one run of bytes. Such voxels can be read with progress, or
/// be mapped into memory.
struct RawBody {
  std::filesystem::path file;
  std::uint64_t offset = 0;  ///< of the voxels; of their gzip stream where they are packed
  bool gzip = false;
  std::uint64_t offset_unpacked = 0;  ///< of the voxels in the gzip stream
  bool swapped = false;               ///< the bytes of a number are in the other order than this machine's
  /// What the stored numbers are and mean; where missing they mean themselves.
  struct Rescale {
    PixelType type = PixelType::int16;
    double slope = 1, intercept = 0;
  };
  std::optional<Rescale> rescale;
};

/// Nothing for voxels that are kept in any other way (several files, text, other packings).
std::optional<RawBody> find_raw_body(const std::filesystem::path& header, FileFormat format);

/// Throws InputError where the file cannot hold this many bytes: an unpacked one is shorter, a packed one so
/// short that no packing known could unpack to them (deflate packs to 1/1032 at best).
void require_body(const RawBody& body, std::size_t bytes);

/// Reads the voxels, in this machine's order of bytes. `number_bytes` is the size of one number.
void read_body(const RawBody& body, std::byte* target, std::size_t bytes, std::size_t number_bytes,
               const jobs::Progress& progress);

/// Whether `map_body` can be used: neither packed nor swapped, and numbers at multiples of their size.
bool can_be_mapped(const RawBody& body, std::size_t number_bytes);
/// The voxels as a private mapping of the file, read when they are looked at.
std::shared_ptr<const std::byte> map_body(const RawBody& body, std::size_t bytes);

}  // namespace isolume::images
