#pragma once

#include <memory>
#include <vector>

#include "core/nbody/octree.h"
#include "gpu/nbody/sum_job.h"

namespace isolume::gpu {

struct TreeOnHost;

/// A tree for GPUs, which get it once and keep it for as long as this lives. The octree must outlive it.
class SharedTree {
 public:
  SharedTree(const nbody::Octree& octree, double opening_angle, double softening);

  /// Cells act as a whole where they look smaller than the opening angle.
  std::unique_ptr<SumJob> by_angle() const;
  /// Where what is left out of a cell's moments is at most this part of the force on a group. `fields`: the first
  /// three of a job of this tree whose forces are about right.
  std::unique_ptr<SumJob> by_error(double share, const std::vector<float*>& fields) const;

 private:
  std::shared_ptr<const TreeOnHost> tree_;
};

}  // namespace isolume::gpu
