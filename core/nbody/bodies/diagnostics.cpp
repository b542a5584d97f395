#include "core/nbody/bodies/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_sort.h>

#include "core/base/handover.h"

namespace isolume::nbody {
namespace {

using Eigen::Vector3d;
using Range = tbb::blocked_range<std::size_t>;

/// Sums in fixed blocks, which are added in their order, for reproducible results.
template <class Sum, class Add>
Sum sum_over(std::size_t count, const Add& add) {
  constexpr std::size_t block = bodies_of_a_sum;
  std::vector<Sum> sums((count + block - 1) / block);
  handover::parallel_for(Range(0, sums.size()), [&](const Range& part) {
    for (std::size_t number = part.begin(); number != part.end(); ++number) {
      Sum sum;
      for (std::size_t i = number * block; i < std::min(count, (number + 1) * block); ++i) add(sum, i);
      sums[number] = sum;
    }
  });
  Sum all;
  for (const Sum& each : sums) all += each;
  return all;
}

struct BodyAt {
  double distance, mass;
  std::size_t number;

  bool operator<(const BodyAt& other) const {
    return distance != other.distance ? distance < other.distance : number < other.number;
  }
};

/// Fixed order of additions; that of Eigen depends on the processor.
double squared(const Vector3d& v) {
  return v.x() * v.x() + v.y() * v.y() + v.z() * v.z();
}

void set_lagrangian_radii(const Bodies& bodies, double mass, Diagnostics& diagnostics) {
  std::vector<BodyAt> sorted(bodies.size());
  handover::parallel_for(Range(0, sorted.size(), 1 << 12), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      const Vector3d place(bodies.x[i], bodies.y[i], bodies.z[i]);
      sorted[i] = {std::sqrt(squared(place - diagnostics.centre_of_mass)), bodies.mass[i], i};
    }
  });
  {
    const handover::Caller here(sorted);
    tbb::parallel_sort(sorted.begin(), sorted.end());
  }
  double before = 0;  // mass of all previous blocks
  std::size_t next = 0;
  for (std::size_t first = 0; first < sorted.size(); first += bodies_of_a_sum) {
    double within = 0;  // mass within the block
    for (std::size_t i = first; i < std::min(sorted.size(), first + bodies_of_a_sum); ++i) {
      within += sorted[i].mass;
      while (next < Diagnostics::mass_fractions.size() &&
             before + within >= Diagnostics::mass_fractions[next] * mass) {
        diagnostics.lagrangian_radii[next++] = sorted[i].distance;
      }
    }
    before += within;
  }
}

struct EnergySums : Energies {
  EnergySums& operator+=(const EnergySums& other) {
    kinetic += other.kinetic;
    potential += other.potential;
    return *this;
  }
};

}  // namespace

Totals& Totals::operator+=(const Totals& other) {
  mass += other.mass;
  kinetic += other.kinetic;
  potential += other.potential;
  place += other.place;
  momentum += other.momentum;
  angular_momentum += other.angular_momentum;
  return *this;
}

double Diagnostics::virial_ratio() const {
  return potential != 0 ? 2 * kinetic / std::abs(potential) : 0;
}

Vector3d centre_of_mass(const Bodies& bodies) {
  const auto sums = sum_over<Totals>(bodies.size(), [&](Totals& to, std::size_t i) {
    to.mass += bodies.mass[i];
    to.place += bodies.mass[i] * Vector3d(bodies.x[i], bodies.y[i], bodies.z[i]);
  });
  return sums.mass > 0 ? Vector3d(sums.place / sums.mass) : Vector3d(0, 0, 0);
}

Energies energies_of(const Bodies& bodies, std::span<const double> potential) {
  return sum_over<EnergySums>(bodies.size(), [&](EnergySums& to, std::size_t i) {
    const Vector3d velocity(bodies.vx[i], bodies.vy[i], bodies.vz[i]);
    to.kinetic += 0.5 * bodies.mass[i] * velocity.squaredNorm();
    to.potential += 0.5 * bodies.mass[i] * potential[i];
  });
}

double energy_error(const Diagnostics& now, const Diagnostics& first) {
  double change = now.energy() - first.energy() + now.collisions.energy_lost - first.collisions.energy_lost,
         of = std::abs(first.energy());
  if (now.expansion && first.expansion) {
    change += now.expansion->energy_lost - first.expansion->energy_lost;
    of = now.kinetic;
  }
  return of != 0 ? change / of : 0;
}

Remarks remarks_on_energy(double energy_error) {
  constexpr double tolerable = 0.01;
  Remarks remarks;
  if (std::abs(energy_error) <= tolerable) return remarks;
  remarks.warn(
      fmt::format("The energy has changed by {:.3g} %: the run is not reliable. Choose a shorter time step, "
                  "block time steps or a larger softening.",
                  100 * std::abs(energy_error)));
  return remarks;
}

Diagnostics comoving_diagnostics_of(const Bodies& bodies, std::span<const double> potential,
                                    const Expansion& expansion) {
  const Totals totals = totals_of(bodies, potential);
  Diagnostics found;
  found.kinetic = totals.kinetic;
  found.potential = totals.potential / expansion.scale_factor;
  found.momentum = expansion.scale_factor * totals.momentum;
  found.expansion = expansion;
  return found;
}

Totals totals_of(const Bodies& bodies, std::span<const double> potential) {
  return sum_over<Totals>(bodies.size(), [&](Totals& to, std::size_t i) {
    const Vector3d place(bodies.x[i], bodies.y[i], bodies.z[i]),
        velocity(bodies.vx[i], bodies.vy[i], bodies.vz[i]);
    const double mass = bodies.mass[i];
    to.mass += mass;
    to.kinetic += 0.5 * mass * squared(velocity);
    to.potential += 0.5 * mass * potential[i];
    to.place += mass * place;
    to.momentum += mass * velocity;
    to.angular_momentum += mass * place.cross(velocity);
  });
}

Diagnostics diagnostics_of(const Totals& totals) {
  Diagnostics found;
  found.kinetic = totals.kinetic;
  found.potential = totals.potential;
  found.momentum = totals.momentum;
  found.angular_momentum = totals.angular_momentum;
  if (totals.mass > 0) found.centre_of_mass = totals.place / totals.mass;
  return found;
}

Diagnostics diagnostics_of(const Bodies& bodies, std::span<const double> potential) {
  const Totals totals = totals_of(bodies, potential);
  Diagnostics found = diagnostics_of(totals);
  if (totals.mass > 0) set_lagrangian_radii(bodies, totals.mass, found);
  return found;
}

}  // namespace isolume::nbody
