#include "core/nbody/forces/exact_force.h"

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/nbody/forces/periodic_gravity.h"
#include "core/nbody/forces/solver.h"

namespace isolume::nbody {

namespace {

void add_bodies(const Bodies& bodies, std::size_t begin, std::size_t end, const Eigen::Vector3d& at,
                double softening, SofteningKind kind, ExactForce& force) {
  const bool spline = kind == SofteningKind::spline && softening > 0;
  for (std::size_t i = begin; i < end; ++i) {
    const Eigen::Vector3d to(bodies.x[i] - at.x(), bodies.y[i] - at.y(), bodies.z[i] - at.z());
    if (spline) {
      const SoftenedPull by = spline_pull(to.squaredNorm(), softening);
      force.potential += bodies.mass[i] * by.potential;
      force.acceleration += bodies.mass[i] * by.pull * to;
      continue;
    }
    double distance = std::hypot(to.norm(), softening);
    if (distance < 1e-150) distance = std::hypot(to.stableNorm(), softening);  // its square underflows
    if (distance == 0) continue;
    const double pull = bodies.mass[i] / distance;
    force.potential -= pull;
    force.acceleration += pull / distance * (to / distance);
  }
}

}  // namespace

ExactForce exact_force(const Bodies& bodies, std::size_t on, double softening, SofteningKind kind) {
  const Eigen::Vector3d at(bodies.x[on], bodies.y[on], bodies.z[on]);
  ExactForce force;
  add_bodies(bodies, 0, on, at, softening, kind, force);
  add_bodies(bodies, on + 1, bodies.size(), at, softening, kind, force);
  return force;
}

ExactForce exact_force(const Bodies& bodies, const Eigen::Vector3d& at, double softening) {
  ExactForce force;
  add_bodies(bodies, 0, bodies.size(), at, softening, SofteningKind::plummer, force);
  return force;
}

ExactForces::ExactForces(const Bodies& bodies, const ForceOptions& options, const jobs::Progress& progress)
    : bodies_(bodies), softening_(options.softening), kind_(options.softening_kind) {
  if (options.period > 0)
    periodic_ = std::make_unique<PeriodicGravity>(bodies, options.period, options.softening, progress);
}

ExactForces::~ExactForces() = default;

ExactForce ExactForces::on(std::size_t body) const {
  return periodic_ ? periodic_->on(body) : exact_force(bodies_, body, softening_, kind_);
}

namespace {

class Reference final : public Solver {
 public:
  std::string_view name() const override { return "reference"; }
  Forces forces(const Bodies& bodies, const ForceOptions& options,
                const jobs::Progress& progress) const override {
    check(bodies);
    check(options);
    Forces forces = no_forces(bodies.size());
    const ExactForces exact(bodies, options, progress);
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, bodies.size(), 16), [&](const auto& part) {
      progress.check();
      for (std::size_t i = part.begin(); i != part.end(); ++i) {
        const ExactForce force = exact.on(i);
        forces.ax[i] = force.acceleration.x();
        forces.ay[i] = force.acceleration.y();
        forces.az[i] = force.acceleration.z();
        forces.potential[i] = force.potential;
      }
    });
    check_finite(forces);
    forces.body_pairs = static_cast<std::uint64_t>(bodies.size()) * bodies.size();
    return forces;
  }
};

}  // namespace

std::unique_ptr<Solver> make_reference_solver() {
  return std::make_unique<Reference>();
}

}  // namespace isolume::nbody
