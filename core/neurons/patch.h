#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/grid/grid.h"

namespace isolume::neurons {

/// A volume as slices across one of its axes. Positions within a slice are (u, v): indices along the other two axes.
struct Stack {
  grid::Grid grid;
  std::span<const float> values;
  int axis = 2;  ///< across the slices

  std::array<int, 2> in_plane() const {
    return axis == 0 ? std::array{1, 2} : axis == 1 ? std::array{0, 2} : std::array{0, 1};
  }
  int width() const { return grid.dimensions[static_cast<std::size_t>(in_plane()[0])]; }
  int height() const { return grid.dimensions[static_cast<std::size_t>(in_plane()[1])]; }
  int slices() const { return grid.dimensions[static_cast<std::size_t>(axis)]; }
  /// The number of a voxel, as the grid orders them.
  std::size_t voxel(int u, int v, int slice) const;
  Eigen::Vector3d position(double u, double v, double slice) const;
};

/// A rectangle of a slice with a value for each pixel, u fastest; its first pixel is (u0, v0) of the slice.
struct Patch {
  int u0 = 0, v0 = 0, width = 0, height = 0;
  std::vector<float> values;

  std::size_t at(int u, int v) const {
    return static_cast<std::size_t>(v) * static_cast<std::size_t>(width) + static_cast<std::size_t>(u);
  }
  /// Bilinear at a position of the patch; positions outside have the values of its border.
  float sample(double u, double v) const;
};

/// A part of a slice after a Gaussian of `sigma` pixels. Pixels outside of the slice have the values of its border.
Patch patch_of(const Stack& stack, int slice, int u0, int v0, int width, int height, double sigma);

/// The patch moved by (du, dv) on the rectangle of another one, bilinear; `outside` where it does not reach.
Patch shifted(const Patch& patch, double du, double dv, const Patch& like, float outside);

/// How far the content of `before` around a position has moved in `after`, in pixels.
struct Match {
  double du = 0, dv = 0;
  double correlation = 0;  ///< normalised, -1 to 1
};
/// Translation of the largest normalised cross-correlation among whole ones within `reach` pixels of (du, dv), refined
/// by parabolas. The content is a square of side 2 half + 1 around (u, v) of the slice, of which every `stride`th pixel
/// counts. Both patches are of the same slices' coordinates.
Match match(const Patch& before, const Patch& after, double u, double v, int half, int stride, int reach,
            const Match& from = {});

}  // namespace isolume::neurons
