#include "gpu/nbody/pair_softening.h"

#include "core/nbody/forces/solver.h"

namespace isolume::gpu::nbody_kernels {

PairSoftening softening_of(const nbody::ForceOptions& options, double unit) {
  const double scaled = options.softening / unit;
  if (options.softening_kind == nbody::SofteningKind::plummer || scaled == 0)
    return {.squared = static_cast<float>(scaled * scaled)};
  const double support = nbody::spline_support * scaled;
  // The host recomputes every pair within such a support. The smallest of Plummer's softenings keeps coincident bodies
  // among them, and changes no pair that single precision holds.
  constexpr float some = 1e-30f;
  if (support < static_cast<double>(least_pair_distance)) return {.squared = some};
  return {.support = static_cast<float>(support), .per_support = static_cast<float>(1 / support)};
}

}  // namespace isolume::gpu::nbody_kernels
