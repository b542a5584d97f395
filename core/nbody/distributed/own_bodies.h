#pragma once

#include <cstdint>
#include <vector>

#include "core/jobs/progress.h"
#include "core/nbody/bodies/bodies.h"
#include "core/nbody/forces/octree.h"
#include "core/nbody/forces/solver.h"
#include "core/ranks/ranks.h"

namespace isolume::nbody {

/// The bodies owned by one rank; arrays of one length.
struct OwnBodies {
  Bodies bodies;                      ///< with velocities
  std::vector<std::uint64_t> number;  ///< index among all bodies, from 0 on
  std::vector<float> work;            ///< cost of the last force on each, in pairs of bodies

  std::size_t size() const { return number.size(); }
};

/// Distributes the first rank's bodies evenly among all ranks, in their order; bodies of other ranks are ignored.
/// Without velocities, all bodies are at rest.
OwnBodies dealt(const Ranks& ranks, const Bodies& all);

/// Extent of the bodies of all ranks; at least one rank must have bodies.
Extent extent_of(const Ranks& ranks, const OwnBodies& own);

/// Divides all bodies along the Hilbert curve such that the ranks' work is equal within a few hundredths. Bodies at
/// the same position, to 42 bits, are ordered by number.
OwnBodies divided(const Ranks& ranks, const OwnBodies& own, const jobs::Progress& progress);

/// Collects bodies on the first rank in parts, in their order.
class BodiesInOrder {
 public:
  BodiesInOrder(const Ranks& ranks, const OwnBodies& own);
  /// Bodies with numbers in [first, end), on the first rank; none on others.
  Bodies part(std::uint64_t first, std::uint64_t end) const;

 private:
  const Ranks& ranks_;
  const OwnBodies& own_;
  std::vector<std::size_t> order_;  ///< of this rank's bodies by number
};

/// All bodies in their order, on the first rank; none on others.
Bodies collected(const Ranks& ranks, const OwnBodies& own);
/// The same for forces on each rank's bodies: accelerations and potentials only.
Forces collected(const Ranks& ranks, const OwnBodies& own, const Forces& forces);

}  // namespace isolume::nbody
