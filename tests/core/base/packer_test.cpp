#include "core/base/packer.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

namespace isolume {
namespace {

/// Bytes that can be deflated a little.
std::string made_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  std::uint32_t state = 1;
  for (char& each : bytes) {
    state = state * 1664525 + 1013904223;
    each = static_cast<char>(state >> 28);
  }
  return bytes;
}

std::string packed(const std::string& bytes, Packing packing, std::size_t at_once) {
  std::ostringstream out;
  Packer packer(out, packing);
  for (std::size_t i = 0; i < bytes.size(); i += at_once)
    packer.put(bytes.data() + i, std::min(at_once, bytes.size() - i));
  packer.finish();
  return out.str();
}

/// By zlib, which checks the sum and, of gzip, the length: one stream, nothing after it.
std::string unpacked(const std::string& stream, std::size_t expected) {
  std::string bytes(expected + 1, '\0');
  z_stream state{};
  constexpr int any_header = 32 + 15;
  EXPECT_EQ(inflateInit2(&state, any_header), Z_OK);
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream.data()));
  state.avail_in = static_cast<uInt>(stream.size());
  state.next_out = reinterpret_cast<Bytef*>(bytes.data());
  state.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(inflate(&state, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(state.avail_in, 0U);
  bytes.resize(state.total_out);
  inflateEnd(&state);
  return bytes;
}

TEST(Packer, WritesOneStreamThatZlibUnpacks) {
  constexpr std::size_t block = 1 << 20;
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, block, block + 1, 17 * block + 5}) {
    const std::string bytes = made_bytes(count);
    for (const Packing packing : {Packing::gzip, Packing::zlib}) {
      const std::string stream = packed(bytes, packing, 3 * block + 7);
      EXPECT_TRUE(unpacked(stream, count) == bytes) << count;
      EXPECT_LT(stream.size(), count * 3 / 4 + 64) << count;
    }
  }
}

TEST(Packer, TheStreamDoesNotDependOnThePartsThatWerePut) {
  const std::string bytes = made_bytes((3 << 20) + 1);
  EXPECT_TRUE(packed(bytes, Packing::gzip, bytes.size()) == packed(bytes, Packing::gzip, 4099));
}

TEST(Packer, ADamagedZlibStreamIsNotUnpacked) {
  const std::string bytes = made_bytes(1000);
  std::string stream = packed(bytes, Packing::zlib, bytes.size());
  std::string read(bytes.size(), '\0');
  EXPECT_TRUE(unpack_zlib(stream, read));
  EXPECT_EQ(read, bytes);
  EXPECT_FALSE(unpack_zlib(stream, std::span(read).first(read.size() - 1)));
  stream.back() = static_cast<char>(stream.back() ^ 1);
  EXPECT_FALSE(unpack_zlib(stream, read));
}

}  // namespace
}  // namespace isolume
