#pragma once

#include <cstdint>
#include <vector>

#include "core/jobs/progress.h"
#include "core/nbody/bodies.h"
#include "core/nbody/distributed/ranks.h"
#include "core/nbody/octree.h"
#include "core/nbody/solver.h"

namespace isolume::nbody {

/// Those of all bodies that one rank has; arrays of one length.
struct OwnBodies {
  Bodies bodies;                      ///< with velocities
  std::vector<std::uint64_t> number;  ///< among all, from 0 on
  std::vector<float> work;            ///< that the last forces on each took, in pairs of bodies

  std::size_t size() const { return number.size(); }
};

/// Hands to each rank as many of the first rank's bodies, in their order; those of other ranks are not looked at. Where
/// there are no velocities all are at rest.
OwnBodies dealt(const Ranks& ranks, const Bodies& all);

/// Of the bodies of all ranks; at least one of them has some.
Extent extent_of(const Ranks& ranks, const OwnBodies& own);

/// All bodies along Hilbert's curve, cut where the ranks' work is the same within a few hundredths. Bodies that are at
/// one place, as far as 42 bits tell, come by their number.
OwnBodies divided(const Ranks& ranks, const OwnBodies& own, const jobs::Progress& progress);

/// Brings bodies to the first rank part by part, in their order.
class BodiesInOrder {
 public:
  BodiesInOrder(const Ranks& ranks, const OwnBodies& own);
  /// Those with numbers from `first` on, up to but without `end`, on the first rank; none on others.
  Bodies part(std::uint64_t first, std::uint64_t end) const;

 private:
  const Ranks& ranks_;
  const OwnBodies& own_;
  std::vector<std::size_t> order_;  ///< this rank's, by their numbers
};

/// All bodies in their order, on the first rank; none on others.
Bodies collected(const Ranks& ranks, const OwnBodies& own);
/// The same of forces on each rank's bodies: accelerations and potentials alone.
Forces collected(const Ranks& ranks, const OwnBodies& own, const Forces& forces);

}  // namespace isolume::nbody
