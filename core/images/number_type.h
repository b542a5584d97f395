#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace isolume::images {

/// Number types in volume files: those of PixelType, and 64-bit integers.
enum class NumberType { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

/// Calls `visitor` with a value of the type, of which only the type is used.
template <class Visitor>
decltype(auto) visit_number_type(NumberType type, Visitor&& visitor) {
  switch (type) {
    case NumberType::int8:
      return visitor(std::int8_t{});
    case NumberType::uint8:
      return visitor(std::uint8_t{});
    case NumberType::int16:
      return visitor(std::int16_t{});
    case NumberType::uint16:
      return visitor(std::uint16_t{});
    case NumberType::int32:
      return visitor(std::int32_t{});
    case NumberType::uint32:
      return visitor(std::uint32_t{});
    case NumberType::int64:
      return visitor(std::int64_t{});
    case NumberType::uint64:
      return visitor(std::uint64_t{});
    case NumberType::float32:
      return visitor(float{});
    case NumberType::float64:
      return visitor(double{});
  }
  throw std::logic_error("no such number type");
}

inline std::size_t bytes_of(NumberType type) {
  return visit_number_type(type, [](auto number) { return sizeof(number); });
}

}  // namespace isolume::images
