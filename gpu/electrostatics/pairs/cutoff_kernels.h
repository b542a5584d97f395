#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/electrostatics/pair_points.h"
#include "gpu/runtime/streams/stream_name.h"

/// Sums of q / r (1 - r^2 / cutoff^2)^2, of the same over r^2, or of q (1 / r - smooth(r)), over the charges
/// within a cut-off at the points of a grid, with a block for each 8 x 8 x 8 points. As on the CPU,
/// positions of charges relative to the middle of the cube are computed first, pairs are added in single
/// precision, and the sums of a few hundred charges in double.
///
/// Bounds: testing a pair takes 7 single-precision operations (4 more for each charge, shared by 4 points)
/// and 1 inverse root; the near part of a pair takes one more for each term of its polynomial. At 0.5
/// angstrom and a cut-off of 12, 1320 charges of water are in range of a cube, 740 of them within the cut-off
/// of a point. 1.2e8 points then have 1.6e11 pairs to test: 44 ms at 128 operations a clock on 132
/// multiprocessors at 1.75 GHz. Their 480 MB take 20 to 40 ms to the host meanwhile, over a bus of 24 to 12
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
  float smooth[most_terms];  ///< coefficients of these terms in u
};

/// Gaussians of atoms, 2 to the power of `highest` - charge r^2. They are left out below `least`, which none
/// exceeds beyond `reach`.
struct GaussianLaw {
  float reach, highest, least;
};

/// Any number of charges in each of the cubes of electrostatics::Bins.
namespace sorted_bins {

struct SortedBins {
  const Charge* charges;
  const std::uint32_t* starts;  ///< of each bin, x fastest, and the end of the last one
  double low[3], side;
  int counts[3];
};
/// Queues the sums: those of plane `first + i` begin at out[i * size[0] * size[1]].
void sum(const SortedBins& bins, const GridSlab& slab, const CutoffLaw& law, float* out,
         const Stream& stream);
/// The same for Gaussians. The value that replaces an atom's charge must not be 0.
void sum(const SortedBins& bins, const GridSlab& slab, const GaussianLaw& law, float* out,
         const Stream& stream);

}  // namespace sorted_bins

/// After Hardy and Stone (E04's short-range cut-off): bins of 8 charges; a list of offsets in constant memory
/// gives the bins around a block's points, which 8 threads per bin load into shared memory. The original
/// loads one bin at a time; this kernel loads 16, as many as a block has threads for.
namespace fixed_bins {

inline constexpr int depth = 8;
inline constexpr int most_neighbours = 16384;  ///< 64 KiB

/// One offset; each component is in [-512, 511].
constexpr std::uint32_t packed(int x, int y, int z) {
  return static_cast<std::uint32_t>(x + 512) | static_cast<std::uint32_t>(y + 512) << 10 |
         static_cast<std::uint32_t>(z + 512) << 20;
}

struct Bins {
  /// `depth` entries per bin: x, y and z relative to its middle and the charge, which is 0 after the last
  /// one. 16 bytes each.
  const float* charges;
  double low[3], side;
  int counts[3];
  int neighbours;  ///< number of offsets
};
/// There is one constant memory per device: see constant_memory.h. Offsets are in device memory.
void copy_to_constant_memory(const std::uint32_t* offsets, int count, const Stream& stream);
/// Like sorted_bins::sum.
void sum(const Bins& bins, const GridSlab& slab, const CutoffLaw& law, float* out, const Stream& stream);

}  // namespace fixed_bins

}  // namespace isolume::gpu::pair_kernels
