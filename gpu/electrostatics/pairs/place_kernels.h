#pragma once

#include <cstddef>
#include <cstdint>

#include "core/electrostatics/sums/pair_potentials.h"
#include "gpu/electrostatics/pairs/cutoff_kernels.h"
#include "gpu/electrostatics/pairs/direct_kernels.h"
#include "gpu/runtime/streams/stream_name.h"

/// Sums at scattered points, in double precision, as on the CPU. A value is written as the nearest
/// single-precision number, and the remainder: 48 bits.
namespace isolume::gpu::pair_kernels {

struct PlaceSet {
  const double* places;  ///< x, y and z of each
  std::uint32_t first, count;
};

struct PlaceLaw {
  bool grows;          ///< electrostatics::PairLaw::distance and distance_cutoff
  double minus_kappa;  ///< 0 for charges without screening
  double inverse_cutoff_squared;
  double scale;
  int terms;  ///< 0: whole pairs; else electrostatics::PairLaw::split, by a polynomial of this many terms
  double smooth[electrostatics::RadialPolynomial::capacity];
};

/// Queues the sums of all charges. Value i goes to out[i], and its remainder to out[stride + i].
void sum_direct_at(const DirectCharges& charges, const PlaceSet& places, const PlaceLaw& law, float* out,
                   std::size_t stride, const Stream& stream);
/// The same within a cut-off.
void sum_within_cutoff_at(const sorted_bins::SortedBins& bins, double cutoff, const PlaceSet& places,
                          const PlaceLaw& law, float* out, std::size_t stride, const Stream& stream);

}  // namespace isolume::gpu::pair_kernels
