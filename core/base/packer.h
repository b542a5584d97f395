#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>
#include <vector>

namespace isolume {

enum class Packing { zlib, gzip };

/// Deflates bytes into one stream, blocks of them on all threads; the stream is the same on any number of threads. The owner
/// of `out` checks whether it accepted them.
class Packer {
 public:
  Packer(std::ostream& out, Packing packing);
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void put(const void* bytes, std::size_t count);
  /// Writes the remaining bytes. Nothing may be put after it.
  void finish();

 private:
  void pack(bool is_end);

  std::ostream& out_;
  Packing packing_;
  std::vector<unsigned char> waiting_;
  std::uint32_t check_;      ///< of what was packed: CRC-32, or Adler-32 in zlib's form
  std::uint64_t count_ = 0;  ///< bytes packed
};

/// Unpacks a zlib stream that fills `bytes` exactly; false if it is invalid, or has fewer or more bytes.
bool unpack_zlib(std::string_view packed, std::span<char> bytes);

}  // namespace isolume
