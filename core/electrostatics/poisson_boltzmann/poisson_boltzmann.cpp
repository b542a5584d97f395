#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>
#include <tuple>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/base/units.h"
#include "core/dispatch/dispatch.h"
#include "core/electrostatics/poisson_boltzmann/distance_map.h"
#include "core/electrostatics/poisson_boltzmann/equation_engine.h"
#include "core/electrostatics/poisson_boltzmann/face_potentials.h"
#include "core/electrostatics/poisson_boltzmann/solvent_surfaces.h"
#include "core/electrostatics/poisson_boltzmann/stencil.h"
#include "core/electrostatics/sums/pair_engine.h"
#include "core/grid/point_number.h"

namespace isolume::electrostatics {
namespace {

using Clock = std::chrono::steady_clock;
using grid::Grid;

/// A coarser grid that is hardly larger would cost as much as the fine one without improving the boundary
/// condition.
constexpr double least_focusing = 1.01;

Extents extents_of(const Grid& grid) {
  const auto& n = grid.dimensions;
  return {n[0], n[1], n[2]};
}

/// A grid padded on all sides; `before`: number of points added before the first.
struct Grown {
  Grid grid;
  Halvings halvings;
  std::array<int, 3> before{};
};
/// Pads so that the grid can be halved often, and no charge within it reaches the boundary.
Grown grown(const Grid& wanted, const structures::Charges& charges) {
  Grown made{.grid = wanted, .halvings = {}};
  const auto box = structures::box_of(charges);
  const Eigen::Vector3d low = wanted.index_at(box.low), high = wanted.index_at(box.high);
  Grid holding = wanted;
  std::array<int, 3> missing{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto at = static_cast<Eigen::Index>(axis);
    const auto lacking = [](double from_face) {
      return std::clamp(static_cast<int>(std::ceil(most_charge_reach - from_face)), 0, most_charge_reach + 1);
    };
    const double last = wanted.dimensions[axis] - 1;
    constexpr double rounding = 1e-6;  // e.g. of grids in bohr
    // Padding is added for atoms at the boundary, not for those outside.
    if (!(low[at] >= -rounding && high[at] <= last + rounding)) continue;
    missing[axis] = lacking(low[at]);
    holding.dimensions[axis] += missing[axis] + lacking(last - high[at]);
  }
  made.halvings = halvings_of(extents_of(holding));
  const Extents& e = made.halvings.extents;
  made.grid.dimensions = {e.nx, e.ny, e.nz};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    made.before[axis] = missing[axis] + (made.grid.dimensions[axis] - holding.dimensions[axis]) / 2;
  }
  made.grid.origin = wanted.position(-made.before[0], -made.before[1], -made.before[2]);
  return made;
}

/// The same number of points over a box `factor` times as long, around the same centre.
Grid stretched(const Grid& grid, double factor) {
  const auto& n = grid.dimensions;
  const Eigen::Vector3d middle = grid.position((n[0] - 1) / 2.0, (n[1] - 1) / 2.0, (n[2] - 1) / 2.0);
  Grid large = grid;
  large.step *= factor;
  large.origin = middle + factor * (grid.origin - middle);
  return large;
}

/// The same box with half as many intervals, or one more where they are odd in number.
std::optional<Grid> coarse_of(const Grid& grid) {
  Grid coarse = grid;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int intervals = grid.dimensions[axis] - 1, half = (intervals + 1) / 2;
    if (half < 4) return std::nullopt;
    coarse.dimensions[axis] = half + 1;
    coarse.step.col(static_cast<Eigen::Index>(axis)) *= static_cast<double>(intervals) / half;
  }
  return coarse;
}

double kj_per_mol_of_kt(double temperature_kelvin) {
  return coulomb_constant(PotentialUnit::kcal_per_mol_e, temperature_kelvin) /
         coulomb_constant(PotentialUnit::kt_per_e, temperature_kelvin) * units::joule_per_calorie;
}

/// 4 pi e^2 / (4 pi epsilon_0 kT): source term of a charge of 1 e in the equation for u in kT/e, in angstrom.
double charge_scale(const PotentialOptions& options) {
  return 4 * std::numbers::pi * coulomb_constant(PotentialUnit::kt_per_e, options.temperature_kelvin);
}

/// The sum over ion-accessible points of u sinh(u) / 2 - cosh(u) + 1, times ion_strength: for small u, u^4 / 24.
double energy_of_ions(const GridEquation& equation) {
  const Extents& e = equation.extents();
  const Level& level = equation.coefficients();
  const auto density = [](double u) {
    if (std::abs(u) < 0.1) return u * u * u * u / 24 * (1 + u * u / 15);
    // Beyond the clamp, cosh is replaced by the integral of the linear continuation.
    const double size = std::abs(u), within = std::min(size, most_potential_of_ions), more = size - within;
    const double sinh = std::sinh(within), cosh = std::cosh(within);
    return size * (sinh + cosh * more) / 2 - (cosh + sinh * more + cosh * more * more / 2) + 1;
  };
  return equation.ion_strength * sum_planes(e, [&](int k) {
           double sum = 0;
           const std::size_t first = e.row(0, k), end = first + e.plane();
           for (std::size_t at = first; at < end; ++at) {
             if (level.d[at] > 0) sum += density(equation.u[at]);
           }
           return sum;
         });
}

void keep(const GridEquation& equation, FieldValues& into) {
  into.resize(equation.u.size());
  for (std::size_t at = 0; at < into.size(); ++at) into[at] = static_cast<float>(equation.u[at]);
}

Medium medium_of(const PotentialOptions& options) {
  return {.surface = options.surface,
          .interface = options.interface,
          .probe = options.probe_angstrom,
          .solute = options.solute_dielectric,
          .solvent = options.solvent_dielectric,
          .kappa = inverse_debye_length(options.salt_molar, options.solvent_dielectric,
                                        options.temperature_kelvin),
          .ion_radius = options.ion_radius_angstrom,
          .spline_half = options.spline_window_angstrom};
}

/// Combines the reports of all equations. If only the CPU solved them, there are no shares.
dispatch::Report report_of(dispatch::Report all, const PotentialOptions& options, int threads) {
  const auto& method =
      potential_schema().at("method").description.choices.at(static_cast<std::size_t>(options.method)).label;
  const auto is_cpu = [](const auto& share) { return share.which == nullptr; };
  if (std::ranges::all_of(all.shares, is_cpu)) {
    all.shares.clear();
    all.who = fmt::format("CPU, {}, {} thread{}", method, threads, threads == 1 ? "" : "s");
  } else {
    all.who = fmt::format("{}, {}", all.took_part(), method);
  }
  return all;
}

/// Adds its lifetime in seconds to a phase.
class Timed {
 public:
  explicit Timed(double& seconds) : seconds_(seconds) {}
  ~Timed() { seconds_ += seconds_since(start_); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  double& seconds_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

struct PoissonBoltzmann::State {
  structures::Charges charges;
  Grid wanted;
  Grown fine;
  std::shared_ptr<SolventSurfaces> surfaces;

  /// State left by the previous call.
  std::optional<GridEquation> equation;
  std::optional<std::tuple<double, ChargeSpline, double>> reference_is;
  double reference_energy = 0;
  FieldValues last_coarse, last_fine;
  double last_focusing = 0;
  std::unique_ptr<PoissonBoltzmann> half;  ///< on the grid of twice the spacing

  PhaseSeconds seconds;
  SolveReport solved;
  dispatch::Report report;

  double solution_energy(const PotentialOptions& options, const PoissonBoltzmannWork& work,
                         const jobs::Progress& progress);
  double reference(const PotentialOptions& options, const jobs::Progress& progress);
  /// The larger grid, or the fine one without focusing.
  Grid outer_of(const PotentialOptions& options) const {
    return options.focusing > least_focusing ? stretched(fine.grid, options.focusing) : fine.grid;
  }
  double focused(const PotentialOptions& options, const Medium& medium, double salt, bool warm,
                 double& seconds_of, const jobs::Progress& progress);
  void solve_on(const Grid& grid, const PotentialOptions& options, const Medium& medium,
                const std::vector<double>& faces, const FieldValues* last, double& seconds_of,
                const jobs::Progress& progress);
  double energy(const PotentialOptions& options, bool nonlinear) const;
  std::size_t bytes_needed(const PoissonBoltzmannWork& work) const;
  std::unique_ptr<PoissonBoltzmann> of_twice_the_spacing(const PotentialOptions& options) const;
  grid::ScalarField field(const PotentialOptions& options, const GridEquation::Potentials& u) const;
};

PoissonBoltzmann::PoissonBoltzmann(const structures::Charges& charges, const Grid& grid,
                                   std::shared_ptr<SolventSurfaces> surfaces)
    : state_(std::make_unique<State>()) {
  check(charges);
  if (grid.unit == grid::LengthUnit::millimetre)
    throw Error("A grid in millimetres holds no molecule. Give one in bohr or angstrom.");
  if (!grid.axis_aligned()) {
    throw Error("The Poisson-Boltzmann equation is solved on grids along x, y and z. Give such a grid.");
  }
  for (const int count : grid.dimensions) {
    if (count < 5) {
      throw Error(
          fmt::format("The grid has {} points along an axis. Give five at least: a smaller spacing, "
                      "or a larger margin.",
                      count));
    }
  }
  state_->wanted = grid;
  const std::size_t count = grid.point_count();
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (count > most / 2) {
    throw ResourceError(
        fmt::format("An equation for {:.4g} points is too large: it may have {}. Take a larger "
                    "spacing or a smaller margin.",
                    grid::point_number(grid), most / 2));
  }
  state_->fine = grown(in_angstrom(grid), charges);
  require_inside(charges, state_->fine.grid, ChargeSpline::linear);
  // Without labels, which take most of the memory.
  state_->charges.x = charges.x;
  state_->charges.y = charges.y;
  state_->charges.z = charges.z;
  state_->charges.charge = charges.charge;
  state_->charges.radius = charges.radius;
  state_->surfaces = surfaces ? std::move(surfaces) : std::make_shared<SolventSurfaces>();
}

PoissonBoltzmann::~PoissonBoltzmann() = default;

void PoissonBoltzmann::State::solve_on(const Grid& grid, const PotentialOptions& options,
                                       const Medium& medium, const std::vector<double>& faces,
                                       const FieldValues* last, double& seconds_of,
                                       const jobs::Progress& progress) {
  {
    const Timed timed(seconds.medium);
    fill_medium(medium, charges, *surfaces, grid, equation->coefficients(), progress);
    equation->ready();
    equation->ion_strength = ion_strength_of(medium, grid);
    equation->charges = spread_charges(charges, grid, options.charge_spline);
    const double scale = charge_scale(options);
    for (PointCharge& each : equation->charges) each.value *= scale;
  }
  const Timed timed(seconds_of);
  const bool warm = last != nullptr && last->size() == equation->u.size();
  if (warm) {
    for (std::size_t at = 0; at < last->size(); ++at) equation->u[at] = static_cast<double>((*last)[at]);
  }
  set_faces(faces, *equation);
  const auto found = solve_by_engine(
      *equation, {.nonlinear = options.method == Method::pb_nonlinear, .warm = warm}, options, progress);
  solved = found.values;
  add_equation(report, found.report);
}

/// Solves on the coarse grid, then on the fine one; returns the energy.
double PoissonBoltzmann::State::focused(const PotentialOptions& options, const Medium& medium, double salt,
                                        bool warm, double& seconds_of, const jobs::Progress& progress) {
  const bool has_coarse = options.focusing > least_focusing;
  const Grid outer = outer_of(options);
  std::vector<double> faces;
  {
    const Timed timed(seconds.faces);
    faces = debye_hueckel_faces(outer, charges, options, medium.solvent, salt, progress.part(0, 0.1));
  }
  const bool use_last = warm && last_focusing == options.focusing;
  if (has_coarse) {
    solve_on(outer, options, medium, faces, use_last ? &last_coarse : nullptr, seconds_of,
             progress.part(0.1, 0.5));
    if (warm) keep(*equation, last_coarse);
    faces = {};
    faces = faces_within(fine.grid, outer, *equation);
  }
  solve_on(fine.grid, options, medium, faces, use_last ? &last_fine : nullptr, seconds_of,
           progress.part(0.5, 1));
  if (warm) {
    keep(*equation, last_fine);
    last_focusing = options.focusing;
  }
  return energy(options, options.method == Method::pb_nonlinear && medium.kappa > 0);
}

double PoissonBoltzmann::State::energy(const PotentialOptions& options, bool nonlinear) const {
  double sum = 0;
  for (const PointCharge& charge : equation->charges) sum += charge.value * equation->u[charge.at];
  sum /= 2;
  if (nonlinear) sum += energy_of_ions(*equation);
  return sum / charge_scale(options) * kj_per_mol_of_kt(options.temperature_kelvin);
}

double PoissonBoltzmann::State::reference(const PotentialOptions& options, const jobs::Progress& progress) {
  // The energy in a uniform medium, which does not depend on the temperature.
  const std::tuple is{options.solute_dielectric, options.charge_spline, options.focusing};
  if (reference_is == is) return reference_energy;
  PotentialOptions alone = options;
  alone.method = Method::pb_linear;
  const Medium medium{.solute = options.solute_dielectric, .solvent = options.solute_dielectric};
  reference_energy = focused(alone, medium, 0, false, seconds.reference, progress);
  reference_is = is;
  return reference_energy;
}

double PoissonBoltzmann::State::solution_energy(const PotentialOptions& options,
                                                const PoissonBoltzmannWork& work,
                                                const jobs::Progress& progress) {
  return focused(options, medium_of(options), options.salt_molar, work.keep, seconds.solution, progress);
}

/// Peak memory, which is reached while the equation of the solution is solved: afterwards, solver memory is freed for
/// the map. The grid of twice the spacing is solved first and freed by then, or kept.
std::size_t PoissonBoltzmann::State::bytes_needed(const PoissonBoltzmannWork& work) const {
  const Extents& e = fine.halvings.extents;
  const std::size_t solving = GridEquation::bytes_of(fine.halvings) + face_points(e) * sizeof(double);
  if (!work.keep) return solving;
  const std::size_t kept = solving + e.count() * 3 * sizeof(float);  // both solutions and the map
  return work.estimate_error ? kept + kept / 8 : kept;
}

grid::ScalarField PoissonBoltzmann::State::field(const PotentialOptions& options,
                                                 const GridEquation::Potentials& u) const {
  grid::ScalarField field{.grid = wanted,
                          .values = FieldValues(wanted.point_count()),
                          .name = "electrostatic potential",
                          .unit = std::string(to_text(options.unit))};
  const double scale = coulomb_constant(options.unit, options.temperature_kelvin) /
                       coulomb_constant(PotentialUnit::kt_per_e, options.temperature_kelvin);
  const Extents& e = fine.halvings.extents;
  const auto& n = wanted.dimensions;
  float* values = field.values.data();
  for_planes(e, 0, n[2], [&](int k) {
    for (int j = 0; j < n[1]; ++j) {
      float* row = values + static_cast<std::size_t>(n[0]) *
                                (static_cast<std::size_t>(j) + static_cast<std::size_t>(n[1]) * k);
      for (int i = 0; i < n[0]; ++i) {
        const auto& before = fine.before;
        row[i] = static_cast<float>(scale * u[e.at(i + before[0], j + before[1], k + before[2])]);
      }
    }
  });
  return field;
}

/// Null where it would be too coarse for the charges.
std::unique_ptr<PoissonBoltzmann> PoissonBoltzmann::State::of_twice_the_spacing(
    const PotentialOptions& options) const {
  const auto coarse = coarse_of(fine.grid);
  if (!coarse) return nullptr;
  try {
    require_inside(charges, *coarse, options.charge_spline);
  } catch (const Error&) {
    return nullptr;  // charges would reach its boundary
  }
  return std::make_unique<PoissonBoltzmann>(charges, *coarse, surfaces);
}

std::optional<double> PoissonBoltzmann::energy_at_twice_the_spacing(const PotentialOptions& options,
                                                                    const jobs::Progress& progress) const {
  check(options);
  const auto half = state_->of_twice_the_spacing(options);
  if (half == nullptr) return std::nullopt;
  return half->solve_unrecorded(options, {.estimate_error = false, .keep = false}, progress)
      .energy->kj_per_mol;
}

PoissonBoltzmannResult PoissonBoltzmann::solve(const PotentialOptions& options,
                                               const PoissonBoltzmannWork& work,
                                               const jobs::Progress& progress) {
  auto result = solve_unrecorded(options, work, progress);
  if (!result.report.shares.empty()) {
    result.report.job = fmt::format("Poisson-Boltzmann equation of {} points", result.unknowns);
    if (options.engines != nullptr) options.engines->record(result.report);
  }
  return result;
}

PoissonBoltzmannResult PoissonBoltzmann::solve_unrecorded(const PotentialOptions& options,
                                                          const PoissonBoltzmannWork& work,
                                                          const jobs::Progress& progress) {
  check(options);
  if (!is_poisson_boltzmann(options.method))
    throw Error("The method solves no equation on a grid. Give pb-linear or pb-nonlinear.");
  State& state = *state_;
  const Extents& extents = state.fine.halvings.extents;
  require_inside(state.charges, state.fine.grid, options.charge_spline);
  if (!state.equation) {
    dispatch::require_memory(fmt::format("The equation for {} points", extents.count()),
                             state.bytes_needed(work), "Take a larger spacing or a smaller margin.");
  }
  PoissonBoltzmannResult result;
  state.seconds = {};
  state.report = {};
  const int threads = options.threads > 0 ? options.threads : dispatch::processor_threads();
  tbb::task_arena arena(threads);
  const auto estimate = [&]() -> std::optional<double> {
    const Timed timed(state.seconds.estimate);
    if (!state.half) state.half = state.of_twice_the_spacing(options);
    if (!state.half) return std::nullopt;
    const PoissonBoltzmannWork alone{.estimate_error = false, .keep = work.keep};
    const auto found = state.half->solve_unrecorded(options, alone, progress.part(0, 0.1));
    add_equation(state.report, found.report);
    return found.energy->kj_per_mol;
  };
  const auto run = [&] {
    {  // set up before it is used, to time it separately
      const Timed timed(state.seconds.surface);
      find_surfaces(medium_of(options), state.charges, *state.surfaces, state.outer_of(options), progress);
    }
    const auto coarse_energy = work.energy && work.estimate_error ? estimate() : std::nullopt;
    if (!work.keep) state.half.reset();
    if (!state.equation) state.equation.emplace(state.fine.halvings);
    const double reference = work.energy ? state.reference(options, progress.part(0.1, 0.5)) : 0;
    const double solution =
        state.solution_energy(options, work, work.energy ? progress.part(0.5, 1) : progress);
    if (!work.energy) return;
    const double energy = solution - reference;
    result.energy = {energy, coarse_energy ? std::optional(std::abs(energy - *coarse_energy)) : std::nullopt};
  };
  const handover::Caller here(run);
  arena.execute([&] {
    const handover::Worker worker;
    run();
  });
  // Solver memory is freed before the map is allocated, so that the peak is that of solving.
  if (!work.keep) {
    const auto u = std::move(state.equation->u);
    state.equation.reset();
    result.potential = state.field(options, u);
  } else {
    result.potential = state.field(options, state.equation->u);
  }
  result.seconds = state.seconds;
  result.solve = state.solved;
  result.unknowns = extents.count();
  result.report = report_of(state.report, options, threads);
  return result;
}

}  // namespace isolume::electrostatics
