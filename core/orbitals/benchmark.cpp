#include "core/orbitals/benchmark.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <thread>

#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/base/units.h"
#include "core/dispatch/dispatch.h"
#include "core/orbitals/fma_peak.h"
#include "core/orbitals/reference_engine.h"
#include "core/orbitals/separable_lattice.h"

namespace isolume::orbitals {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Runs `work(i)` on `threads` threads at once.
void on_threads(int threads, const std::function<void(int)>& work) {
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back([&work, i] { work(i); });
  work(0);
}

double fma_peak(int threads) {
  std::vector<double> each(threads);
  on_threads(threads, [&](int i) { each[i] = measure_fma_peak(0.2); });
  double sum = 0;
  for (const double one : each) sum += one;
  return sum;
}

/// Milliseconds that a field of this size takes to be allocated and written once by all threads: the best of
/// many, as others may use the machine too. Measured at the field's own size, because a small one stays in
/// the caches.
double fastest_write(std::size_t points, int threads) {
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 40; ++repeat) {
    const auto start = Clock::now();
    FieldValues values(points);
    on_threads(threads, [&](int i) {
      std::fill(values.begin() + points * i / threads, values.begin() + points * (i + 1) / threads, 1.0F);
    });
    best = std::min(best, milliseconds_since(start));
  }
  return best;
}

void fill_rates(BenchmarkResult& result, const EngineTiming& timing, const MachinePeak& peak) {
  result.repeats = timing.repeats;
  result.median_ms = timing.median_ms;
  result.min_ms = timing.min_ms;
  result.first_ms = timing.first_ms;
  result.points_per_second = static_cast<double>(result.points) / result.median_ms * 1e3;
  result.gflop_per_second = result.gflop / result.median_ms * 1e3;
  result.peak = peak;
  result.fraction_of_peak = result.gflop_per_second / peak.gflop_per_second;
  result.flop_bound_ms = result.gflop / peak.gflop_per_second * 1e3;
  result.write_bound_ms = fastest_write(result.points, peak.threads);
}

bool is_c60(const molecules::Molecule& molecule) {
  return molecule.atoms.size() == 60 &&
         std::ranges::all_of(molecule.atoms, [](const auto& atom) { return atom.atomic_number == 6; });
}

/// A sixteenth where the magnitude is greatest, the rest one from each of as many equal stretches; ascending.
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

MachinePeak measure_machine_peak(int threads) {
  MachinePeak peak;
  peak.threads = threads > 0 ? threads : dispatch::processor_threads();
  peak.gflop_per_second = fma_peak(peak.threads) * 1e-9;
  return peak;
}

lattice::Lattice benchmark_lattice(const molecules::Molecule& molecule, int points) {
  constexpr double margin_angstrom = 3;
  const auto [low, high] = molecules::nuclei_box(molecule);
  const Eigen::Vector3d margin = Eigen::Vector3d::Constant(margin_angstrom * units::bohr_per_angstrom);
  if (points > 0) {
    lattice::Lattice lattice;
    lattice.origin = low - margin;
    lattice.step = ((high - low + 2 * margin) / std::max(points - 1, 1)).asDiagonal();
    lattice.dimensions = {points, points, points};
    return lattice;
  }
  if (is_c60(molecule)) {
    return lattice::centred((low + high) / 2, {172, 173, 169}, 0.075 * units::bohr_per_angstrom);
  }
  return lattice::cover_box(low - margin, high + margin, 0.1 * units::bohr_per_angstrom);
}

double count_gflop(const molecules::Wavefunction& wavefunction, const Combination& combination,
                   const lattice::Lattice& lattice, const EngineOptions& options) {
  const SeparableLattice separable(wavefunction.molecule, wavefunction.basis, combination.coefficients,
                                   combination.quadratic ? &combination.weights : nullptr, lattice,
                                   options.screening);
  SeparableLattice::Scratch scratch;
  FieldValues field(lattice.point_count());
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
                         const lattice::Lattice& lattice, const BenchmarkOptions& options,
                         const jobs::Progress& progress) {
  EngineTiming timing;
  EngineOptions reported = engine_options;
  reported.report = &timing.report;
  std::vector<double> times;
  const auto begin = Clock::now();
  while (static_cast<int>(times.size()) < options.least_repeats ||
         milliseconds_since(begin) < 1e3 * options.least_seconds) {
    progress.check();
    const auto start = Clock::now();
    auto field = compute_field(wavefunction, request, lattice, engine, reported, progress);
    times.push_back(milliseconds_since(start));
    timing.field = std::move(field);
  }
  timing.first_ms = times.front();
  std::ranges::sort(times);
  timing.repeats = static_cast<int>(times.size());
  timing.median_ms = times[times.size() / 2];
  timing.min_ms = times.front();
  return timing;
}

FieldRequest benchmark_request(const molecules::Wavefunction& wavefunction, FieldKind kind) {
  FieldRequest request;
  request.kind = kind;
  request.orbital = molecules::find_orbital(wavefunction.sets.front(), "homo", molecules::Spin::alpha);
  return request;
}

std::vector<BenchmarkResult> benchmark_orbitals(const std::string& file,
                                                const molecules::Wavefunction& wavefunction,
                                                const MachinePeak& peak, const BenchmarkOptions& options,
                                                const jobs::Progress& progress) {
  const auto engine = make_cpu_engine();
  const lattice::Lattice lattice = benchmark_lattice(wavefunction.molecule, options.points);
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
    result.dimensions = lattice.dimensions;
    result.spacing_angstrom = lattice.step(0, 0) * units::angstrom_per_bohr;
    result.points = lattice.point_count();
    result.threads = engine_options.threads;
    result.gflop = count_gflop(wavefunction, combine(wavefunction, request), lattice, engine_options);
    const auto timing =
        time_engine(*engine, engine_options, wavefunction, request, lattice, options, progress);
    fill_rates(result, timing, peak);
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
          {"repeats", result.repeats},
          {"median_ms", result.median_ms},
          {"min_ms", result.min_ms},
          {"first_ms", result.first_ms},
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
  if (problem.lattice == nullptr || problem.field_count() != 1 || field.size() != problem.point_count()) {
    throw Error("Samples are taken of one field on a lattice.");
  }
  FieldSamples samples;
  for (const float value : field) samples.scale = std::max(samples.scale, std::abs(double{value}));
  samples.points = sampled_points(field, std::min(count, field.size()));
  const auto& n = problem.lattice->dimensions;
  Eigen::Matrix3Xd places(3, samples.points.size());
  for (std::size_t i = 0; i < samples.points.size(); ++i) {
    const std::size_t row = samples.points[i] / n[0];
    places.col(i) = problem.lattice->point(static_cast<int>(samples.points[i] % n[0]),
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
