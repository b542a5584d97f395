#include "core/nbody/probed_force.h"

#include <array>

#include "core/nbody/pairwise.h"

namespace isolume::nbody {
namespace {

bool sums_every_pair(const RunOptions& options) {
  return options.integrator == Integrator::hermite || options.softening_kind == SofteningKind::spline;
}

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
  probed.exact = options.softening_kind == SofteningKind::spline
                     ? ExactForce{probed.acceleration, probed.potential}
                     : ExactForces(bodies, options, progress).on(on);
  return probed;
}

}  // namespace

std::optional<double> ProbedForce::error() const {
  const double size = exact.acceleration.norm();
  return size > 0 ? std::optional((acceleration - exact.acceleration).norm() / size) : std::nullopt;
}

ProbedForce probed_force(const EngineRegistry& engines, const Bodies& bodies, std::size_t on,
                         const RunOptions& options, const jobs::Progress& progress) {
  const Forces forces = sums_every_pair(options) ? every_pair(bodies, on, options, progress)
                                                 : forces_by(engines, bodies, options, progress);
  return beside_exact(forces, on, bodies, on, options, progress);
}

ProbedForce probed_force(const EngineRegistry& engines, const Bodies& bodies, const Eigen::Vector3d& at,
                         const RunOptions& options, const jobs::Progress& progress) {
  const Places place{{at.x()}, {at.y()}, {at.z()}};
  check(place);
  const Bodies with_place = with_places(bodies, place);
  const std::size_t last = bodies.size();
  if (sums_every_pair(options))
    return beside_exact(every_pair(with_place, last, options, progress), last, with_place, last, options,
                        progress);
  return beside_exact(forces_at_by(engines, place, bodies, options, progress), 0, with_place, last, options,
                      progress);
}

}  // namespace isolume::nbody
