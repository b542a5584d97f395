#pragma once

#include <cstddef>

#include "gpu/orbitals/packed_layout.h"
#include "gpu/runtime/streams/stream_name.h"

/// Kernels that compute every point separately, from PackedShells. The inner loops are E01's Algorithm 1: the
/// radial part once per shell, then the monomials of all columns of a pass.
namespace isolume::gpu {

enum class PlaceKind : int { aligned_grid, grid, scattered };

/// A set of points and their positions.
struct PointSet {
  PlaceKind kind = PlaceKind::aligned_grid;
  float step[9] = {};  ///< the grid's steps: step[3 * axis + 0 .. 2] are x, y and z of one axis
  int nx = 0, ny = 0, nz = 0;
  const float* places = nullptr;  ///< scattered: rows x, y, z, then the rounding errors of floats
  std::size_t place_stride = 0;   ///< of the rows: the number of points
  const float* boxes = nullptr;   ///< scattered and range-limited: see ScatteredBox, one per block
  int first = 0;                  ///< the slab: planes of a grid, else points
  int count = 0;
};

/// The box around consecutive scattered points.
struct ScatteredBox {
  float centre[3];
  float centre_rest[3];  ///< rounding error
  float half_width[3];   ///< rounded upwards
};

/// Destination of the values.
struct FieldOutput {
  float* values = nullptr;
  std::size_t stride = 0;  ///< between columns
  int first_column = 0;    ///< of this launch's first pass
  int column_count = 0;    ///< of the problem; 0 and more for a density too
  bool density = false;    ///< one field sum_k w_k psi_k^2
  bool add = false;        ///< density: added to the present values
};

inline constexpr int threads_per_block = 128;
/// Points that one thread computes at once, sharing the reads of shells.
constexpr int points_per_thread(int columns_per_pass) {
  return columns_per_pass <= 4 ? 2 : 1;
}
constexpr int points_per_block(int columns_per_pass) {
  return threads_per_block * points_per_thread(columns_per_pass);
}
/// The range-limited kernel processes bricks of 16 x 4 points and this many planes, which begin at multiples
/// of it; or points_per_block consecutive scattered points.
constexpr int brick_planes(int columns_per_pass) {
  return 2 * points_per_thread(columns_per_pass);
}
inline constexpr int brick_width_x = 16;
inline constexpr int brick_width_y = 4;

/// 64 KiB.
inline constexpr int constant_memory_words = 4096;

/// Copies words from device memory into constant memory, in stream order. There is one constant memory per
/// device: the caller ensures that no kernel that reads it is running.
void copy_to_constant_memory(const Word* words, std::size_t count, std::size_t first, const Stream& stream);

/// All queue one kernel. `words` is device memory. For a density, a launch without passes writes zeros.
void launch_constant(const PackedLayout& layout, const PointSet& points, const FieldOutput& output,
                     const Stream& stream);
void launch_tiled(const PackedLayout& layout, const Word* words, const PointSet& points,
                  const FieldOutput& output, const Stream& stream);
void launch_cached(const PackedLayout& layout, const Word* words, const PointSet& points,
                   const FieldOutput& output, const Stream& stream);
/// For words packed with a tolerance.
void launch_range_limited(const PackedLayout& layout, const Word* words, const PointSet& points,
                          const FieldOutput& output, const Stream& stream);

}  // namespace isolume::gpu
