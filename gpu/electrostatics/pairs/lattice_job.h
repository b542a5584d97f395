#pragma once

#include "gpu/electrostatics/pairs/packed_charges.h"
#include "gpu/electrostatics/pairs/pair_job.h"

namespace isolume::gpu {

/// Base of jobs on a lattice.
class LatticeJob : public PairJob {
 public:
  LatticeJob(const lattice::Lattice& lattice, const electrostatics::PairProblem& problem)
      : problem_(problem), points_(lattice.point_count()), slab_(pack_lattice(lattice)) {}

  int items() const final { return slab_.size[2]; }
  std::size_t item_values() const final {
    return static_cast<std::size_t>(slab_.size[0]) * static_cast<std::size_t>(slab_.size[1]);
  }
  std::size_t bytes_an_item() const override { return item_values() * sizeof(float); }
  const electrostatics::Bins& charges() const override { return problem_.bins; }

 protected:
  const electrostatics::PairProblem& problem() const { return problem_; }
  std::size_t points() const { return points_; }
  const pair_kernels::LatticeSlab& slab() const { return slab_; }

 private:
  const electrostatics::PairProblem problem_;
  const std::size_t points_;
  const pair_kernels::LatticeSlab slab_;
};

/// The planes of a slab.
inline pair_kernels::LatticeSlab planes_of(pair_kernels::LatticeSlab lattice, Slab slab) {
  lattice.first = slab.first;
  lattice.count = slab.count;
  return lattice;
}

}  // namespace isolume::gpu
