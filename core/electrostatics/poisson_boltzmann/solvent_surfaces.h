#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/electrostatics/poisson_boltzmann/surface_distances.h"
#include "core/jobs/progress.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// The surfaces last found of one molecule, shared by all that solve equations for it or show it. For several threads: one waits
/// for what another is finding.
class SolventSurfaces {
 public:
  /// The atoms' balls alone.
  std::shared_ptr<const SolventSurface> balls(const structures::Charges& charges);
  /// The surface that a probe leaves and its distances, in angstrom, at least as deep as asked for. The charges are always
  /// the same. Uses all threads of the arena it is called in. Throws ResourceError, Cancelled.
  std::shared_ptr<const SurfaceDistances> distances(const structures::Charges& charges, double probe,
                                                    double deepest, const jobs::Progress& progress);
  /// Whether the surface that this probe leaves need not be found any more. Does not wait: no, while one is being found.
  bool knows(double probe);

 private:
  std::mutex balls_mutex_;  ///< of its own, as they are there at once
  std::shared_ptr<const SolventSurface> balls_;
  std::mutex mutex_;                                                ///< of what follows
  std::vector<std::shared_ptr<const SurfaceDistances>> distances_;  ///< the last used one at the end
};

}  // namespace isolume::electrostatics
