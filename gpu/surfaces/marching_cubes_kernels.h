#pragma once

#include <cstddef>
#include <cstdint>

#include "core/surfaces/case_table.h"
#include "gpu/runtime/streams/stream_name.h"

/// The kernels of marching cubes and their launchers. A warp works on a run of 32 grid points along x, the
/// last of a row being shorter; runs are numbered like points, x fastest.
namespace isolume::gpu::surface_kernels {

constexpr unsigned run_length = 32;

struct Grid {
  const float* values;
  int dimensions[3];
  unsigned runs_per_row;
  unsigned runs;
  float threshold;  ///< points with a value at or above it are above the surface
  double isovalue;
  float origin[3];    ///< in the unit that scenes show, like the steps
  float step[9];      ///< step[3 * axis + c] is component c of the step along that axis
  float covector[9];  ///< times a gradient in grid indices, likewise by axis, gives the normal's direction
  bool mirrored;      ///< triangles have the opposite orientation of the case table
};

/// Results of the classification, one entry per run, and one more in the last two.
struct Runs {
  std::uint32_t* crossings;  ///< 3 a run: bit i of word a: the edge from point i along axis a has a vertex
  std::uint32_t* vertices;   ///< their number; after a running sum: the run's first vertex
  std::uint32_t* triangles;
};

/// Total area and bounds of the triangles of a part of the surface. Without triangles, low > high.
struct Extent {
  double area;
  float low[3];
  float high[3];
};

void classify(const Grid& grid, const surfaces::CellCase* cases, const Runs& runs, const Stream& stream);
/// How many parts measure() takes.
unsigned part_count(const Grid& grid);
void measure(const Grid& grid, const surfaces::CellCase* cases, const Runs& runs, Extent* parts,
             const Stream& stream);
/// `points` or `normals` may be null.
void write_vertices(const Grid& grid, const Runs& runs, float* points, float* normals, const Stream& stream);
void write_triangles(const Grid& grid, const surfaces::CellCase* cases, const Runs& runs,
                     std::uint32_t* corners, const Stream& stream);
/// Both ends of each side of each triangle; `lines` has room for six numbers a triangle.
void write_lines(const std::uint32_t* corners, std::size_t triangles, std::uint32_t* lines,
                 const Stream& stream);

}  // namespace isolume::gpu::surface_kernels
