#include "core/nbody/engines/probed_force.h"

#include <array>

#include "core/nbody/engines/best_solver.h"
#include "core/nbody/forces/pairwise.h"

namespace isolume::nbody {
namespace {

/// Force on this body alone.
Forces every_pair(const Bodies& bodies, std::size_t on, const RunOptions& options,
                  const jobs::Progress& progress) {
  const std::array active{static_cast<std::uint32_t>(on)};
  return pairwise_forces(bodies, options, false, active, progress).forces;
}

/// `number`: index of the body `on` within `forces`.
ProbedForce beside_exact(const Forces& forces, std::size_t number, const Bodies& bodies, std::size_t on,
                         const RunOptions& options, const jobs::Progress& progress) {
  ProbedForce probed;
  probed.acceleration = {forces.ax[number], forces.ay[number], forces.az[number]};
  probed.potential = forces.potential[number];
  probed.exact = ExactForces(bodies, options, progress).on(on);
  return probed;
}

}  // namespace

std::optional<double> ProbedForce::error() const {
  const double size = exact.acceleration.stableNorm();
  return size > 0 ? std::optional((acceleration - exact.acceleration).stableNorm() / size) : std::nullopt;
}

ProbedForce probed_force(const EngineRegistry& engines, const Bodies& bodies, std::size_t on,
                         const RunOptions& options, const jobs::Progress& progress) {
  const Forces forces =
      options.integrator == Integrator::hermite
          ? every_pair(bodies, on, options, progress)
          : forces_by(engines, bodies, with_best_solver(engines, bodies.size(), options), progress);
  return beside_exact(forces, on, bodies, on, options, progress);
}

ProbedForce probed_force(const EngineRegistry& engines, const Bodies& bodies, const Eigen::Vector3d& at,
                         const RunOptions& options, const jobs::Progress& progress) {
  const Places place{{at.x()}, {at.y()}, {at.z()}};
  check(place);
  const Bodies with_place = with_places(bodies, place);
  const std::size_t last = bodies.size();
  if (options.integrator == Integrator::hermite)
    return beside_exact(every_pair(with_place, last, options, progress), last, with_place, last, options,
                        progress);
  return beside_exact(
      forces_at_by(engines, place, bodies, with_best_solver(engines, bodies.size(), options), progress), 0,
      with_place, last, options, progress);
}

}  // namespace isolume::nbody
