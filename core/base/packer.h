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

/// Bytes that go into a stream deflated. Whoever owns the stream sees whether it took them.
class Packer {
 public:
  Packer(std::ostream& out, Packing packing);
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void put(const void* bytes, std::size_t count);
  /// Writes what is left. Nothing may be put after it.
  void finish();

 private:
  void run(const unsigned char* bytes, std::size_t count, int flush);

  std::ostream& out_;
  std::unique_ptr<z_stream_s> state_;
  std::vector<unsigned char> packed_;
};

/// A zlib stream that fills `bytes` to the last one; false where it is none, or has fewer or more.
bool unpack_zlib(std::string_view packed, std::span<char> bytes);

}  // namespace isolume
