#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/electrostatics/pairs/place_kernels.h"
#include "gpu/runtime/streams/stream_name.h"

/// Spreads charges over an electrostatics::StencilMesh, and interpolates a potential between its points, with
/// the same weights in double precision. Meshes are in device memory, [z][y][x] with x fastest.
///
/// Bounds: a mesh point reads order^2 rows of cells, 8 bytes each, and takes 2 double-precision operations
/// for each of the charges in them: at one charge per 4 points and order 8, 512 bytes of cells and 128
/// charges of 24 bytes, mostly from caches. A grid along the mesh takes `order` multiply-adds per point,
/// and reads and writes 4 bytes.
namespace isolume::gpu::mesh_kernels {

using pair_kernels::Charge;

struct Mesh {
  double origin[3], spacing[3];
  int points[3];
  bool periodic[3];
  bool splines;  ///< or else Lagrange's polynomials
  int order;

  constexpr std::size_t size() const {
    return static_cast<std::size_t>(points[0]) * static_cast<std::size_t>(points[1]) *
           static_cast<std::size_t>(points[2]);
  }
};

/// In the mesh's coordinates.
struct MeshCharges {
  const Charge* charges;
  std::uint32_t count;
};

/// Charges sorted by cells. The cell is the first point, along each axis, of those over which a charge is
/// spread.
struct ByCell {
  const std::uint32_t* starts;  ///< of each cell, numbered like points, and the end of the last one
  const int* first_x;           ///< of each charge
  const double* weights;  ///< of each charge along x, y and z, `order` each; those along z include the charge
};

/// Queues the computation of each charge's cell, and its number.
void find_cells(const MeshCharges& charges, const Mesh& mesh, std::uint64_t* cells, std::uint32_t* numbers,
                const Stream& stream);
/// Computes ByCell::starts from the sorted cells.
void find_starts(const std::uint64_t* cells, std::uint32_t count, const Mesh& mesh, std::uint32_t* starts,
                 const Stream& stream);
/// Computes the other members of ByCell from the numbers in that order. Charges are multiplied by `factor`.
void weigh(const MeshCharges& charges, const std::uint32_t* numbers, const Mesh& mesh, double factor,
           int* first_x, double* weights, const Stream& stream);
/// Computes the charges at each point. One thread computes a point's sum, over cells in order, and within a
/// cell over charges in their original order. There are no atomic additions, so the same charges give the
/// same bits in every run. (Integer additions would do so, too, but the sum of all charges would then limit
/// their resolution.)
void gather(const ByCell& charges, const Mesh& mesh, double* values, const Stream& stream);

/// For each of a grid's points along one axis: the first point of the mesh, and the weights of `order`
/// points.
struct Stencils {
  const int* first;
  const double* weights;
};

/// Adds `scale` times the potential in planes of a grid along the mesh's axes to out[0] on. `work`: as
/// many values as grid_work_size returns for this number of planes.
void add_to_planes(const Mesh& mesh, const double* values, const Stencils (&stencils)[3],
                   const pair_kernels::GridSlab& slab, double scale, double* work, float* out,
                   const Stream& stream);
inline std::size_t grid_work_size(const Mesh& mesh, const pair_kernels::GridSlab& slab, int planes) {
  const auto wide = static_cast<std::size_t>(mesh.points[0]);
  return static_cast<std::size_t>(planes) * wide *
         (static_cast<std::size_t>(mesh.points[1]) + static_cast<std::size_t>(slab.size[1]));
}

/// A grid of any orientation in the mesh's coordinates: its first point, and steps as columns.
struct SkewedGrid {
  double origin[3], step[3][3];  ///< step[row][axis]
};
/// The same, point by point.
void add_to_skewed_planes(const Mesh& mesh, const double* values, const SkewedGrid& grid,
                          const pair_kernels::GridSlab& slab, double scale, float* out, const Stream& stream);

/// Adds to values in the format of pair_kernels::sum_direct_at. `to_mesh`: rows of the matrix from positions
/// to mesh coordinates.
struct ToMesh {
  double row[3][3];
};
void add_at_places(const Mesh& mesh, const double* values, const ToMesh& to_mesh,
                   const pair_kernels::PlaceSet& places, double scale, float* out, std::size_t stride,
                   const Stream& stream);

}  // namespace isolume::gpu::mesh_kernels
