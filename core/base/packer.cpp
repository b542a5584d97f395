#include "core/base/packer.h"

#include <algorithm>
#include <initializer_list>
#include <new>
#include <ostream>

#include <tbb/blocked_range.h>
#include <zlib.h>

#include "core/base/handover.h"

namespace isolume {
namespace {

constexpr std::size_t block = 1 << 20;  // a window of 32 kB begins anew in each: files grow by less than 1 %
constexpr std::size_t most_waiting = 16 * block;

using Bytes = std::vector<unsigned char>;

/// A block without a header. Blocks end at whole bytes, so that one can follow the other (RFC 1951); the last one ends
/// the stream.
Bytes deflated(std::span<const unsigned char> bytes, bool is_last) {
  constexpr int level = 2, usual_memory = 8, window_bits = -15;  // below 0: without a header
  constexpr std::size_t end_of_block = 16;
  z_stream state{};
  if (deflateInit2(&state, level, Z_DEFLATED, window_bits, usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  Bytes packed;
  try {
    packed.resize(deflateBound(&state, bytes.size()) + end_of_block);
  } catch (...) {
    deflateEnd(&state);
    throw;
  }
  state.next_in = const_cast<unsigned char*>(bytes.data());
  state.avail_in = static_cast<uInt>(bytes.size());
  state.next_out = packed.data();
  state.avail_out = static_cast<uInt>(packed.size());
  deflate(&state, is_last ? Z_FINISH : Z_SYNC_FLUSH);
  packed.resize(packed.size() - state.avail_out);
  deflateEnd(&state);
  return packed;
}

void write(std::ostream& out, std::initializer_list<unsigned> bytes) {
  for (const unsigned each : bytes) out.put(static_cast<char>(each));
}

}  // namespace

Packer::Packer(std::ostream& out, Packing packing)
    : out_(out), packing_(packing), check_(packing == Packing::gzip ? 0 : 1) {
  if (packing == Packing::gzip) {  // RFC 1952: deflated, without a name or time, by Unix
    write(out, {0x1F, 0x8B, Z_DEFLATED, 0, 0, 0, 0, 0, 0, 3});
  } else {  // RFC 1950: deflated with a window of 32 kB, by a fast algorithm
    write(out, {0x78, 0x5E});
  }
}

void Packer::put(const void* bytes, std::size_t count) {
  const auto* next = static_cast<const unsigned char*>(bytes);
  while (count > 0) {
    if (waiting_.size() == most_waiting) pack(false);
    const std::size_t part = std::min(count, most_waiting - waiting_.size());
    waiting_.insert(waiting_.end(), next, next + part);
    next += part;
    count -= part;
  }
}

void Packer::finish() {
  pack(true);
  const auto byte_of = [](std::uint64_t number, int place) {
    return static_cast<unsigned>(number >> (8 * place) & 0xFF);
  };
  if (packing_ == Packing::gzip) {
    for (const std::uint64_t number : {std::uint64_t{check_}, count_}) {
      write(out_, {byte_of(number, 0), byte_of(number, 1), byte_of(number, 2), byte_of(number, 3)});
    }
  } else {
    write(out_, {byte_of(check_, 3), byte_of(check_, 2), byte_of(check_, 1), byte_of(check_, 0)});
  }
}

void Packer::pack(bool is_end) {
  const std::size_t blocks = std::max<std::size_t>((waiting_.size() + block - 1) / block, 1);
  std::vector<Bytes> packed(blocks);
  std::vector<uLong> checks(blocks);
  const bool is_gzip = packing_ == Packing::gzip;
  const auto bytes_of = [&](std::size_t i) {
    return std::span(waiting_).subspan(i * block, std::min(block, waiting_.size() - i * block));
  };
  using Blocks = tbb::blocked_range<std::size_t>;
  handover::parallel_for(Blocks(0, blocks), [&](const Blocks& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      const auto bytes = bytes_of(i);
      packed[i] = deflated(bytes, is_end && i + 1 == blocks);
      checks[i] = is_gzip ? crc32_z(0, bytes.data(), bytes.size()) : adler32_z(1, bytes.data(), bytes.size());
    }
  });
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto count = static_cast<z_off_t>(bytes_of(i).size());
    check_ = static_cast<std::uint32_t>(is_gzip ? crc32_combine(check_, checks[i], count)
                                                : adler32_combine(check_, checks[i], count));
    out_.write(reinterpret_cast<const char*>(packed[i].data()),
               static_cast<std::streamsize>(packed[i].size()));
  }
  count_ += waiting_.size();
  waiting_.clear();
}

bool unpack_zlib(std::string_view packed, std::span<char> bytes) {
  uLongf count = bytes.size();
  const int result = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &count,
                                reinterpret_cast<const Bytef*>(packed.data()), packed.size());
  return result == Z_OK && count == bytes.size();
}

}  // namespace isolume
