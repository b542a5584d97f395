#pragma once

#include <memory>
#include <string>

#include "core/electrostatics/sums/pair_engine.h"
#include "gpu/runtime/multi_device/sum_job.h"

namespace isolume::gpu {

/// Sums over pairs. Grids are along x, y and z; the problem must outlive it.
class PairJob : public SumJob {
 public:
  /// The charges that it sums.
  virtual const electrostatics::Bins& charges() const = 0;
  /// The charges that it leaves to the host, if any; remark() reports them.
  virtual const electrostatics::Bins* left_to_host() const { return nullptr; }
  std::string subject() const final {
    return "The potential of " + std::to_string(charges().sorted().size()) + " charges";
  }
};

/// Sums of all charges on a grid along x, y and z; needs at least one charge.
std::unique_ptr<PairJob> make_shared_job(const grid::Grid& grid, const electrostatics::PairProblem& problem);
std::unique_ptr<PairJob> make_constant_job(const grid::Grid& grid,
                                           const electrostatics::PairProblem& problem);
/// Sums within a cut-off. The second throws Error if the bins around a point are too many for constant
/// memory.
std::unique_ptr<PairJob> make_sorted_bins_job(const grid::Grid& grid,
                                              const electrostatics::PairProblem& problem);
std::unique_ptr<PairJob> make_fixed_bins_job(const grid::Grid& grid,
                                             const electrostatics::PairProblem& problem);
/// At scattered points: of all charges or within a cut-off, in double precision. A value is the sum of fields
/// 0 and 1.
std::unique_ptr<PairJob> make_place_job(const electrostatics::Places& places,
                                        const electrostatics::PairProblem& problem);

}  // namespace isolume::gpu
