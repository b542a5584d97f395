#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/electrostatics/pair_points.h"
#include "gpu/runtime/stream_name.h"

/// Sums of q / r (1 - r^2 / cutoff^2)^2, of the same over r^2, or of q (1 / r - smooth(r)), over the charges within a cut-off at the points of a
/// lattice, a block for each 8 x 8 x 8 points. As the CPU's: charges are brought near the middle of the cube, pairs are added
/// in single precision, and the sums of some hundred charges in double.
///
/// Bounds: a pair that is tried takes 7 operations of single precision (4 more for each charge, shared by 4 points) and
/// 1 inverse root; a part of a pair has as many more as its polynomial has terms. At 0.5 angstrom and a cut-off of 12, the points of a cube see 1320 charges of water, 740 of which are
/// within the cut-off of a point. 1.2e8 points then have 1.6e11 pairs to try, 44 ms where a multiprocessor does 128
/// operations a clock, 132 of them at 1.75 GHz; their 480 MB take 20 to 40 ms to the host meanwhile, by a bus of 24 to 12
/// GB/s.
namespace isolume::gpu::pair_kernels {

/// Points of a block along each axis.
inline constexpr int region_side = 8;

struct Within {
  float cutoff, cutoff_squared;
  double scale;
};

struct CutoffLaw {
  static constexpr int most_terms = 24;

  Within within;
  float inverse_cutoff_squared;
  bool grows;  ///< electrostatics::PairLaw::distance_cutoff: (1 - r^2 / cutoff^2)^2 / r^2
  int terms;   ///< 0: (1 - r^2 / cutoff^2)^2 / r; else electrostatics::PairLaw::split, by a polynomial
  float smooth[most_terms];  ///< of so many terms in u
};

/// Of an atom's Gaussian, 2 to the power of `highest` - charge r^2: `reach` is no nearer than where any falls to `least`, below which
/// they are left out.
struct GaussianLaw {
  float reach, highest, least;
};

/// Any number of charges in each of the cubes of electrostatics::Bins.
namespace sorted_bins {

struct SortedBins {
  const Charge* charges;
  const std::uint32_t* starts;  ///< of each bin, x fastest, and where the last one ends
  double low[3], side;
  int counts[3];
};
/// Queues the sums: those of plane `first + i` begin at out[i * size[0] * size[1]].
void sum(const SortedBins& bins, const LatticeSlab& slab, const CutoffLaw& law, float* out,
         const Stream& stream);
/// The same of Gaussians. What an atom has as its charge is not 0.
void sum_gaussians(const SortedBins& bins, const LatticeSlab& slab, const GaussianLaw& law, float* out,
                   const Stream& stream);

}  // namespace sorted_bins

/// After Hardy and Stone (E04's short-range cut-off): bins of 8 charges, those around a block's points by a list of
/// offsets in constant memory, which 8 threads a bin bring into shared memory. There, they bring one bin at a time; here
/// 16, as many as a block has threads for.
namespace fixed_bins {

inline constexpr int depth = 8;
inline constexpr int most_neighbours = 16384;  ///< 64 KiB

/// One of the offsets, each in [-512, 511].
constexpr std::uint32_t packed(int x, int y, int z) {
  return static_cast<std::uint32_t>(x + 512) | static_cast<std::uint32_t>(y + 512) << 10 |
         static_cast<std::uint32_t>(z + 512) << 20;
}

struct Bins {
  /// `depth` a bin: x, y and z relative to its middle and the charge, which is 0 behind the last one. 16 bytes each.
  const float* charges;
  double low[3], side;
  int counts[3];
  int neighbours;  ///< offsets
};
/// There is one constant memory a device: see constant_memory.h. Offsets are in device memory.
void copy_to_constant_memory(const std::uint32_t* offsets, int count, const Stream& stream);
/// As sorted_bins::sum.
void sum(const Bins& bins, const LatticeSlab& slab, const CutoffLaw& law, float* out, const Stream& stream);

}  // namespace fixed_bins

}  // namespace isolume::gpu::pair_kernels
