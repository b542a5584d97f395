#include "core/base/packer.h"

#include <algorithm>
#include <new>
#include <ostream>

#include <zlib.h>

namespace isolume {

Packer::Packer(std::ostream& out, Packing packing)
    : out_(out), state_(std::make_unique<z_stream_s>()), packed_(std::size_t{1} << 18) {
  constexpr int level = 2, usual_memory = 8, window_bits = 15, with_gzip_header = 16;
  const int bits = window_bits + (packing == Packing::gzip ? with_gzip_header : 0);
  if (deflateInit2(state_.get(), level, Z_DEFLATED, bits, usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

Packer::~Packer() {
  deflateEnd(state_.get());
}

void Packer::put(const void* bytes, std::size_t count) {
  const auto* next = static_cast<const unsigned char*>(bytes);
  while (count > 0) {
    const std::size_t part = std::min(count, std::size_t{1} << 30);  // zlib counts with 32 bits
    run(next, part, Z_NO_FLUSH);
    next += part;
    count -= part;
  }
}

void Packer::finish() {
  run(nullptr, 0, Z_FINISH);
}

void Packer::run(const unsigned char* bytes, std::size_t count, int flush) {
  state_->next_in = const_cast<unsigned char*>(bytes);
  state_->avail_in = static_cast<uInt>(count);
  do {
    state_->next_out = packed_.data();
    state_->avail_out = static_cast<uInt>(packed_.size());
    deflate(state_.get(), flush);
    out_.write(reinterpret_cast<const char*>(packed_.data()),
               static_cast<std::streamsize>(packed_.size() - state_->avail_out));
  } while (state_->avail_out == 0 && out_);
}

bool unpack_zlib(std::string_view packed, std::span<char> bytes) {
  uLongf count = bytes.size();
  const int result = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &count,
                                reinterpret_cast<const Bytef*>(packed.data()), packed.size());
  return result == Z_OK && count == bytes.size();
}

}  // namespace isolume
