#include "core/gaussians/boys_function.h"
#include "gpu/electrostatics/device_points.h"
#include "gpu/electrostatics/quantum/quantum_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::quantum_kernels {
namespace {

using gaussians::NearGaussian;
using gaussians::Nucleus;

constexpr int lanes = 32, warps = 4;
constexpr unsigned all_lanes = 0xffffffffU;
/// Points of a thread on grids and at scattered points.
constexpr int grid_points = 2, place_points = 1;
static_assert(grid_tile_edge * grid_tile_edge * grid_tile_edge == lanes * grid_points);
static_assert(place_tile == lanes * place_points);
static_assert(gaussians::boys_terms == 8);

/// Points of one thread.
template <int points>
struct Places {
  double x[points], y[points], z[points];
};

/// F_0 ... F_order; see boys_function.h.
template <int order>
__device__ __forceinline__ void boys_function(double t, const double* __restrict__ tables,
                                              double (&values)[order + 1]) {
  const double fallen = exp(-t);
  if (t >= gaussians::boys_far) {
    constexpr double half_root_of_pi = 0.886226925452758014;
    values[0] = half_root_of_pi * rsqrt(t);
    const double half_inverse = 0.5 / t;
#pragma unroll
    for (int m = 0; m < order; ++m) values[m + 1] = half_inverse * fma(2 * m + 1.0, values[m], -fallen);
    return;
  }
  const int row = static_cast<int>(fma(t, static_cast<double>(gaussians::boys_steps), 0.5));
  const double from = fma(static_cast<double>(-row), 1.0 / gaussians::boys_steps, t);
  const auto* const terms =
      reinterpret_cast<const double2*>(tables + (order * gaussians::boys_rows + row) * gaussians::boys_terms);
  const double2 a = terms[0], b = terms[1], c = terms[2], d = terms[3];
  double sum = fma(d.y, from, d.x);
  sum = fma(sum, from, c.y);
  sum = fma(sum, from, c.x);
  sum = fma(sum, from, b.y);
  sum = fma(sum, from, b.x);
  sum = fma(sum, from, a.y);
  values[order] = fma(sum, from, a.x);
#pragma unroll
  for (int m = order; m > 0; --m) values[m - 1] = fma(t + t, values[m], fallen) * (1.0 / (2 * m - 1));
}

/// By Horner's rule; see site_kernels.h.
template <int order, int points>
__device__ __forceinline__ void add_near(const NearGaussian& gaussian, const double* __restrict__ c,
                                         const double* __restrict__ tables, const Places<points>& at,
                                         double (&sums)[points]) {
  double x[points], y[points], z[points], boys[points][order + 1], sum[points];
#pragma unroll
  for (int p = 0; p < points; ++p) {
    x[p] = gaussian.x - at.x[p];
    y[p] = gaussian.y - at.y[p];
    z[p] = gaussian.z - at.z[p];
    boys_function<order>(gaussian.exponent * fma(x[p], x[p], fma(y[p], y[p], z[p] * z[p])), tables, boys[p]);
    sum[p] = 0;
  }
#pragma unroll
  for (int i = order; i >= 0; --i) {
    double sum_y[points] = {};
#pragma unroll
    for (int j = order - i; j >= 0; --j) {
      double sum_z[points] = {};
#pragma unroll
      for (int k = order - i - j; k >= 0; --k) {
#pragma unroll
        for (int p = 0; p < points; ++p) sum_z[p] *= z[p];
        const int degree = i + j + k;
#pragma unroll
        for (int m = degree; 2 * m <= order + degree; ++m) {
          const double one = *c++;
#pragma unroll
          for (int p = 0; p < points; ++p) sum_z[p] = fma(one, boys[p][m], sum_z[p]);
        }
      }
#pragma unroll
      for (int p = 0; p < points; ++p) sum_y[p] = fma(sum_y[p], y[p], sum_z[p]);
    }
#pragma unroll
    for (int p = 0; p < points; ++p) sum[p] = fma(sum[p], x[p], sum_y[p]);
  }
#pragma unroll
  for (int p = 0; p < points; ++p) sums[p] += sum[p];
}

/// For any order; all threads of a warp have the same Gaussian.
template <int points>
__device__ __forceinline__ void add_gaussian(const Source& source, std::uint32_t number,
                                             const Places<points>& at, double (&sums)[points]) {
  const NearGaussian gaussian = source.gaussians[number];
  const double* const c = source.near_coefficients + gaussian.first;
  switch (gaussian.order) {
#define ISOLUME_ORDER(order) \
  case order:                \
    return add_near<order, points>(gaussian, c, source.boys, at, sums)
    ISOLUME_ORDER(0);
    ISOLUME_ORDER(1);
    ISOLUME_ORDER(2);
    ISOLUME_ORDER(3);
    ISOLUME_ORDER(4);
    ISOLUME_ORDER(5);
    ISOLUME_ORDER(6);
    ISOLUME_ORDER(7);
    ISOLUME_ORDER(8);
    ISOLUME_ORDER(9);
    default:
      ISOLUME_ORDER(10);
#undef ISOLUME_ORDER
  }
  static_assert(gaussians::max_order == 10);
}

/// The sum of a site's distant Gaussians; see site_kernels.h.
template <int points>
__device__ __forceinline__ void add_far(const Source& source, const Site& site, const SiteVersion& version,
                                        const Places<points>& at, double (&sums)[points]) {
  double x[points], y[points], z[points], inverse[points], sum[points];
#pragma unroll
  for (int p = 0; p < points; ++p) {
    x[p] = site.x - at.x[p];
    y[p] = site.y - at.y[p];
    z[p] = site.z - at.z[p];
    inverse[p] = rsqrt(fma(x[p], x[p], fma(y[p], y[p], z[p] * z[p])));
    const double scale = inverse[p] * inverse[p];
    x[p] *= scale;
    y[p] *= scale;
    z[p] *= scale;
    sum[p] = 0;
  }
  const double* __restrict__ c = source.far_coefficients + version.first;
  const int order = static_cast<int>(version.order);
  for (int i = order; i >= 0; --i) {
    double sum_y[points] = {};
    for (int j = order - i; j >= 0; --j) {
      double sum_z[points] = {};
      for (int k = order - i - j; k >= 0; --k) {
        const double one = *c++;
#pragma unroll
        for (int p = 0; p < points; ++p) sum_z[p] = fma(sum_z[p], z[p], one);
      }
#pragma unroll
      for (int p = 0; p < points; ++p) sum_y[p] = fma(sum_y[p], y[p], sum_z[p]);
    }
#pragma unroll
    for (int p = 0; p < points; ++p) sum[p] = fma(sum[p], x[p], sum_y[p]);
  }
#pragma unroll
  for (int p = 0; p < points; ++p) sums[p] = fma(inverse[p], sum[p], sums[p]);
}

template <int points>
__device__ __forceinline__ void add_nucleus(const Source& source, const Nucleus& nucleus,
                                            const Places<points>& at, double (&sums)[points]) {
#pragma unroll
  for (int p = 0; p < points; ++p) {
    const double x = at.x[p] - nucleus.x, y = at.y[p] - nucleus.y, z = at.z[p] - nucleus.z;
    const double squared = fma(x, x, fma(y, y, z * z));
    if (squared >= source.nearest_squared) sums[p] = fma(nucleus.charge, rsqrt(squared), sums[p]);
  }
}

/// The bounding box of a warp's points.
struct Box {
  double low[3], high[3];
};

template <int points>
__device__ Box box_around(const Places<points>& at) {
  Box box;
  for (int axis = 0; axis < 3; ++axis) {
    const double(&values)[points] = axis == 0 ? at.x : axis == 1 ? at.y : at.z;
    double low = values[0], high = values[0];
    for (int p = 1; p < points; ++p) {
      low = fmin(low, values[p]);
      high = fmax(high, values[p]);
    }
    for (int other = lanes / 2; other > 0; other /= 2) {
      low = fmin(low, __shfl_xor_sync(all_lanes, low, other));
      high = fmax(high, __shfl_xor_sync(all_lanes, high, other));
    }
    box.low[axis] = low;
    box.high[axis] = high;
  }
  return box;
}

constexpr std::uint32_t no_version = 0xffffffffU;

/// What is evaluated of a site: gaussians::ChargeSites::choose.
struct Choice {
  std::uint32_t version = no_version, first_near = 0, end_near = 0;
};

__device__ Choice choose(const Source& source, const Site& site, const Box& box) {
  const double place[3] = {site.x, site.y, site.z};
  double squared = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double away = fmax(fmax(box.low[axis] - place[axis], place[axis] - box.high[axis]), 0.0);
    squared = fma(away, away, squared);
  }
  const double distance = sqrt(squared);
  const SiteClass* const classes = source.classes + site.first_class;
  std::uint32_t near = 0;  // the last one's range is infinite
  while (classes[near].range <= distance) ++near;
  Choice choice;
  choice.first_near = classes[near].first_gaussian;
  choice.end_near = site.end_gaussian;
  const std::uint32_t end = near + 1 < site.class_count ? classes[near + 1].first_version : site.end_version;
  for (std::uint32_t version = classes[near].first_version; version < end; ++version) {
    if (source.versions[version].from > distance) continue;
    choice.version = version;
    break;
  }
  return choice;
}

/// This warp's part of the sums at its points.
template <int points>
__device__ void add_part(const Source& source, const Places<points>& at, double (&sums)[points]) {
  const auto lane = threadIdx.x, warp = threadIdx.y;
  const Box box = box_around(at);
  for (std::uint32_t first = 0; first < source.site_count; first += lanes) {
    // Each thread chooses for one site; then all threads evaluate each choice.
    const std::uint32_t count = min(source.site_count - first, static_cast<std::uint32_t>(lanes));
    Choice own;
    if (lane < count) own = choose(source, source.sites[first + lane], box);
    for (std::uint32_t n = 0; n < count; ++n) {
      const auto from = static_cast<int>(n);
      const std::uint32_t version = __shfl_sync(all_lanes, own.version, from),
                          first_near = __shfl_sync(all_lanes, own.first_near, from),
                          end_near = __shfl_sync(all_lanes, own.end_near, from);
      if (version != no_version && n % warps == warp)
        add_far(source, source.sites[first + n], source.versions[version], at, sums);
      for (std::uint32_t number = first_near + warp; number < end_near; number += warps)
        add_gaussian(source, number, at, sums);
    }
  }
  for (std::uint32_t n = warp; n < source.nucleus_count; n += warps)
    add_nucleus(source, source.nuclei[n], at, sums);
}

/// Adds up the parts of all warps in a fixed order; the first warp has the total.
template <int points>
__device__ void reduce_over_warps(double (&sums)[points]) {
  __shared__ double parts[warps][points][lanes];
  for (int p = 0; p < points; ++p) parts[threadIdx.y][p][threadIdx.x] = sums[p];
  __syncthreads();
  if (threadIdx.y != 0) return;
  for (int p = 0; p < points; ++p) {
    for (int warp = 1; warp < warps; ++warp) sums[p] += parts[warp][p][threadIdx.x];
  }
}

__global__ void __launch_bounds__(lanes* warps)
    sum_on_layers(Source source, GridLayers layers, unsigned in_x, unsigned in_y, float* out) {
  constexpr int edge = grid_tile_edge;
  const unsigned row = blockIdx.x / in_x;
  const int first[3] = {edge * static_cast<int>(blockIdx.x % in_x), edge * static_cast<int>(row % in_y),
                        edge * (layers.first / edge + static_cast<int>(row / in_y))};
  Places<grid_points> at;
  int index[grid_points][3];
  for (int p = 0; p < grid_points; ++p) {
    const int local = p * lanes + static_cast<int>(threadIdx.x);
    index[p][0] = first[0] + local % edge;
    index[p][1] = first[1] + local / edge % edge;
    index[p][2] = first[2] + local / (edge * edge);
    // Positions past the end repeat the last point, which is in the box already.
    double place[3];
    for (int axis = 0; axis < 3; ++axis) place[axis] = layers.origin[axis];
    for (int along = 0; along < 3; ++along) {
      const double steps = min(index[p][along], layers.size[along] - 1);
      for (int axis = 0; axis < 3; ++axis) place[axis] = fma(steps, layers.step[along][axis], place[axis]);
    }
    at.x[p] = place[0];
    at.y[p] = place[1];
    at.z[p] = place[2];
  }
  double sums[grid_points] = {};
  add_part(source, at, sums);
  reduce_over_warps(sums);
  if (threadIdx.y != 0) return;
  for (int p = 0; p < grid_points; ++p) {
    const int layer = index[p][2] - layers.first;
    if (index[p][0] >= layers.size[0] || index[p][1] >= layers.size[1] || layer < 0 || layer >= layers.count)
      continue;
    const std::size_t line = static_cast<std::size_t>(layer) * layers.size[1] + index[p][1];
    out[line * layers.size[0] + index[p][0]] = static_cast<float>(source.scale * sums[p]);
  }
}

__global__ void __launch_bounds__(lanes* warps)
    sum_at_places(Source source, PlaceRun places, std::uint32_t first_tile, float* out, std::size_t stride) {
  const std::uint32_t number = (first_tile + blockIdx.x) * place_tile + threadIdx.x;
  const double* const place = places.places + 3 * static_cast<std::size_t>(min(number, places.all - 1));
  const Places<place_points> at{{place[0]}, {place[1]}, {place[2]}};
  double sums[place_points] = {};
  add_part(source, at, sums);
  reduce_over_warps(sums);
  if (threadIdx.y != 0 || number < places.first || number >= places.first + places.count) return;
  pair_kernels::write_double(source.scale * sums[0], number - places.first, out, stride);
}

constexpr unsigned tiles_for(int points, int edge) {
  return static_cast<unsigned>((points + edge - 1) / edge);
}

}  // namespace

void sum_on(const Source& source, const GridLayers& layers, float* out, const Stream& stream) {
  constexpr int edge = grid_tile_edge;
  const unsigned in_x = tiles_for(layers.size[0], edge), in_y = tiles_for(layers.size[1], edge),
                 in_z = tiles_for(layers.first + layers.count, edge) -
                        static_cast<unsigned>(layers.first / edge);
  launch(sum_on_layers, dim3(in_x * in_y * in_z), dim3(lanes, warps), 0, stream, source, layers, in_x, in_y,
         out);
}

void sum_at(const Source& source, const PlaceRun& places, float* out, std::size_t stride,
            const Stream& stream) {
  const std::uint32_t first_tile = places.first / place_tile;
  const std::uint32_t end_tile = (places.first + places.count + place_tile - 1) / place_tile;
  launch(sum_at_places, dim3(end_tile - first_tile), dim3(lanes, warps), 0, stream, source, places,
         first_tile, out, stride);
}

}  // namespace isolume::gpu::quantum_kernels
