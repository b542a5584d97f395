#include "core/nbody/forces/fast_multipole.h"

#include <algorithm>

#include "core/nbody/forces/processor_solver.h"

namespace isolume::nbody {

multipoles::SumOptions sum_options(const ForceOptions& options) {
  const double error =
      options.error > 0 ? std::max(options.error_of_sums(), multipoles::least_error) : options.error;
  return {.softening = options.softening, .error = error, .opening_angle = options.opening_angle};
}

namespace {

/// Masses are like charges with attraction: the potential has the opposite sign, and its gradient is the
/// acceleration.
void take_sums(multipoles::ChargeSums sums, Forces& forces) {
  forces.ax = std::move(sums.dx);
  forces.ay = std::move(sums.dy);
  forces.az = std::move(sums.dz);
  forces.potential = std::move(sums.potential);
  for (double& value : forces.potential) value = 0 - value;  // avoids -0 in tables
  forces.body_pairs = sums.point_pairs;
  forces.cell_pairs = sums.cell_pairs;
  forces.order = sums.order;
  forces.seconds = {sums.seconds.order, sums.seconds.moments, sums.seconds.estimate + sums.seconds.sums};
}

void add_fmm_forces(const Bodies& bodies, const ForceOptions& options, Forces& forces,
                    const jobs::Progress& progress) {
  take_sums(
      multipoles::charge_sums({bodies.x, bodies.y, bodies.z, bodies.mass}, sum_options(options), progress),
      forces);
}

void add_fmm_forces_at(const Places& places, const Bodies& bodies, const ForceOptions& options,
                       Forces& forces, const jobs::Progress& progress) {
  take_sums(
      multipoles::charge_sums({places.x, places.y, places.z}, {bodies.x, bodies.y, bodies.z, bodies.mass},
                              sum_options(options), progress),
      forces);
}

}  // namespace

std::unique_ptr<Solver> make_fmm_solver() {
  return make_processor_solver("fmm", "fast multipole method", 0, add_fmm_forces, {}, add_fmm_forces_at);
}

}  // namespace isolume::nbody
