#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/electrostatics/place_kernels.h"
#include "gpu/runtime/stream_name.h"

/// Charges spread over an electrostatics::StencilMesh, and a potential interpolated between its points, by the same weights
/// in double precision. Meshes are in device memory, [z][y][x] with x fastest.
///
/// Bounds: a mesh's point looks at order^2 rows of cells, 8 bytes each, and takes 2 operations of double precision for each of
/// the charges in them: at one charge to 4 points and order 8, 512 bytes of cells and 128 charges of 24 bytes, most of both
/// from caches. A lattice along the mesh takes `order` multiply-adds a point, and reads and writes 4 bytes.
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

/// Charges by cells: by the first point, along each axis, of those over which one is spread.
struct ByCell {
  const std::uint32_t* starts;  ///< of each cell, numbered as points are, and where the last one ends
  const int* first_x;           ///< of each charge
  const double* weights;        ///< of each charge along x, y and z, `order` each; along z, times the charge
};

/// Queues: the cell of each charge, and its number.
void find_cells(const MeshCharges& charges, const Mesh& mesh, std::uint64_t* cells, std::uint32_t* numbers,
                const Stream& stream);
/// From the cells in order: ByCell::starts.
void find_starts(const std::uint64_t* cells, std::uint32_t count, const Mesh& mesh, std::uint32_t* starts,
                 const Stream& stream);
/// From the numbers in that order: what else ByCell has. Charges are multiplied by `factor`.
void weigh(const MeshCharges& charges, const std::uint32_t* numbers, const Mesh& mesh, double factor,
           int* first_x, double* weights, const Stream& stream);
/// The charges at each point. A point's sum is one thread's, over charges in the order of the cells, and within one in that in
/// which they came: no atomic additions, so that the same charges give the same bits in every run. (Additions to integers
/// would, too, but all charges together would then bound how small a part of one can be.)
void gather(const ByCell& charges, const Mesh& mesh, double* values, const Stream& stream);

/// Along one axis, for each of a lattice's points there: the first point of the mesh, and the weights of `order` of them.
struct Stencils {
  const int* first;
  const double* weights;
};

/// Adds `scale` times the potential in planes of a lattice whose axes are the mesh's, to out[0] on. `work`: as many values as
/// lattice_work_size says for so many planes.
void add_to_planes(const Mesh& mesh, const double* values, const Stencils (&stencils)[3],
                   const pair_kernels::LatticeSlab& slab, double scale, double* work, float* out,
                   const Stream& stream);
inline std::size_t lattice_work_size(const Mesh& mesh, const pair_kernels::LatticeSlab& slab, int planes) {
  const auto wide = static_cast<std::size_t>(mesh.points[0]);
  return static_cast<std::size_t>(planes) * wide *
         (static_cast<std::size_t>(mesh.points[1]) + static_cast<std::size_t>(slab.size[1]));
}

/// Of a lattice that lies anyhow in the mesh's coordinates: its first point, and steps as columns.
struct SkewedLattice {
  double origin[3], step[3][3];  ///< step[row][axis]
};
/// The same, point by point.
void add_to_skewed_planes(const Mesh& mesh, const double* values, const SkewedLattice& lattice,
                          const pair_kernels::LatticeSlab& slab, double scale, float* out,
                          const Stream& stream);

/// Adds to values as pair_kernels::sum_direct_at writes them. `to_mesh`: rows of what makes coordinates of places.
struct ToMesh {
  double row[3][3];
};
void add_at_places(const Mesh& mesh, const double* values, const ToMesh& to_mesh,
                   const pair_kernels::PlaceSet& places, double scale, float* out, std::size_t stride,
                   const Stream& stream);

}  // namespace isolume::gpu::mesh_kernels
