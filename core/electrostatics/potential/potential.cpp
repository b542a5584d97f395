#include "core/electrostatics/potential/potential.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>

#include <Eigen/LU>
#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dispatch/memory.h"
#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"
#include "core/electrostatics/sums/inverse_split.h"
#include "core/electrostatics/sums/multilevel.h"
#include "core/electrostatics/sums/pair_engine.h"
#include "core/electrostatics/sums/pair_field.h"
#include "core/electrostatics/sums/particle_mesh_ewald.h"
#include "core/grid/point_number.h"
#include "core/multipoles/charge_sums.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// By the fast multipole method.
void sum_far(const Places& places, const Sources& sources, const PotentialOptions& options, double scale,
             const std::function<void(std::size_t, double)>& store, const jobs::Progress& progress) {
  const auto sums = multipoles::charge_sums({places.x, places.y, places.z},
                                            {sources.x, sources.y, sources.z, sources.charge},
                                            {.error = options.error}, progress);
  for (std::size_t i = 0; i < places.size(); ++i) store(i, scale * sums.potential[i]);
}

std::string title_of(Method method) {
  return potential_schema().at("method").description.choices.at(static_cast<std::size_t>(method)).label;
}

/// The bounding box of a grid, in angstrom.
structures::Box box_around(const grid::Grid& grid) {
  const double angstrom = grid::shown_per_unit(grid.unit);
  structures::Box box;
  for (int corner = 0; corner < 8; ++corner) {
    const auto end = [&](int axis) {
      return (corner >> axis & 1) == 0 ? 0 : grid.dimensions[static_cast<std::size_t>(axis)] - 1;
    };
    const Vector3d place = grid.position(end(0), end(1), end(2)) * angstrom;
    box.low = corner == 0 ? place : box.low.cwiseMin(place).eval();
    box.high = corner == 0 ? place : box.high.cwiseMax(place).eval();
  }
  return box;
}

structures::Box box_around(const Places& places) {
  structures::Box box{Vector3d::Zero(), Vector3d::Zero()};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Vector3d place(places.x[i], places.y[i], places.z[i]);
    box.low = i == 0 ? place : box.low.cwiseMin(place).eval();
    box.high = i == 0 ? place : box.high.cwiseMax(place).eval();
  }
  return box;
}

/// Everything that defines a sum.
struct Sum {
  Sources sources;
  PairTerms terms;
  Bins bins;  ///< of the sources or, with a period, of their images
  double scale;
  std::optional<MeshSum> rest;     ///< long-range part beyond pairs within the cut-off
  std::optional<Matrix3d> period;  ///< edges of the box as columns

  PairProblem problem() const { return {bins, terms, scale, rest ? &*rest : nullptr}; }
  /// The equivalent position in the first box.
  Vector3d folded(const Vector3d& place) const {
    if (!period || !rest) return place;
    return place - *period * (rest->to_mesh * place).array().floor().matrix();
  }
};

/// `where`: box in which the potential will be evaluated.
Sum sum_of(const structures::Charges& charges, const PotentialOptions& options,
           const structures::Box& where) {
  const PairTerms terms = terms_of(options);
  Sources sources = sources_of(charges, terms);
  const bool is_periodic = options.method == Method::pme;
  const std::optional<Matrix3d> period =
      is_periodic ? std::optional(period_of(options, charges)) : std::nullopt;
  Bins bins(is_periodic ? images_near(sources, *period, where, terms.cutoff) : sources, terms.cutoff);
  Sum sum{std::move(sources), terms, std::move(bins), scale_of(options), std::nullopt, period};
  if (sum.sources.size() == 0) return sum;
  if (options.method == Method::multilevel)
    sum.rest = multilevel_sum(sum.sources, where, terms.cutoff, options.error);
  if (is_periodic) sum.rest = ewald_sum(sum.sources, *period, ewald_split_of(options).alpha, options.error);
  return sum;
}

/// Describes who computed it, and corrections to the input. `devices`: those other than the CPU.
std::string told_of(const PotentialOptions& options, const structures::Charges& charges, int threads,
                    const std::string& devices) {
  auto text = devices.empty() ? fmt::format("CPU, {}, {} thread{}", title_of(options.method), threads,
                                            threads == 1 ? "" : "s")
                              : fmt::format("{}, {}", devices, title_of(options.method));
  if (takes_dielectric(options.method) && options.dielectric == Dielectric::distance)
    text += fmt::format(", a permittivity of {:g} an angstrom of distance", options.solute_dielectric);
  constexpr double neutral = 1e-4;
  const double charge = structures::total_charge(charges);
  if (options.method == Method::pme && options.box.empty()) {
    const Matrix3d edges = period_of(options, charges);
    const Vector3d lengths = edges.colwise().norm();
    text +=
        fmt::format(", the file's box of {:g} × {:g} × {:g} angstrom", lengths.x(), lengths.y(), lengths.z());
    const auto angle = [&](int a, int b) {
      const double cosine = edges.col(a).dot(edges.col(b)) / (lengths[a] * lengths[b]);
      return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
    };
    const Vector3d angles(angle(1, 2), angle(2, 0), angle(0, 1));
    if ((angles.array() - 90).abs().maxCoeff() > 1e-6) {
      text += fmt::format(" with angles of {:.6g}, {:.6g} and {:.6g} degrees", angles.x(), angles.y(),
                          angles.z());
    }
  }
  if (options.method == Method::pme && std::abs(charge) > neutral)
    text += fmt::format(", the box neutralised by a uniform background of {:.4g} e", -charge);
  return text;
}

/// Checks the input, sorts charges and calls `add(values, sum)` in an arena, which returns a report.
template <class Values, class Add>
Potential<Values> summed(Values values, const structures::Charges& charges, const PotentialOptions& options,
                         const structures::Box& where, const Add& add) {
  check(charges);
  check(options);
  Potential<Values> found{std::move(values)};
  const int threads = options.threads > 0 ? options.threads : dispatch::processor_threads();
  tbb::task_arena arena(threads);
  arena.execute([&] {
    const auto start = std::chrono::steady_clock::now();
    const Sum sum = sum_of(charges, options, where);
    found.seconds_order = seconds_since(start);
    const auto ordered = std::chrono::steady_clock::now();
    found.report = add(found.values, sum);
    found.seconds_sums = seconds_since(ordered);
  });
  found.report.who = told_of(options, charges, threads, found.report.who);
  return found;
}

Places places_of(const grid::Grid& grid, const GridPlanes& planes) {
  const double angstrom = grid::shown_per_unit(grid.unit);
  Places places;
  for (int k = 0; k < grid.dimensions[2]; ++k) {
    for (int j = 0; j < grid.dimensions[1]; ++j) {
      for (int i = planes.first; i < planes.end; ++i) {
        const Vector3d place = grid.position(i, j, k) * angstrom;
        places.x.push_back(place.x());
        places.y.push_back(place.y());
        places.z.push_back(place.z());
      }
    }
  }
  return places;
}

/// Throws Error where a point is not finite or too far away for charges within most_magnitude.
void check_place(const Vector3d& place, std::size_t number) {
  constexpr double most = 1e3 * structures::most_magnitude;
  if (!(place.cwiseAbs().maxCoeff() <= most)) {
    throw Error(
        fmt::format("Point {}: {}, {}, {} is too far away. Give finite numbers within {:.0e} angstrom.",
                    number, place.x(), place.y(), place.z(), most));
  }
}

/// Around the periodic box.
structures::Box box_around_period(const Matrix3d& edges) {
  return {edges.cwiseMin(0).rowwise().sum(), edges.cwiseMax(0).rowwise().sum()};
}

/// Where the potential on the grid is evaluated: for a rotated grid, all points are folded into the first box.
structures::Box where_of(const grid::Grid& grid, const structures::Charges& charges,
                         const PotentialOptions& options) {
  const bool folds = options.method == Method::pme && !grid.axis_aligned();
  return folds ? box_around_period(period_of(options, charges)) : box_around(grid);
}

/// Throws Error for grids that cannot hold a molecule, or lie too far away.
void check_grid(const grid::Grid& grid) {
  if (grid.unit == grid::LengthUnit::millimetre)
    throw Error("A grid in millimetres holds no molecule. Give one in bohr or angstrom.");
  for (const double end : {0.0, 1.0}) {
    check_place(grid.position(end * grid.dimensions[0], end * grid.dimensions[1], end * grid.dimensions[2]),
                1);
  }
}

grid::ScalarField empty_field(const grid::Grid& grid, const PotentialOptions& options) {
  return {.grid = grid,
          .values = FieldValues(grid.point_count()),
          .name = "electrostatic potential",
          .unit = std::string(to_text(options.unit))};
}

/// Pair sums at the points of some planes of a grid that may be rotated.
void sum_at_planes(const grid::Grid& grid, const GridPlanes& planes, const Sum& sum, float* values,
                   const jobs::Progress& progress) {
  const double angstrom = grid::shown_per_unit(grid.unit);
  const auto nx = static_cast<std::size_t>(planes.end - planes.first);
  const auto ny = static_cast<std::size_t>(grid.dimensions[1]);
  const auto place = [&](std::size_t i) -> Vector3d {
    return grid.position(static_cast<double>(i % nx + static_cast<std::size_t>(planes.first)),
                         static_cast<double>(i / nx % ny), static_cast<double>(i / nx / ny)) *
           angstrom;
  };
  const auto store = [&](std::size_t i, double value) { values[i] = static_cast<float>(value); };
  sum_pairs_at(
      nx * ny * static_cast<std::size_t>(grid.dimensions[2]),
      [&](std::size_t i) { return sum.folded(place(i)); }, sum.bins, sum.terms, sum.scale, store, progress);
}

/// Number of planes per fmm sum: few enough for little memory, and enough for the repeated cost of the charges'
/// expansions to be small.
int planes_of_fmm(const grid::Grid& grid, std::size_t charges) {
  const std::size_t points = std::max(std::size_t{1} << 20, 8 * charges),
                    all = static_cast<std::size_t>(grid.dimensions[0]), plane = grid.point_count() / all;
  return static_cast<int>(std::clamp<std::size_t>(points / plane, 1, all));
}
/// In addition to the values: positions, and the memory of multipoles::charge_sums.
std::size_t scratch_of_fmm(const grid::Grid& grid, std::size_t charges) {
  constexpr std::size_t bytes_a_point = 30 * sizeof(double);
  const std::size_t points = grid.point_count() / static_cast<std::size_t>(grid.dimensions[0]) *
                             static_cast<std::size_t>(planes_of_fmm(grid, charges));
  return std::min(points, SIZE_MAX / 2 / bytes_a_point) * bytes_a_point;
}

/// By fmm, at the points of some planes, which begin at a multiple of planes_of_fmm.
void sum_far_on(const grid::Grid& grid, const GridPlanes& planes, int together, const Sum& sum,
                const PotentialOptions& options, float* values, const jobs::Progress& progress) {
  const auto width = static_cast<std::size_t>(planes.count());
  const auto share = [&](int plane) { return static_cast<double>(plane - planes.first) / planes.count(); };
  for (int first = planes.first; first < planes.end; first += together) {
    const GridPlanes some{first, std::min(first + together, planes.end)};
    const auto its = static_cast<std::size_t>(some.count());
    float* const to = values + (first - planes.first);
    sum_far(
        places_of(grid, some), sum.sources, options, sum.scale,
        [&](std::size_t i, double value) { to[i % its + i / its * width] = static_cast<float>(value); },
        progress.part(share(some.first), share(some.end)));
  }
}

/// The equivalent positions in the first box, where there is one.
Places folded(const Places& places, const Sum& sum) {
  Places all = places;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Vector3d place = sum.folded({places.x[i], places.y[i], places.z[i]});
    all.x[i] = place.x();
    all.y[i] = place.y();
    all.z[i] = place.z();
  }
  return all;
}

}  // namespace

Potential<grid::ScalarField> potential_on(const grid::Grid& grid, const structures::Charges& charges,
                                          const PotentialOptions& options, const jobs::Progress& progress) {
  if (is_poisson_boltzmann(options.method)) {
    auto solved = PoissonBoltzmann(charges, grid).solve(options, {.energy = false}, progress);
    Potential<grid::ScalarField> found{std::move(solved.potential)};
    found.seconds_order = solved.seconds.surface + solved.seconds.medium + solved.seconds.faces;
    found.seconds_sums = solved.seconds.solution;
    found.report = std::move(solved.report);
    return found;
  }
  check_grid(grid);
  const std::size_t bytes = bytes_of_map(grid, charges, options);
  const double points = grid::point_number(grid);
  dispatch::require_memory(fmt::format("A potential at {:.4g} points", points),
                           std::max(static_cast<double>(bytes), points * sizeof(float)),
                           "Take a larger spacing.");
  grid::ScalarField field = empty_field(grid, options);
  const auto add = [&](grid::ScalarField& into, const Sum& sum) -> dispatch::Report {
    float* values = into.values.data();
    if (options.method == Method::fmm) {
      sum_far_on(grid, all_planes(grid), planes_of_fmm(grid, charges.size()), sum, options, values, progress);
    } else if (grid.axis_aligned()) {
      return sum_by_engine(grid, sum.problem(), values, options, progress);
    } else {
      require_cpu(options, "A potential on a grid that does not lie along x, y and z");
      sum_at_planes(grid, all_planes(grid), sum, values, progress);
      if (sum.rest) {
        add_mesh_potential(*sum.rest, values_on_mesh(*sum.rest, progress), grid, sum.scale, values, progress);
      }
    }
    return {};
  };
  return summed(std::move(field), charges, options, where_of(grid, charges, options), add);
}

std::size_t bytes_of_map(const grid::Grid& grid, const structures::Charges& charges,
                         const PotentialOptions& options) {
  const bool solves = is_poisson_boltzmann(options.method);
  const std::size_t bytes_each = solves ? 40 : sizeof(float), count = grid.point_count();
  if (count > (SIZE_MAX >> 2) / bytes_each) return SIZE_MAX;
  return count * bytes_each + (solves ? 2000 * charges.size() : 0) +
         (options.method == Method::fmm ? scratch_of_fmm(grid, charges.size()) : 0);
}

Parts parts_of(const grid::Grid& grid, const structures::Charges& charges, const PotentialOptions& options,
               std::size_t bytes) {
  if (is_poisson_boltzmann(options.method)) {
    throw Error(fmt::format("{} computes a map in one piece. Take a larger spacing, or another method.",
                            title_of(options.method)));
  }
  if (options.method == Method::fmm) {
    return parts_of_planes(grid, planes_of_fmm(grid, charges.size()), scratch_of_fmm(grid, charges.size()),
                           bytes);
  }
  return parts_of_planes(grid, planes_together(terms_of(options)), 0, bytes);
}

Potential<int> potential_in_parts(
    const grid::Grid& grid, const structures::Charges& charges, const PotentialOptions& options,
    const Parts& parts, const std::function<void(const grid::ScalarField&, const jobs::Progress&)>& use,
    const jobs::Progress& progress, KeptParts* kept) {
  check_grid(grid);
  require_cpu(options, "A map in parts");
  const auto add = [&](int& into, const Sum& sum) -> dispatch::Report {
    const auto on_mesh = sum.rest ? values_on_mesh(*sum.rest, progress) : std::vector<double>();
    const auto compute = [&](const GridPlanes& planes, float* values, const jobs::Progress& on) {
      if (options.method == Method::fmm) {
        const int together = planes_of_fmm(grid, charges.size());
        sum_far_on(grid, planes, together, sum, options, values, on);
      } else if (grid.axis_aligned()) {
        sum_pairs_on(grid, planes, sum.bins, sum.terms, sum.scale, values, on);
      } else {
        sum_at_planes(grid, planes, sum, values, on);
      }
      if (sum.rest) add_mesh_potential(*sum.rest, on_mesh, grid, planes, sum.scale, values, on);
    };
    compute_parts(
        grid, parts, [&](const grid::Grid& its) { return empty_field(its, options); }, compute, use, progress,
        kept);
    into = parts.count;
    return {};
  };
  return summed(0, charges, options, where_of(grid, charges, options), add);
}

Potential<std::vector<double>> potential_at(const Places& places, const structures::Charges& charges,
                                            const PotentialOptions& options, const jobs::Progress& progress) {
  if (is_poisson_boltzmann(options.method)) {
    throw Error(
        "The Poisson-Boltzmann equation is solved on a grid. Compute the potential there, and "
        "interpolate.");
  }
  for (std::size_t i = 0; i < places.size(); ++i) check_place({places.x[i], places.y[i], places.z[i]}, i + 1);
  const bool folds = options.method == Method::pme;
  const structures::Box where = folds ? box_around_period(period_of(options, charges)) : box_around(places);
  const auto add = [&](std::vector<double>& into, const Sum& sum) -> dispatch::Report {
    if (options.method != Method::fmm)
      return sum_by_engine(folded(places, sum), sum.problem(), into.data(), options, progress);
    const auto store = [&](std::size_t i, double value) { into[i] = value; };
    sum_far(places, sum.sources, options, sum.scale, store, progress);
    return {};
  };
  return summed(std::vector<double>(places.size()), charges, options, where, add);
}

}  // namespace isolume::electrostatics
