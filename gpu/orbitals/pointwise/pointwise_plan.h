#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/orbitals/kernel_job.h"
#include "gpu/orbitals/pointwise/packed_shells.h"
#include "gpu/orbitals/pointwise/pointwise_kernels.h"

namespace isolume::gpu {

/// Data shared by the job and its copies on devices.
struct PointwisePlan {
  KernelKind kind = KernelKind::cached;
  PackedShells shells;
  PointSet points;            ///< without slab and addresses
  std::vector<float> places;  ///< of scattered points: PointSet::places
  std::vector<float> boxes;   ///< PointSet::boxes
  int columns = 0;
  bool density = false;
  int passes_per_launch = 0;  ///< constant: as many as fit
  std::uint64_t content = 0;  ///< constant: number of the first launch's words; the others follow

  std::size_t slab_points(int count) const {
    if (points.kind == PlaceKind::scattered) return static_cast<std::size_t>(count);
    return static_cast<std::size_t>(points.nx) * points.ny * count;
  }
};

/// Throws Error with the sizes if the coefficients do not fit in constant memory.
std::shared_ptr<const PointwisePlan> make_pointwise_plan(KernelKind kind, const FieldProblem& problem);

/// Operations that the plan's kernel executes for a slab, see KernelJob::flop.
double pointwise_flop(const PointwisePlan& plan, Slab slab);

}  // namespace isolume::gpu
