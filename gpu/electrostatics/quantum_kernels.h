#pragma once

#include <cstddef>
#include <cstdint>

#include "core/gaussians/site_kernels.h"
#include "gpu/runtime/stream_name.h"

/// The potential of a wavefunction, as core/gaussians/charge_sites.h has it: for a tile of points, the Gaussians of a site that are
/// near by themselves and the others together, by the same distances as the CPU. Lengths in bohr.
///
/// A block's warps share a tile, and each adds up every fourth Gaussian and site, so that a molecule's surface of some thousand
/// points fills a GPU, too. All threads of a warp read the same coefficients at once; on lattices each of these numbers is read for two
/// points of a thread. F_m by core/gaussians/boys_function.h's table and bounds: 1e-14 of it.
///
/// All in double precision: next to a nucleus the sum is of terms of some ten Eh/e that nearly cancel, and 1e-6 of Eh/e is less than
/// single precision has of them (6e-8 of each of hundreds). Where a GPU does 1/64 as many of these operations as single ones,
/// that is what bounds it.
///
/// Bounds: a Gaussian of order n takes near_count(n) multiply-adds (1, 4, 11, 24, 46, ... 581) for each point and for its Boys
/// function about 30 + 2 n besides; 132 multiprocessors with 64 a clock at 1.75 GHz could do 15 T of them a second. A tile reads
/// 48 + 8 near_count(n) bytes for them, and each point 64 bytes of a table of 20 KiB that stays in the cache.
namespace isolume::gpu::quantum_kernels {

struct SiteVersion {
  double from;
  std::uint64_t first;  ///< of its coefficients
  std::int64_t order;
};
struct SiteClass {
  double range;
  std::uint32_t first_gaussian, first_version;
};
struct Site {
  double x, y, z;
  /// The versions of a class end where those of the next one begin, the last one's at end_version.
  std::uint32_t first_class, class_count, end_gaussian, end_version;
};

/// Addresses on the device.
struct Source {
  const Site* sites;
  const SiteClass* classes;
  const SiteVersion* versions;
  const gaussians::NearGaussian* gaussians;
  const double* near_coefficients;
  const double* far_coefficients;
  const gaussians::Nucleus* nuclei;
  const double* boys;  ///< boys_table(0), behind which those of the other orders follow
  std::uint32_t site_count, nucleus_count;
  double nearest_squared;  ///< nuclei nearer than that add nothing
  double scale;
};

/// Layers of a lattice, which may be turned: first .. first + count - 1.
struct LatticeLayers {
  double origin[3];
  double step[3][3];  ///< along each of the lattice's axes
  int size[3];
  int first, count;
};
/// Blocks of so many points along each axis are a tile, which begin at the same points whichever layers are wanted.
inline constexpr int lattice_tile_edge = 4;
/// Queues the sums: the values of layer first + i begin at out[i * size[0] * size[1]].
void sum_on(const Source& source, const LatticeLayers& layers, float* out, const Stream& stream);

struct PlaceRun {
  const double* places;  ///< x, y and z of each
  std::uint32_t all;     ///< how many there are
  std::uint32_t first, count;
};
/// So many that follow each other are a tile, which begin at multiples of it.
inline constexpr int place_tile = 32;
/// Value i goes to out[i], and what is left of it to out[stride + i].
void sum_at(const Source& source, const PlaceRun& places, float* out, std::size_t stride,
            const Stream& stream);

}  // namespace isolume::gpu::quantum_kernels
