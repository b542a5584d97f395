#pragma once

#include <cstddef>
#include <cstdint>

#include "core/electrostatics/sums/pair_potentials.h"
#include "gpu/electrostatics/pair_points.h"
#include "gpu/runtime/streams/stream_name.h"

/// Sums of all charges at the points of a grid, q / r, q exp(-kappa r) / r or q / r^2. As on the CPU,
/// positions of charges relative to a tile of points are computed in double precision, pairs are added in
/// single precision, and the sums of a few hundred charges in double.
///
/// Bounds: a pair takes 1 inverse root (screened: 1 power of 2 in addition; q / r^2: 1 reciprocal instead),
/// of which a multiprocessor does 16 in a clock, and 3.5 single-precision operations (4 for each charge,
/// shared by 8 points), of which it does 128: 132 multiprocessors at 1.75 GHz could do 3700 G pairs a second.
/// `shared` reads 32 bytes per charge for 1024 points.
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

/// Number of charges that are added up in single precision.
inline constexpr std::uint32_t added_singly = 512;

/// Charges pass through shared memory; a thread has 8 points along z, which share their distances along x and
/// y.
namespace shared {
inline constexpr int side_x = 16, side_y = 8, side_z = 8;
/// Queues the sums: those of plane `first + i` begin at out[i * size[0] * size[1]].
void sum(const DirectCharges& charges, const GridSlab& slab, const DirectLaw& law, float* out,
         const Stream& stream);
}  // namespace shared

/// After Stone and Hardy (E04's direct Coulomb summation): charges are in constant memory, which all threads
/// of a warp read at once; a thread has 8 points along x, 16 apart, which share their squared distance along
/// y and z. The original uploads charges for each plane, with the distance along z computed by the host; here
/// they are relative to a brick of planes, because one plane has too few points for today's GPUs. A brick is
/// too wide for single-precision positions: the rounding errors are stored, too, which takes half of the
/// memory and 2 operations for each pair.
namespace constant {
inline constexpr int side_x = 128, side_y = 128, side_z = 16;
inline constexpr std::uint32_t capacity = 2048;  ///< charges, 64 KiB

/// Points of one brick; charges in constant memory are relative to its middle.
struct Brick {
  int first[3];   ///< as indices
  int planes[2];  ///< the requested ones: the first, and the end
};
struct alignas(16) NearCharge {
  float x, y, z, charge;
  float rest_x, rest_y, rest_z, unused;
};
/// For the charges first .. first + count - 1; count is at most capacity.
void bring_near(const DirectCharges& charges, std::uint32_t first, std::uint32_t count, const GridSlab& slab,
                const Brick& brick, NearCharge* near, const Stream& stream);
/// There is one constant memory per device: see constant_memory.h.
void copy_to_constant_memory(const NearCharge* near, std::uint32_t count, const Stream& stream);
/// Adds the charges in constant memory to `sums` (a brick's, x fastest), after setting them to 0 if it
/// `begins`; if it `ends`, writes the results like shared::sum.
void add(std::uint32_t count, bool begins, bool ends, const GridSlab& slab, const Brick& brick,
         const DirectLaw& law, double* sums, float* out, const Stream& stream);
}  // namespace constant

}  // namespace isolume::gpu::pair_kernels
