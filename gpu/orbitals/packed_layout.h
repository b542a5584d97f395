#pragma once

/// The memory layout of the pointwise kernels' input. Plain numbers, for host and device.
namespace isolume::gpu {

/// The unit of all reads.
struct alignas(16) Word {
  float x, y, z, w;
};

/// Everything is one array of 16-byte words, in sections that the kernels' loops run through front to back:
///   centres       two words each: (n_x, n_y, n_z, radius^2) and (r_x, r_y, r_z, first_group * 16 + groups).
///                 On grids a point stands at step * (index - n) + r relative to the centre; scattered
///                 points, in two floats each, at (high - n) + (low - r).
///   groups        one word each: (first primitive, primitives << 12 | shells, first coefficient word within
///                 a pass, first radius), four integers. A group is up to three shells of one atom that share
///                 their exponents; `shells` holds l + 1 of each in four bits, the first shell lowest.
///   primitives    one word each: (-exponent * log2(e), c_0, c_1, c_2), one coefficient a shell of the group.
///   coefficients  for each pass and shell: monomials x columns, row by row, filled up to whole words; at a
///                 pass's end its columns' weights.
///   radii         one float a primitive of every group (only for the kernel that screens): the square of the
///                 distance beyond which this primitive and those after it in the group are left out;
///                 negative: everywhere.
struct PackedLayout {
  int centre_count = 0;
  int first_group = 0;  ///< in words, like the following members
  int first_primitive = 0;
  int first_coefficient = 0;
  int words_per_pass = 0;  ///< coefficients and weights
  int first_radius = 0;
  int columns_per_pass = 1;  ///< 1, 2, 4, 8 or 16
  int pass_count = 0;
};

/// Maximum number of groups per centre: an atom with more is packed as several centres.
inline constexpr int most_groups_per_centre = 4;
inline constexpr int most_shells_per_group = 3;

/// Monomials x^i y^j z^k with i + j + k = l.
constexpr int monomial_count(int l) {
  return (l + 1) * (l + 2) / 2;
}
/// Number of words of one shell's coefficients in one pass.
constexpr int coefficient_words(int l, int columns) {
  return (monomial_count(l) * columns + 3) / 4;
}

}  // namespace isolume::gpu
