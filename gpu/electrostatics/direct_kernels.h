#pragma once

#include <cstddef>
#include <cstdint>

#include "core/electrostatics/pair_potentials.h"
#include "gpu/electrostatics/pair_points.h"
#include "gpu/runtime/stream_name.h"

/// Sums of all charges at the points of a lattice, q / r, q exp(-kappa r) / r or q / r^2. As the CPU's: charges are brought near
/// a tile of points in double precision, pairs are added in single precision, and the sums of some hundred charges are
/// added up in double.
///
/// Bounds: a pair takes 1 inverse root (screened: 1 power of 2 besides; q / r^2: 1 reciprocal instead), which a multiprocessor does 16 of a clock, and
/// 3.5 operations of single precision (4 for each charge, shared by 8 points), of which it does 128: 132 multiprocessors
/// at 1.75 GHz could do 3700 G pairs a second. `shared` reads 32 bytes a charge for 1024 points.
namespace isolume::gpu::pair_kernels {

struct DirectCharges {
  const Charge* charges;
  std::uint32_t count;
};

struct DirectLaw {
  electrostatics::PairLaw law;  ///< coulomb, screened or distance
  float minus_kappa_log2;       ///< exp(-kappa r) is 2 to the power of this times r; 1/angstrom
  double scale;
};

/// So many charges are added up in single precision.
inline constexpr std::uint32_t added_singly = 512;

/// Charges pass through shared memory; a thread has 8 points along z, for which distances along x and y are the same.
namespace shared {
inline constexpr int side_x = 16, side_y = 8, side_z = 8;
/// Queues the sums: those of plane `first + i` begin at out[i * size[0] * size[1]].
void sum(const DirectCharges& charges, const LatticeSlab& slab, const DirectLaw& law, float* out,
         const Stream& stream);
}  // namespace shared

/// After Stone and Hardy (E04's direct Coulomb summation): charges in constant memory, which all threads of a warp read
/// at once; a thread has 8 points along x, 16 apart, for which the square of the distance along y and z is the same.
/// There, charges are uploaded for each plane with that along z made out by the host; here, relative to a brick of
/// planes, because a plane alone is too few points for today's GPUs. A brick is too wide for places of single
/// precision: what rounding leaves of them is there, too, which takes half of the room and 2 operations of each pair.
namespace constant {
inline constexpr int side_x = 128, side_y = 128, side_z = 16;
inline constexpr std::uint32_t capacity = 2048;  ///< charges, 64 KiB

/// Points of one brick, relative to whose middle the charges in constant memory are.
struct Brick {
  int first[3];   ///< indices
  int planes[2];  ///< those that are wanted: the first, and behind the last
};
struct alignas(16) NearCharge {
  float x, y, z, charge;
  float rest_x, rest_y, rest_z, unused;
};
/// Of charges first .. first + count - 1; count is capacity at most.
void bring_near(const DirectCharges& charges, std::uint32_t first, std::uint32_t count,
                const LatticeSlab& slab, const Brick& brick, NearCharge* near, const Stream& stream);
/// There is one constant memory a device: see constant_memory.h.
void copy_to_constant_memory(const NearCharge* near, std::uint32_t count, const Stream& stream);
/// Adds those in constant memory to `sums` (a brick's, x fastest), which `begins` sets to 0 before; where it `ends`,
/// writes the results as shared::sum does.
void add(std::uint32_t count, bool begins, bool ends, const LatticeSlab& slab, const Brick& brick,
         const DirectLaw& law, double* sums, float* out, const Stream& stream);
}  // namespace constant

}  // namespace isolume::gpu::pair_kernels
