#pragma once

#include <memory>
#include <string>

#include "core/electrostatics/pair_engine.h"
#include "gpu/electrostatics/sum_job.h"

namespace isolume::gpu {

/// Sums over pairs. Lattices are along x, y and z; the problem must outlive it.
class PairJob : public SumJob {
 public:
  /// The charges that it sums.
  virtual const electrostatics::Bins& charges() const = 0;
  /// Those that it leaves to the host, if any; remark() tells of them.
  virtual const electrostatics::Bins* left_to_host() const { return nullptr; }
  std::string subject() const final {
    return "The potential of " + std::to_string(charges().sorted().size()) + " charges";
  }
};

/// Sums of all charges on a lattice along x, y and z; one charge at least.
std::unique_ptr<PairJob> make_shared_job(const lattice::Lattice& lattice,
                                         const electrostatics::PairProblem& problem);
std::unique_ptr<PairJob> make_constant_job(const lattice::Lattice& lattice,
                                           const electrostatics::PairProblem& problem);
/// Sums within a cut-off. The second throws Error where the bins around a point are too many for constant memory.
std::unique_ptr<PairJob> make_sorted_bins_job(const lattice::Lattice& lattice,
                                              const electrostatics::PairProblem& problem);
std::unique_ptr<PairJob> make_fixed_bins_job(const lattice::Lattice& lattice,
                                             const electrostatics::PairProblem& problem);
/// At places: of all charges or within a cut-off, in double precision. Field 0 of a value, and field 1 added to it.
std::unique_ptr<PairJob> make_place_job(const electrostatics::Places& places,
                                        const electrostatics::PairProblem& problem);

}  // namespace isolume::gpu
