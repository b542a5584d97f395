#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <memory>
#include <span>

namespace isolume::fourier {

/// Fourier transforms of a box of real numbers, [x][y][z] with z fastest, in double precision. They run on
/// the threads of TBB's arena, with the same result on any number of them.
class MeshTransform {
 public:
  using Complex = std::complex<double>;
  using Sides = std::array<std::size_t, 3>;

  /// Each side is an even number without prime factors above 5 (suits_transform), at least 2.
  explicit MeshTransform(const Sides& sides);
  ~MeshTransform();

  const Sides& sides() const { return sides_; }
  std::size_t values() const { return sides_[0] * sides_[1] * sides_[2]; }
  /// Number of modes [kx][ky][kz], of kz from 0 to sides()[2] / 2 only: the others are their conjugates.
  std::size_t modes() const { return sides_[0] * sides_[1] * depth(); }
  std::size_t depth() const { return sides_[2] / 2 + 1; }
  /// The wave number of a row or column of modes, in 2 pi / side: from -side / 2 + 1 to side / 2.
  int wave_number(std::size_t index, std::size_t axis) const {
    return static_cast<int>(index) - (2 * index > sides_[axis] ? static_cast<int>(sides_[axis]) : 0);
  }

  /// modes[k] = sum over x of values[x] exp(-2 pi i k x / side).
  void forward(std::span<const double> values, std::span<Complex> modes) const;
  /// values[x] = sum over k of modes[k] exp(2 pi i k x / side). For kz of 0 and side / 2, the modes at k and
  /// -k must be conjugates. The contents of `modes` are undefined afterwards.
  void inverse(std::span<Complex> modes, std::span<double> values) const;

 private:
  struct Plan;
  using Plans = std::array<std::unique_ptr<const Plan>, 3>;
  void transform_planes(std::span<Complex> modes, const Plans& plans) const;

  Sides sides_;
  Plans forward_, inverse_;
};

/// Sides of a cube.
inline MeshTransform::Sides cube(std::size_t side) {
  return {side, side, side};
}

/// Whether the number is even and has no prime factor above 5.
bool suits_transform(std::size_t side);
/// The smallest suitable number not below this one.
std::size_t next_transform_side(std::size_t side);

}  // namespace isolume::fourier
