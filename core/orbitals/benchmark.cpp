#include "core/orbitals/benchmark.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include <tbb/blocked_range.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/base/units.h"
#include "core/dispatch/dispatch.h"
#include "core/orbitals/product_field.h"
#include "core/orbitals/reference_engine.h"
#include "core/orbitals/separable_grid.h"

namespace isolume::orbitals {
namespace {

void fill_rates(BenchmarkResult& result, const benchmarks::MachinePeak& peak) {
  result.points_per_second = static_cast<double>(result.points) / result.timing.median_ms * 1e3;
  result.gflop_per_second = result.gflop / result.timing.median_ms * 1e3;
  result.peak = peak;
  result.fraction_of_peak = result.gflop_per_second / peak.gflop_per_second;
  result.flop_bound_ms = result.gflop / peak.gflop_per_second * 1e3;
  result.write_bound_ms = benchmarks::fastest_write_ms(result.points * sizeof(float), peak.threads);
}

bool is_c60(const molecules::Molecule& molecule) {
  return molecule.atoms.size() == 60 &&
         std::ranges::all_of(molecule.atoms, [](const auto& atom) { return atom.atomic_number == 6; });
}

/// A sixteenth are the points of greatest magnitude; the rest are one from each of equally long ranges; ascending.
std::vector<std::size_t> sampled_points(std::span<const float> field, std::size_t count) {
  std::vector<std::size_t> order(field.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t greatest = (count + 15) / 16;
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(greatest), std::greater<>(),
                            [&](std::size_t point) { return std::abs(field[point]); });
  std::set<std::size_t> points(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(greatest));
  std::mt19937_64 random(1);
  for (std::size_t i = greatest; i < count; ++i) {
    const std::size_t begin = field.size() * (i - greatest) / (count - greatest);
    const std::size_t end = field.size() * (i - greatest + 1) / (count - greatest);
    points.insert(begin + random() % (end - begin));
  }
  return {points.begin(), points.end()};
}

}  // namespace

grid::Grid benchmark_grid(const molecules::Molecule& molecule, int points) {
  constexpr double margin_angstrom = 3;
  const auto [low, high] = molecules::nuclei_box(molecule);
  const Eigen::Vector3d margin = Eigen::Vector3d::Constant(margin_angstrom * units::bohr_per_angstrom);
  if (points > 0) {
    grid::Grid grid;
    grid.origin = low - margin;
    grid.step = ((high - low + 2 * margin) / std::max(points - 1, 1)).asDiagonal();
    grid.dimensions = {points, points, points};
    return grid;
  }
  if (is_c60(molecule)) {
    return grid::centred((low + high) / 2, {172, 173, 169}, 0.075 * units::bohr_per_angstrom);
  }
  return grid::cover_box(low - margin, high + margin, 0.1 * units::bohr_per_angstrom);
}

double count_gflop(const molecules::Wavefunction& wavefunction, const Combination& combination,
                   const grid::Grid& grid, const EngineOptions& options) {
  const FieldProblem problem{wavefunction.molecule,
                             wavefunction.basis,
                             combination.coefficients,
                             combination.quadratic ? &combination.weights : nullptr,
                             &grid,
                             nullptr,
                             options.screening};
  if (ProductField::worthwhile(problem)) {
    const ProductField field(problem, options.threads, {});
    products::Scratch scratch;
    FieldValues values(grid.point_count());
    for (int piece = 0; piece < field.piece_count(); ++piece)
      field.density(piece, values.data(), scratch, {});
    return (field.preparing_operations() + scratch.operations) * 1e-9;
  }
  const SeparableGrid separable(wavefunction.molecule, wavefunction.basis, combination.coefficients,
                                combination.quadratic ? &combination.weights : nullptr, grid,
                                options.screening);
  SeparableGrid::Scratch scratch;
  FieldValues field(grid.point_count());
  const std::vector<float*> fields(static_cast<std::size_t>(combination.coefficients.cols()), field.data());
  for (int piece = 0; piece < separable.piece_count(); ++piece) {
    if (combination.quadratic) {
      separable.density(piece, field.data(), scratch, {});
    } else {
      separable.amplitudes(piece, fields, scratch, {});
    }
  }
  return scratch.operations * 1e-9;
}

EngineTiming time_engine(const Engine& engine, const EngineOptions& engine_options,
                         const molecules::Wavefunction& wavefunction, const FieldRequest& request,
                         const grid::Grid& grid, const benchmarks::RepeatOptions& repeats,
                         const jobs::Progress& progress) {
  EngineTiming made;
  made.timing = benchmarks::time_repeats(repeats, [&] {
    progress.check();
    const auto start = std::chrono::steady_clock::now();
    auto computed = compute_field(wavefunction, request, grid, engine, engine_options, progress);
    const double taken = milliseconds_since(start);
    made.last = std::move(computed);
    return taken;
  });
  return made;
}

FieldRequest benchmark_request(const molecules::Wavefunction& wavefunction, FieldKind kind) {
  FieldRequest request;
  request.kind = kind;
  request.orbital = molecules::find_orbital(wavefunction.sets.front(), "homo", molecules::Spin::alpha);
  return request;
}

std::vector<BenchmarkResult> benchmark_orbitals(const std::string& file,
                                                const molecules::Wavefunction& wavefunction,
                                                const benchmarks::MachinePeak& peak,
                                                const BenchmarkOptions& options,
                                                const jobs::Progress& progress) {
  const auto engine = make_cpu_engine();
  const grid::Grid grid = benchmark_grid(wavefunction.molecule, options.points);
  EngineOptions engine_options;
  engine_options.threads = options.threads > 0 ? options.threads : dispatch::processor_threads();
  std::vector<BenchmarkResult> results;
  for (const FieldKind kind : {FieldKind::orbital, FieldKind::density}) {
    const FieldRequest request = benchmark_request(wavefunction, kind);
    BenchmarkResult result;
    result.file = file;
    result.field = to_string(kind);
    result.engine = engine->description(engine_options.threads);
    result.processor = dispatch::processor_name();
    result.dimensions = grid.dimensions;
    result.spacing_angstrom = grid.step(0, 0) * units::angstrom_per_bohr;
    result.points = grid.point_count();
    result.threads = engine_options.threads;
    result.gflop = count_gflop(wavefunction, combine(wavefunction, request), grid, engine_options);
    result.timing =
        time_engine(*engine, engine_options, wavefunction, request, grid, options.repeats, progress).timing;
    fill_rates(result, peak);
    results.push_back(std::move(result));
  }
  return results;
}

nlohmann::json to_json(const BenchmarkResult& result) {
  return {{"file", result.file},
          {"field", result.field},
          {"engine", result.engine},
          {"processor", result.processor},
          {"dimensions", result.dimensions},
          {"spacing_angstrom", result.spacing_angstrom},
          {"points", result.points},
          {"threads", result.threads},
          {"repeats", result.timing.repeats},
          {"median_ms", result.timing.median_ms},
          {"min_ms", result.timing.least_ms},
          {"first_ms", result.timing.first_ms},
          {"points_per_second", result.points_per_second},
          {"gflop", result.gflop},
          {"gflop_per_second", result.gflop_per_second},
          {"fraction_of_peak", result.fraction_of_peak},
          {"peak_gflop_per_second", result.peak.gflop_per_second},
          {"flop_bound_ms", result.flop_bound_ms},
          {"write_bound_ms", result.write_bound_ms}};
}

FieldSamples sample_field(const FieldProblem& problem, std::span<const float> field, std::size_t count,
                          const jobs::Progress& progress) {
  if (problem.grid == nullptr || problem.field_count() != 1 || field.size() != problem.point_count()) {
    throw Error("Samples are taken of one field on a grid.");
  }
  FieldSamples samples;
  for (const float value : field) samples.scale = std::max(samples.scale, std::abs(double{value}));
  samples.points = sampled_points(field, std::min(count, field.size()));
  const auto& n = problem.grid->dimensions;
  Eigen::Matrix3Xd places(3, samples.points.size());
  for (std::size_t i = 0; i < samples.points.size(); ++i) {
    const std::size_t row = samples.points[i] / n[0];
    places.col(i) = problem.grid->position(static_cast<int>(samples.points[i] % n[0]),
                                           static_cast<int>(row % n[1]), static_cast<int>(row / n[1]));
  }
  samples.values.resize(samples.points.size());
  handover::parallel_for(
      tbb::blocked_range<Eigen::Index>(0, places.cols(), 64), [&](const tbb::blocked_range<Eigen::Index>& r) {
        const Eigen::Matrix3Xd mine = places.middleCols(r.begin(), static_cast<Eigen::Index>(r.size()));
        const Eigen::MatrixXd amplitudes =
            reference_amplitudes(problem.molecule, problem.basis, problem.coefficients, mine);
        const Eigen::VectorXd values = problem.weights != nullptr
                                           ? Eigen::VectorXd(amplitudes.cwiseAbs2() * *problem.weights)
                                           : Eigen::VectorXd(amplitudes.col(0));
        std::ranges::copy(values, samples.values.begin() + r.begin());
        progress.check();
      });
  return samples;
}

double relative_error(const FieldSamples& samples, std::span<const float> field) {
  double largest = 0;
  for (std::size_t i = 0; i < samples.points.size(); ++i) {
    const double error = std::abs(field[samples.points[i]] - samples.values[i]);
    if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, error);
  }
  return samples.scale > 0 ? largest / samples.scale : largest;
}

}  // namespace isolume::orbitals
