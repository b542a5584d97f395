#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace isolume::structures {

/// Random access to a binary file, checked against its size.
class BinaryFile {
 public:
  /// Throws InputError where it cannot be opened.
  explicit BinaryFile(const std::filesystem::path& path);

  std::uint64_t size() const { return size_; }
  bool has(std::uint64_t at, std::uint64_t bytes) const { return at <= size_ && bytes <= size_ - at; }
  /// Throws InputError where the file is too short.
  std::vector<unsigned char> read(std::uint64_t at, std::uint64_t bytes);
  [[noreturn]] void fail(std::string_view problem, std::string_view remedy = "Copy the file again.") const;

 private:
  std::filesystem::path path_;
  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

/// Four-byte numbers, in either byte order.
inline std::uint32_t word_at(const unsigned char* bytes, bool big_endian) {
  const std::uint32_t a = bytes[0], b = bytes[1], c = bytes[2], d = bytes[3];
  return big_endian ? a << 24U | b << 16U | c << 8U | d : d << 24U | c << 16U | b << 8U | a;
}
inline std::int32_t whole_at(const unsigned char* bytes, bool big_endian) {
  return std::bit_cast<std::int32_t>(word_at(bytes, big_endian));
}
inline float real_at(const unsigned char* bytes, bool big_endian) {
  return std::bit_cast<float>(word_at(bytes, big_endian));
}
/// Eight-byte numbers.
inline double long_real_at(const unsigned char* bytes, bool big_endian) {
  const std::uint64_t first = word_at(bytes, big_endian), second = word_at(bytes + 4, big_endian);
  return std::bit_cast<double>(big_endian ? first << 32U | second : second << 32U | first);
}

}  // namespace isolume::structures
