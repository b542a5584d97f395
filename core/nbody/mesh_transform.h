#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>

namespace isolume::nbody {

/// Fourier transforms of a cube of real numbers, [x][y][z] with z fastest, in double precision. On the threads of
/// TBB's arena, with the same result on any number of them.
class MeshTransform {
 public:
  using Complex = std::complex<double>;

  /// `side`: an even number without prime factors above 5 (suits_transform), at least 2.
  explicit MeshTransform(std::size_t side);
  ~MeshTransform();

  std::size_t side() const { return side_; }
  std::size_t values() const { return side_ * side_ * side_; }
  /// Modes [kx][ky][kz], of kz from 0 to side / 2 only: the others are the conjugates of these.
  std::size_t modes() const { return side_ * side_ * depth(); }
  std::size_t depth() const { return side_ / 2 + 1; }
  /// The wave number of a row or column of modes, in 2 pi / side: from -side / 2 + 1 to side / 2.
  int wave_number(std::size_t index) const {
    return static_cast<int>(index) - (2 * index > side_ ? static_cast<int>(side_) : 0);
  }

  /// modes[k] = sum over x of values[x] exp(-2 pi i k x / side).
  void forward(std::span<const double> values, std::span<Complex> modes) const;
  /// values[x] = sum over k of modes[k] exp(2 pi i k x / side). Of modes with kz of 0 and side / 2 those at k and -k
  /// must be conjugates. What is left in the modes means nothing.
  void inverse(std::span<Complex> modes, std::span<double> values) const;

 private:
  struct Plan;
  void transform_planes(std::span<Complex> modes, const Plan& plan) const;

  std::size_t side_;
  std::unique_ptr<const Plan> forward_, inverse_;
};

/// Even, and without prime factors above 5.
bool suits_transform(std::size_t side);
/// The least number that suits and is not below this one.
std::size_t next_transform_side(std::size_t side);

}  // namespace isolume::nbody
