#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/nbody/tree/walk_kernels.h"

/// The data of a frame, computed on the device of the bodies: values in single precision, and sums over all
/// bodies, with the operations of NBodySimulation::frame and nbody::diagnostics_of in their order. Velocities
/// and forces are in the format of leapfrog_kernels.h. All queue their kernels.
///
/// Bounds: memory; sums are added sequentially in blocks of nbody::bodies_of_a_sum, with one thread for each
/// kind of sum, which for a million bodies takes as long as reading them.
namespace isolume::gpu::nbody_kernels {

struct BodiesNow {
  const WalkBody* bodies;
  const double* velocities;
  const double* forces;
  std::uint32_t count;
};

inline constexpr std::uint32_t bodies_of_one_sum = 1u << 12;  ///< nbody::bodies_of_a_sum
/// nbody::Totals of a block, in its order.
inline constexpr int totals_of_block = 12;
std::uint32_t blocks_of_sums(std::uint32_t count);
/// `totals_of_block` numbers for each block: mass, kinetic and potential energy, mass times position,
/// momentum, angular momentum about the origin.
void sum_totals(const BodiesNow& now, double* totals, const Stream& stream);

/// Destinations of a frame's values; null: not requested.
struct FrameNumbers {
  float* positions;   ///< three per body, relative to the centre
  float* speeds;      ///< one per body
  float* velocities;  ///< three per body
  float* potentials;  ///< one per body
};
struct Centre {
  double place[3];
};
void write_frame(const BodiesNow& now, const Centre& centre, const FrameNumbers& to, const Stream& stream);

/// Keys that sort bodies by their distance from the centre (its bits), and their numbers.
void number_by_distance(const BodiesNow& now, const Centre& centre, std::uint64_t* keys,
                        std::uint32_t* numbers, const Stream& stream);
/// The mass of each block of sorted bodies.
void sum_masses(const BodiesNow& now, const std::uint32_t* sorted_numbers, double* masses,
                const Stream& stream);
inline constexpr int lagrangian_radii = 5;
struct MassesWithin {
  double masses[lagrangian_radii];
};
/// The key of the first sorted body up to which the cumulative mass reaches this value; 0 if there is none.
struct SortedBodies {
  const std::uint64_t* keys;
  const std::uint32_t* numbers;
  const double* block_masses;
};
void find_radii(const BodiesNow& now, const SortedBodies& sorted, const MassesWithin& within,
                std::uint64_t* radii, const Stream& stream);

}  // namespace isolume::gpu::nbody_kernels
