#pragma once

#include <functional>
#include <vector>

#include "core/electrostatics/poisson_boltzmann/grid_transfer.h"
#include "core/electrostatics/poisson_boltzmann/level.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// Number of intervals along each axis, at least as many as wanted, such that the grid can be halved often; and
/// how often. `wanted` is at least 2 along each axis.
struct Halvings {
  Extents extents;
  int levels = 1;
};
Halvings halvings_of(const Extents& wanted);
/// Number of sweeps over both colours and back that solve the coarsest level.
int sweeps_that_solve(const Extents& coarsest);

/// Multigrid V-cycles that solve level 0 approximately, in single precision. Red and black points are relaxed in turn
/// before the coarse-grid correction, and in the opposite order after it, so that a cycle from zero is a symmetric
/// positive operator, as conjugate gradients require of a preconditioner.
///
/// Call from within a TBB arena. The result does not depend on the number of threads.
class Multigrid {
 public:
  /// Takes grids from halvings_of. The caller sets links and d of level 0; `rebuild` then derives those of the
  /// others.
  explicit Multigrid(const Halvings& halvings);
  static std::size_t bytes_of(const Halvings& halvings);

  Level& finest() { return levels_.front(); }
  const Level& finest() const { return levels_.front(); }
  int levels() const { return static_cast<int>(levels_.size()); }
  void rebuild(const jobs::Progress& progress);
  /// After a change of d of level 0.
  void rebuild_ions(const jobs::Progress& progress);

  /// z of level 0 = approximate solution for its r: one cycle from zero.
  void cycle(const jobs::Progress& progress);
  /// The same by full multigrid: solutions on coarse grids are initial guesses on finer ones.
  void full(const jobs::Progress& progress);

 private:
  void visit(std::size_t at, bool from_zero, const jobs::Progress& progress);
  void solve_coarsest();

  std::vector<Level> levels_;
};

/// Calls `work(k)` for planes [first, end), on all threads of the arena where that is worthwhile.
void for_planes(const Extents& extents, int first, int end, const std::function<void(int)>& work);
/// The sum of the values returned for each plane, in the order of planes.
double sum_planes(const Extents& extents, const std::function<double(int)>& work);

}  // namespace isolume::electrostatics
