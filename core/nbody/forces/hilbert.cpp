#include "core/nbody/forces/hilbert.h"

namespace isolume::nbody {

namespace {

/// Inserts two zero bits before each of the 21 bits.
std::uint64_t spread(std::uint64_t bits) {
  bits = (bits | bits << 32) & 0x1f00000000ffff;
  bits = (bits | bits << 16) & 0x1f0000ff0000ff;
  bits = (bits | bits << 8) & 0x100f00f00f00f00f;
  bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
  return (bits | bits << 2) & 0x1249249249249249;
}

std::uint64_t number_of(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return spread(x) << 2 | spread(y) << 1 | spread(z);
}

}  // namespace

std::uint64_t hilbert_number(std::array<std::uint32_t, 3> place) {
  auto& [x, y, z] = place;
  // Without branches: bits of random positions are unpredictable.
  for (int bit = hilbert_levels - 1; bit > 0; --bit) {
    const std::uint32_t below = (1u << bit) - 1;
    for (std::uint32_t* axis : {&x, &y, &z}) {
      const std::uint32_t invert = -(*axis >> bit & 1) & below;
      const std::uint32_t exchange = (x ^ *axis) & below & ~invert & (invert == 0 ? ~0u : 0u);
      x ^= invert ^ exchange;
      *axis ^= axis == &x ? 0 : exchange;
    }
  }
  y ^= x;
  z ^= y;
  std::uint32_t gray = 0;
  for (int bit = hilbert_levels - 1; bit > 0; --bit) gray ^= -(z >> bit & 1) & ((1u << bit) - 1);
  return number_of(x ^ gray, y ^ gray, z ^ gray);
}

void hilbert_numbers(GridPlaces& places, std::span<std::uint64_t> numbers) {
  turn_along_curve(places, numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = number_of(places.x[i], places.y[i], places.z[i]);
}

}  // namespace isolume::nbody
