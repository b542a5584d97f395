#pragma once

#include <cstddef>
#include <cstdint>

#include "core/gaussians/site_kernels.h"
#include "gpu/runtime/streams/stream_name.h"

/// The potential of a wavefunction by core/gaussians/charge_sites.h: for a tile of points, the near Gaussians
/// of a site one by one and the others together, by the same distances as on the CPU. Lengths in bohr.
///
/// A block's warps share a tile, and each adds up every fourth Gaussian and site, so that the few thousand
/// points of a molecular surface fill a GPU, too. All threads of a warp read the same coefficients at once;
/// on grids each of these numbers is used for two points of a thread. F_m comes from the table and bounds
/// of core/gaussians/boys_function.h, to 1e-14 of it.
///
/// Everything is in double precision: next to a nucleus the sum has terms of some ten Eh/e that nearly
/// cancel, and 1e-6 Eh/e is less than the error of single precision (6e-8 of each of hundreds). On a GPU with
/// 1/64 as many of these operations as in single precision, they are the limit.
///
/// Bounds: a Gaussian of order n takes near_count(n) multiply-adds (1, 4, 11, 24, 46, ... 581) for each point
/// and about 30 + 2 n more for its Boys function; 132 multiprocessors with 64 a clock at 1.75 GHz could do 15
/// T of them a second. A tile reads 48 + 8 near_count(n) bytes for them, and each point 64 bytes of a table
/// of 20 KiB that stays in the cache.
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
  const double* boys;  ///< boys_table(0), followed by those of the other orders
  std::uint32_t site_count, nucleus_count;
  double nearest_squared;  ///< nuclei closer than that add nothing
  double scale;
};

/// Layers of a grid of any orientation: first .. first + count - 1.
struct GridLayers {
  double origin[3];
  double step[3][3];  ///< along each of the grid's axes
  int size[3];
  int first, count;
};
/// Edge of the blocks of points that are a tile. Tiles begin at the same points whichever layers are
/// requested.
inline constexpr int grid_tile_edge = 4;
/// Queues the sums: the values of layer first + i begin at out[i * size[0] * size[1]].
void sum_on(const Source& source, const GridLayers& layers, float* out, const Stream& stream);

struct PlaceRun {
  const double* places;  ///< x, y and z of each
  std::uint32_t all;     ///< total number
  std::uint32_t first, count;
};
/// Number of consecutive points that are a tile; tiles begin at its multiples.
inline constexpr int place_tile = 32;
/// Value i goes to out[i], and its remainder to out[stride + i].
void sum_at(const Source& source, const PlaceRun& places, float* out, std::size_t stride,
            const Stream& stream);

}  // namespace isolume::gpu::quantum_kernels
