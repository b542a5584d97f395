#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

struct z_stream_s;

namespace isolume {

enum class Packing { zlib, gzip };

/// Deflates bytes into a stream. The owner of the stream checks whether it accepted them.
class Packer {
 public:
  Packer(std::ostream& out, Packing packing);
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void put(const void* bytes, std::size_t count);
  /// Writes the remaining bytes. Nothing may be put after it.
  void finish();

 private:
  void run(const unsigned char* bytes, std::size_t count, int flush);

  std::ostream& out_;
  std::unique_ptr<z_stream_s> state_;
  std::vector<unsigned char> packed_;
};

/// Unpacks a zlib stream that fills `bytes` exactly; false if it is invalid, or has fewer or more bytes.
bool unpack_zlib(std::string_view packed, std::span<char> bytes);

}  // namespace isolume
