#pragma once

#include <array>
#include <cstdint>

namespace isolume {

/// Eleven colours of viridis (S. van der Walt, N. Smith, CC0) at equal distances, 0xRRGGBB: perceptually
/// uniform and safe for colour blindness.
inline constexpr std::array<std::uint32_t, 11> viridis{0x440154, 0x482475, 0x414487, 0x355f8d,
                                                       0x2a788e, 0x21918c, 0x22a884, 0x44bf70,
                                                       0x7ad151, 0xbddf26, 0xfde725};

}  // namespace isolume
