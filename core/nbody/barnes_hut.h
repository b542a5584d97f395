#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/nbody/essential_tree.h"
#include "core/nbody/octree.h"

namespace isolume::nbody {

/// Barnes and Hut's sum on bodies that are a part of all, the others being elsewhere; see make_barnes_hut_solver().
///
///     BarnesHutSum sum(bodies, extent, {}, options, forces, nullptr, progress);
///     while (sum.next()) {
///       // tell the others sum.groups(), and give them sum.essential_to(their groups)
///       sum.add(what the others gave);
///     }
///
/// On the threads of the arena that it is called in. Every function throws Cancelled.
class BarnesHutSum {
 public:
  /// At least one body, within the extent; of `active`, see Solver::active_forces. `work` may be null: to what it
  /// has of each body, what its force took is added, in pairs of bodies. `bodies`, `active`, `forces` and `work` outlive
  /// the sum.
  BarnesHutSum(const Bodies& bodies, const Extent& all, std::span<const std::uint32_t> active,
               const ForceOptions& options, Forces& forces, std::vector<float>* work,
               const jobs::Progress& progress);
  ~BarnesHutSum();
  BarnesHutSum(const BarnesHutSum&) = delete;
  BarnesHutSum& operator=(const BarnesHutSum&) = delete;

  /// Goes over to the first sum, to the next one; false: there is none. Where an error is asked for there are two:
  /// the first one is the estimate that the second one needs.
  bool next();
  std::vector<GroupOutline> groups() const;
  EssentialTree essential_to(std::span<const GroupOutline> groups) const;
  void add(std::span<const EssentialTree> others = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How often next() is true.
int sums_of(const ForceOptions& options);

}  // namespace isolume::nbody
