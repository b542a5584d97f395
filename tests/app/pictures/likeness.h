#pragma once

/// How alike two pictures must be, as structural similarity, in words.
namespace isolume::likeness {

inline constexpr double exact = 1 - 1e-9;    ///< the same pixels
inline constexpr double not_visible = 0.99;  ///< rounding, another font renderer
inline constexpr double small = 0.95;        ///< another OpenGL driver: rims and highlights differ by a shade
inline constexpr double comparable = 0.85;   ///< the same scene drawn by other means

}  // namespace isolume::likeness
