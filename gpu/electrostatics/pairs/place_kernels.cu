#include "gpu/electrostatics/device_points.h"
#include "gpu/electrostatics/pairs/place_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::pair_kernels {
namespace {

constexpr std::uint32_t place_threads = 128;

__device__ __forceinline__ double square_to(const Charge& charge, double x, double y, double z) {
  const double dx = charge.x - x, dy = charge.y - y, dz = charge.z - z;
  return fma(dx, dx, fma(dy, dy, dz * dz));
}

enum class Whole { coulomb, grows, screened, split };

/// 1 / r, or 1 / r^2 for a permittivity proportional to r; 0 for charges closer than electrostatics::nearest.
template <Whole whole>
__device__ __forceinline__ double inverse_of(double squared) {
  if (squared < electrostatics::nearest * electrostatics::nearest) return 0.0;
  return whole == Whole::grows ? 1 / squared : rsqrt(squared);
}

template <Whole whole>
__global__ void __launch_bounds__(place_threads)
    sum_all_at_places(DirectCharges charges, PlaceSet places, PlaceLaw law, float* out, std::size_t stride) {
  __shared__ Charge tile[place_threads];
  const std::uint32_t i = blockIdx.x * place_threads + threadIdx.x;
  const double* const place =
      places.places + 3 * static_cast<std::size_t>(places.first + min(i, places.count - 1));
  const double x = place[0], y = place[1], z = place[2];
  double sum = 0;
  for (std::uint32_t start = 0; start < charges.count; start += place_threads) {
    __syncthreads();  // the previous tile has been read
    if (start + threadIdx.x < charges.count) tile[threadIdx.x] = charges.charges[start + threadIdx.x];
    __syncthreads();
    const std::uint32_t count = min(place_threads, charges.count - start);
    for (std::uint32_t j = 0; j < count; ++j) {
      const double squared = square_to(tile[j], x, y, z), inverse = inverse_of<whole>(squared);
      double part = tile[j].charge * inverse;
      if (whole == Whole::screened) part *= exp(law.minus_kappa * (squared * inverse));
      sum += part;
    }
  }
  if (i < places.count) write_double(law.scale * sum, i, out, stride);
}

/// Bins along an axis within `reach` of a position; empty if the first comes after the last.
__device__ __forceinline__ int2 bins_about(const sorted_bins::SortedBins& bins, int axis, double place,
                                           double reach) {
  const double first = floor((place - reach - bins.low[axis]) / bins.side),
               last = floor((place + reach - bins.low[axis]) / bins.side), most = bins.counts[axis] - 1;
  if (!(last >= 0 && first <= most)) return make_int2(0, -1);
  return make_int2(static_cast<int>(fmax(first, 0.0)), static_cast<int>(fmin(last, most)));
}

/// The polynomial of electrostatics::RadialPolynomial.
__device__ __forceinline__ double smooth_of(const PlaceLaw& law, double squared) {
  const double u = fma(2 * squared, law.inverse_cutoff_squared, -1.0);
  double rest = 0;
  for (int i = law.terms; i-- > 0;) rest = fma(rest, u, law.smooth[i]);
  return rest;
}

template <Whole whole>
__global__ void __launch_bounds__(place_threads)
    sum_near_places(sorted_bins::SortedBins bins, double cutoff, PlaceSet places, PlaceLaw law, float* out,
                    std::size_t stride) {
  const std::uint32_t i = blockIdx.x * place_threads + threadIdx.x;
  if (i >= places.count) return;
  const double* const place = places.places + 3 * static_cast<std::size_t>(places.first + i);
  const double x = place[0], y = place[1], z = place[2];
  const int2 in_x = bins_about(bins, 0, x, cutoff), in_y = bins_about(bins, 1, y, cutoff),
             in_z = bins_about(bins, 2, z, cutoff);
  double sum = 0;
  for (int k = in_z.x; k <= in_z.y; ++k) {
    for (int j = in_y.x; j <= in_y.y && in_x.x <= in_x.y; ++j) {
      const std::size_t row = (static_cast<std::size_t>(k) * bins.counts[1] + j) * bins.counts[0];
      const std::uint32_t end = bins.starts[row + in_x.y + 1];
      for (std::uint32_t n = bins.starts[row + in_x.x]; n < end; ++n) {
        const Charge charge = bins.charges[n];
        const double squared = square_to(charge, x, y, z);
        const double left = fmax(fma(-squared, law.inverse_cutoff_squared, 1.0), 0.0);
        if (!(left > 0)) continue;
        sum += charge.charge * (whole == Whole::split ? inverse_of<whole>(squared) - smooth_of(law, squared)
                                                      : inverse_of<whole>(squared) * (left * left));
      }
    }
  }
  write_double(law.scale * sum, i, out, stride);
}

}  // namespace

void sum_direct_at(const DirectCharges& charges, const PlaceSet& places, const PlaceLaw& law, float* out,
                   std::size_t stride, const Stream& stream) {
  const auto kernel = law.grows              ? sum_all_at_places<Whole::grows>
                      : law.minus_kappa != 0 ? sum_all_at_places<Whole::screened>
                                             : sum_all_at_places<Whole::coulomb>;
  launch_each(kernel, places.count, place_threads, stream, charges, places, law, out, stride);
}

void sum_within_cutoff_at(const sorted_bins::SortedBins& bins, double cutoff, const PlaceSet& places,
                          const PlaceLaw& law, float* out, std::size_t stride, const Stream& stream) {
  const auto kernel = law.grows       ? sum_near_places<Whole::grows>
                      : law.terms > 0 ? sum_near_places<Whole::split>
                                      : sum_near_places<Whole::coulomb>;
  launch_each(kernel, places.count, place_threads, stream, bins, cutoff, places, law, out, stride);
}

}  // namespace isolume::gpu::pair_kernels
