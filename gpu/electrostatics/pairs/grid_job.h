#pragma once

#include "gpu/electrostatics/pairs/packed_charges.h"
#include "gpu/electrostatics/pairs/pair_job.h"

namespace isolume::gpu {

/// Base of jobs on a grid.
class GridJob : public PairJob {
 public:
  GridJob(const grid::Grid& grid, const electrostatics::PairProblem& problem)
      : problem_(problem), points_(grid.point_count()), slab_(pack_grid(grid)) {}

  int items() const final { return slab_.size[2]; }
  std::size_t item_values() const final {
    return static_cast<std::size_t>(slab_.size[0]) * static_cast<std::size_t>(slab_.size[1]);
  }
  std::size_t bytes_an_item() const override { return item_values() * sizeof(float); }
  const electrostatics::Bins& charges() const override { return problem_.bins; }

 protected:
  const electrostatics::PairProblem& problem() const { return problem_; }
  std::size_t points() const { return points_; }
  const pair_kernels::GridSlab& slab() const { return slab_; }

 private:
  const electrostatics::PairProblem problem_;
  const std::size_t points_;
  const pair_kernels::GridSlab slab_;
};

/// The planes of a slab.
inline pair_kernels::GridSlab planes_of(pair_kernels::GridSlab grid, Slab slab) {
  grid.first = slab.first;
  grid.count = slab.count;
  return grid;
}

}  // namespace isolume::gpu
