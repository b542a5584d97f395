#include "core/nbody/forces/solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <Eigen/Core>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/large_pages.h"
#include "core/base/shown_number.h"
#include "core/multipoles/charge_sums.h"

namespace isolume::nbody {

namespace {

/// As in dispatch::compute_schema().
parameters::Field<ForceOptions> compute_field(std::string_view key) {
  const auto& field = dispatch::compute_schema().at(key);
  return {field.description, field.get, field.set};
}

}  // namespace

const parameters::Schema<ForceOptions>& force_schema() {
  using O = ForceOptions;
  using parameters::field;
  static const parameters::Schema<O> schema(
      {field("solver", &O::solver, "Solver",
             {{"best", "Fastest for these bodies"},
              {"direct", "Direct sum"},
              {"barnes-hut", "Barnes-Hut"},
              {"fmm", "Fast multipole method"},
              {"particle-mesh", "Particle mesh (periodic)"}})
           .group("Integration")
           .help("How forces are computed: as a direct sum over all pairs, with a tree or multipoles for "
                 "distant bodies, or on a mesh in a periodic box. The fastest of the first three depends on "
                 "the number of bodies, the force error and the machine."),
       field("softening", &O::softening, "Softening")
           .group("Integration")
           .range(0, 1e100)
           .usual(0, 0.5)
           .help("Plummer softening length, below which gravity weakens, in the unit of the positions."),
       field("softening-kind", &O::softening_kind, "Softening kernel",
             {{"plummer", "Plummer"}, {"spline", "Spline"}})
           .group("Integration")
           .help("The spline kernel is exactly Newtonian beyond 2.8 softening lengths; with Hermite, the "
                 "direct solver, or Barnes-Hut."),
       field("opening-angle", &O::opening_angle, "Opening angle")
           .group("Integration")
           .range(0.05, 2)
           .only_when("solver", {"best", "barnes-hut", "fmm"})
           .help("Opening criterion: a cell acts through its multipoles where it looks smaller than this, in "
                 "radians; fmm: at most 0.9. Used where no error is given."),
       field("error", &O::error, "Force error")
           .group("Integration")
           .range(0, 0.1)
           .usual(0, 0.01)
           .special(0, "Not requested")
           .only_when("solver", {"best", "direct", "barnes-hut", "fmm"})
           .help("Target relative force error (99th percentile): from 1e-6, fmm from 1e-12."),
       // Not all of dispatch::compute_schema(): no engine has kernels to choose from.
       compute_field("engine"), compute_field("devices"), compute_field("threads")});
  return schema;
}

std::unique_ptr<Solver> make_solver(SolverKind kind) {
  switch (kind) {
    case SolverKind::direct:
      return make_direct_solver();
    case SolverKind::fmm:
      return make_fmm_solver();
    case SolverKind::particle_mesh:
      return make_particle_mesh_solver();
    case SolverKind::barnes_hut:
      return make_barnes_hut_solver();
    case SolverKind::best:
      break;
  }
  return nullptr;
}

const parameters::Choice& choice_of(SolverKind kind) {
  return force_schema().at("solver").description.choices.at(static_cast<std::size_t>(kind));
}

Forces Solver::active_forces(const Bodies& bodies, std::span<const std::uint32_t> /*active*/,
                             const ForceOptions& options, const jobs::Progress& progress) const {
  return forces(bodies, options, progress);
}

Forces Solver::forces_at(const Places& places, const Bodies& bodies, const ForceOptions& options,
                         const jobs::Progress& progress) const {
  check(bodies);
  check(places);
  if (places.size() == 0) return no_forces(0);
  std::vector<std::uint32_t> added(places.size());
  std::iota(added.begin(), added.end(), static_cast<std::uint32_t>(bodies.size()));
  // Relative errors at neighbouring positions may vary more than those at bodies, which the error parameters are
  // fitted to.
  ForceOptions stricter = options;
  stricter.error_factor *= 0.6;
  Forces forces = active_forces(with_places(bodies, places), added, stricter, progress);
  for (auto* values : {&forces.ax, &forces.ay, &forces.az, &forces.potential})
    values->erase(values->begin(), values->begin() + static_cast<std::ptrdiff_t>(bodies.size()));
  return forces;
}

void check(const ForceOptions& options) {
  if (!(options.softening >= 0 && std::isfinite(options.softening))) {
    throw Error(fmt::format("The softening is {}. Give a length of 0 or more.", options.softening));
  }
  if (!(options.period >= 0 && std::isfinite(options.period))) {
    throw Error(fmt::format("The period is {}. Give the side of a cube, or 0 for none.", options.period));
  }
  const bool periodic = options.solver == SolverKind::particle_mesh;
  if (periodic && options.period == 0) {
    throw Error(
        "The particle mesh sums gravity in a periodic box, and these bodies are in none. Choose another "
        "solver.");
  }
  if (!periodic && options.period > 0) {
    throw Error(
        "These bodies are in a periodic box, which only one solver sums. Choose the solver "
        "\"particle-mesh\".");
  }
  if (options.softening_kind == SofteningKind::spline && options.solver != SolverKind::best &&
      options.solver != SolverKind::direct && options.solver != SolverKind::barnes_hut) {
    throw Error(
        "Spline softening is not offered by this solver. Take the solver \"direct\" or \"barnes-hut\", the "
        "Hermite integrator, or Plummer softening.");
  }
  const bool fmm = options.solver == SolverKind::fmm;
  const double widest = fmm ? multipoles::widest_opening_angle : 2;
  // The opening angle is not used if an error is requested.
  const bool by_angle = !fmm || options.error == 0;
  if (by_angle && !(options.opening_angle >= 0.05 && options.opening_angle <= widest)) {
    throw Error(
        fmt::format("The opening angle is {}. Give one from 0.05 to {}.", options.opening_angle, widest));
  }
  const double least = fmm || options.solver == SolverKind::best ? multipoles::least_error : 1e-6;
  if (!(options.error == 0 || (options.error >= least && options.error <= 0.1))) {
    throw Error(fmt::format("The error is {}. Give one from {} to 0.1, or 0 to go by the opening angle.",
                            options.error, shown_setting(least)));
  }
}

namespace {

/// Largest softening in units of the region, whose inverse cube single precision holds: numbers are normal down to
/// 1.2e-38.
constexpr double most_softening = 1e12;

}  // namespace

void check_softening(const ForceOptions& options, const Bodies& bodies, const Places& places) {
  if (options.solver == SolverKind::particle_mesh) return;
  double extent = 0;
  for (const auto& [of_bodies, of_places] :
       {std::pair(&bodies.x, &places.x), std::pair(&bodies.y, &places.y), std::pair(&bodies.z, &places.z)}) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const auto* values : {of_bodies, of_places}) {
      for (const double value : *values) {
        low = std::min(low, value);
        high = std::max(high, value);
        if (options.softening <= most_softening * (high - low)) return;  // usually after two
      }
    }
    extent = std::max(extent, high - low);
  }
  check_softening(options, extent);
}

void check_softening(const ForceOptions& options, double extent) {
  if (options.solver == SolverKind::particle_mesh) return;
  // Without any distance nothing vanishes, but the square must be held.
  const double limit = extent > 0 ? most_softening * extent : 1e18;
  if (options.softening <= limit) return;
  throw Error(fmt::format(
      "A softening length of {:g} is too large for bodies in a region of {:.3g}: single precision "
      "cannot hold their gravity. Give at most {:.3g}, in the unit of the positions.",
      options.softening, extent, limit));
}

Forces no_forces(std::size_t count) {
  Forces forces;
  for (auto* values : {&forces.ax, &forces.ay, &forces.az, &forces.potential}) {
    values->reserve(count);
    prefer_large_pages(values->data(), count * sizeof(double));  // values are written in a different order
    values->assign(count, 0);
  }
  return forces;
}

void check_finite(const Forces& forces, std::span<const std::uint64_t> numbers) {
  bool finite = true;
  for (const auto* values : {&forces.ax, &forces.ay, &forces.az, &forces.potential}) {
    for (const double value : *values) finite &= std::isfinite(value);
  }
  if (finite) return;
  for (std::size_t i = 0; i < forces.ax.size(); ++i) {
    const Eigen::Vector3d acceleration(forces.ax[i], forces.ay[i], forces.az[i]);
    if (acceleration.allFinite() && std::isfinite(forces.potential[i])) continue;
    throw Error(fmt::format(
        "The force on body {} is not finite: a sum in double precision cannot hold it. Give a softening "
        "length, or other units.",
        (numbers.empty() ? i : numbers[i]) + 1));
  }
}

}  // namespace isolume::nbody
