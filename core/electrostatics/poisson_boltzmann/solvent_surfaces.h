#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/electrostatics/poisson_boltzmann/surface_distances.h"
#include "core/jobs/progress.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// Cache of the surfaces last computed for one molecule, shared by all users that solve equations for it or show it.
/// Thread-safe: threads wait for a surface that another one is computing.
class SolventSurfaces {
 public:
  /// The atoms' balls only.
  std::shared_ptr<const SolventSurface> balls(const structures::Charges& charges);
  /// The surface for a probe and its distances, in angstrom, at least as deep as requested. The charges must always
  /// be the same. Uses all threads of the calling arena. Throws ResourceError, Cancelled.
  std::shared_ptr<const SurfaceDistances> distances(const structures::Charges& charges, double probe,
                                                    double deepest, const jobs::Progress& progress);
  /// Whether the surface for this probe is cached. Does not wait: false while one is being computed.
  bool knows(double probe);

 private:
  std::mutex balls_mutex_;  ///< separate, because balls are quickly computed
  std::shared_ptr<const SolventSurface> balls_;
  std::mutex mutex_;                                                ///< protects the following members
  std::vector<std::shared_ptr<const SurfaceDistances>> distances_;  ///< the most recently used one at the end
};

}  // namespace isolume::electrostatics
