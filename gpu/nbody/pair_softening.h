#pragma once

namespace isolume::nbody {
struct ForceOptions;
}

namespace isolume::gpu::nbody_kernels {

/// Pairs at smaller distances, with their softening, are out of range of single precision, as their cubes are: the sum
/// is NaN, and the host recomputes it in double precision.
inline constexpr float least_pair_square = 1e-20f, least_pair_distance = 1e-10f;

/// How kernels soften gravity; see nbody::SofteningKind.
struct PairSoftening {
  float squared = 0;  ///< Plummer softening length; 0 for the spline
  /// Of the spline kernel, at least least_pair_distance; 0: Plummer's. Pairs farther apart are not softened.
  float support = 0;
  float per_support = 0;  ///< 1 / support
};

/// For bodies whose unit of length is `unit` in that of the options.
PairSoftening softening_of(const nbody::ForceOptions& options, double unit);

}  // namespace isolume::gpu::nbody_kernels
