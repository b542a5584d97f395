#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

namespace isolume::images::testing {

/// nifti1.h: sizes, a matrix of rows and the voxels.
inline std::string nifti(std::array<std::int16_t, 3> size, std::int16_t datatype, std::int16_t bits,
                         float slope, float intercept, const std::array<float, 12>& rows,
                         const std::string& voxels) {
  std::string bytes(352, '\0');
  const auto put = [&](std::size_t offset, auto value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
  };
  put(0, std::int32_t{348});
  put(40, std::int16_t{3});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    put(42 + 2 * axis, size[axis]);
    put(80 + 4 * axis, std::hypot(rows[axis], rows[4 + axis], rows[8 + axis]));
  }
  for (std::size_t axis = 3; axis < 7; ++axis) put(42 + 2 * axis, std::int16_t{1});
  put(70, datatype);
  put(72, bits);
  put(76, 1.F);
  put(108, 352.F);
  put(112, slope);
  put(116, intercept);
  put(123, std::uint8_t{2});  // mm
  put(254, std::int16_t{1});  // sform_code
  for (std::size_t at = 0; at < 12; ++at) put(280 + 4 * at, rows[at]);
  bytes.replace(344, 4, std::string("n+1\0", 4));
  return bytes + voxels;
}
/// Voxel axes to the right, to the front and to the head, in mm of RAS.
inline constexpr std::array<float, 12> ras_rows{2, 0, 0, 10, 0, 3, 0, 20, 0, 0, 4, 30};

}  // namespace isolume::images::testing
