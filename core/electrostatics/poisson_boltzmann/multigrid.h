#pragma once

#include <functional>
#include <vector>

#include "core/electrostatics/poisson_boltzmann/grid_transfer.h"
#include "core/electrostatics/poisson_boltzmann/level.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// How many intervals along an axis, no fewer than wanted, so that the lattice can be halved often; and how often.
/// `wanted` is at least 2 along each axis.
struct Halvings {
  Extents extents;
  int levels = 1;
};
Halvings halvings_of(const Extents& wanted);
/// Over both colours and back, after which a coarsest level counts as solved.
int sweeps_that_solve(const Extents& coarsest);

/// Solves level 0 approximately, level 0 in single precision, by cycles over coarser levels: red and black points are
/// relaxed in turn before, and in the opposite order after the visit to the coarser level, so that a cycle from zero is a
/// symmetric positive operator, which conjugate gradients can take as a preconditioner.
///
/// Call from within a TBB arena. The same result on any number of threads.
class Multigrid {
 public:
  /// Takes lattices from halvings_of. Links and d of level 0 are the caller's to set; `rebuild` then makes the others'.
  explicit Multigrid(const Halvings& halvings);
  static std::size_t bytes_of(const Halvings& halvings);

  Level& finest() { return levels_.front(); }
  const Level& finest() const { return levels_.front(); }
  int levels() const { return static_cast<int>(levels_.size()); }
  void rebuild(const jobs::Progress& progress);
  /// After a change of d of level 0.
  void rebuild_ions(const jobs::Progress& progress);

  /// z of level 0 = about the solution for its r: one cycle from zero.
  void cycle(const jobs::Progress& progress);
  /// The same by full multigrid: what coarse lattices find is where finer ones begin.
  void full(const jobs::Progress& progress);

 private:
  void visit(std::size_t at, bool from_zero, const jobs::Progress& progress);
  void solve_coarsest();

  std::vector<Level> levels_;
};

/// Calls `work(k)` for planes [first, end), on all threads of the arena where that pays.
void for_planes(const Extents& extents, int first, int end, const std::function<void(int)>& work);
/// The sum of what it returns, in the order of planes.
double sum_planes(const Extents& extents, const std::function<double(int)>& work);

}  // namespace isolume::electrostatics
