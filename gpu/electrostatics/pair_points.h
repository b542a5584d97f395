#pragma once

namespace isolume::gpu::pair_kernels {

/// 32 bytes, in angstrom and e.
struct alignas(16) Charge {
  double x, y, z, charge;
};

/// Planes of a grid along x, y and z; lengths in angstrom.
struct GridSlab {
  double origin[3], step[3];
  int size[3];       ///< of the whole grid
  int first, count;  ///< requested planes
};

/// Numbers of the cubes of points of a block. Their positions on the grid do not depend on the requested
/// planes, so that values do not depend on the slab.
struct TileCounts {
  unsigned x, y, z;
  int first_z;
};
inline TileCounts tiles_of(const GridSlab& slab, int side_x, int side_y, int side_z) {
  const auto tiles = [](int points, int side) { return static_cast<unsigned>((points + side - 1) / side); };
  const int first = slab.first / side_z;
  return {tiles(slab.size[0], side_x), tiles(slab.size[1], side_y),
          tiles(slab.first + slab.count, side_z) - static_cast<unsigned>(first), first};
}

}  // namespace isolume::gpu::pair_kernels
