#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/nbody/forces/essential_tree.h"
#include "core/nbody/forces/octree.h"

namespace isolume::nbody {

/// Barnes-Hut sum for bodies that are a part of a distributed set; see make_barnes_hut_solver().
///
///     BarnesHutSum sum(bodies, extent, {}, options, forces, nullptr, progress);
///     while (sum.next()) {
///       // send sum.groups() to the others, and give them sum.essential_to(their groups)
///       sum.add(trees received from the others);
///     }
///
/// Runs on the threads of the calling arena. Every function throws Cancelled.
class BarnesHutSum {
 public:
  /// Takes at least one body, all within the extent; for `active`, see Solver::active_forces. If `work` is not null,
  /// the cost of each body's force is added to it, in pairs of bodies. `bodies`, `active`, `forces` and `work` must
  /// outlive the sum.
  BarnesHutSum(const Bodies& bodies, const Extent& all, std::span<const std::uint32_t> active,
               const ForceOptions& options, Forces& forces, std::vector<float>* work,
               const jobs::Progress& progress);
  ~BarnesHutSum();
  BarnesHutSum(const BarnesHutSum&) = delete;
  BarnesHutSum& operator=(const BarnesHutSum&) = delete;

  /// Starts the next sum; false if there is none left. Two sums are needed where an error is asked for: the first one
  /// gives the force estimate for the second.
  bool next();
  std::vector<GroupOutline> groups() const;
  EssentialTree essential_to(std::span<const GroupOutline> groups) const;
  void add(std::span<const EssentialTree> others = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Number of sums, i.e. how often next() returns true.
int sums_of(const ForceOptions& options);

}  // namespace isolume::nbody
