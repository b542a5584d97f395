#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/benchmark/machine_peak.h"
#include "core/benchmark/repeats.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"
#include "core/molecules/wavefunction.h"
#include "core/orbitals/engine.h"
#include "core/orbitals/field_problem.h"
#include "core/orbitals/field_request.h"

namespace isolume::orbitals {

struct BenchmarkOptions {
  int threads = 0;  ///< 0: all
  benchmarks::RepeatOptions repeats{1, 5};
  int points = 0;  ///< of the grid, as benchmark_grid takes them
};

/// Timing of one field. A repeat includes everything that a caller pays for one field: preparation, allocation of the
/// result, computation.
struct BenchmarkResult {
  std::string file;
  std::string field;  ///< "orbital" (the HOMO), "density" (total)
  std::string engine;
  std::string processor;
  std::array<int, 3> dimensions{};
  double spacing_angstrom = 0;
  std::size_t points = 0;
  int threads = 0;
  benchmarks::Timing timing;
  double points_per_second = 0;  ///< from the median, like the next three
  double gflop = 0;              ///< operations actually executed, with screening
  double gflop_per_second = 0;
  double fraction_of_peak = 0;
  benchmarks::MachinePeak peak;
  double flop_bound_ms = 0;   ///< gflop at the peak
  double write_bound_ms = 0;  ///< to allocate a result of this size and write it once, measured
};
nlohmann::json to_json(const BenchmarkResult& result);

/// The grid on which fields are timed: C60 (60 carbon atoms) 172 x 173 x 169 at 0.075 angstrom centred on the
/// molecule; others 0.1 angstrom with 3 angstrom around the nuclei. If `points` is not 0: this many along each axis,
/// with 3 angstrom around the nuclei.
grid::Grid benchmark_grid(const molecules::Molecule& molecule, int points = 0);

/// Timing of one engine for repeated computation of a field, including everything that a caller pays for.
struct EngineTiming {
  benchmarks::Timing timing;
  Computed<grid::ScalarField> last;
};
EngineTiming time_engine(const Engine& engine, const EngineOptions& engine_options,
                         const molecules::Wavefunction& wavefunction, const FieldRequest& request,
                         const grid::Grid& grid, const benchmarks::RepeatOptions& repeats,
                         const jobs::Progress& progress = {});

/// HOMO (alpha) of the first set, or its electron density.
FieldRequest benchmark_request(const molecules::Wavefunction& wavefunction, FieldKind kind);

/// HOMO (alpha) and electron density of one wavefunction by the CPU engine, single-precision operations counted.
/// `file` is copied into the results.
std::vector<BenchmarkResult> benchmark_orbitals(const std::string& file,
                                                const molecules::Wavefunction& wavefunction,
                                                const benchmarks::MachinePeak& peak,
                                                const BenchmarkOptions& options = {},
                                                const jobs::Progress& progress = {});

/// A field's exact values at some points of its grid.
struct FieldSamples {
  std::vector<std::size_t> points;  ///< positions among the field's values
  std::vector<double> values;       ///< from the reference (reference_engine.h), without screening
  double scale = 0;                 ///< the field's greatest magnitude
};
/// At most `count` points, reproducible: most are distributed over the grid, the others are where the field is
/// largest. `field`: the values of the problem's only field, by any engine. Uses all threads; half a second for C60
/// on two.
FieldSamples sample_field(const FieldProblem& problem, std::span<const float> field, std::size_t count = 4096,
                          const jobs::Progress& progress = {});
/// The largest error at the samples, over the field's greatest magnitude; infinite where a value is not
/// finite.
double relative_error(const FieldSamples& samples, std::span<const float> field);

/// Operations that the CPU engine executes for a field on an axis-aligned grid, in GFLOP (two per multiply-add).
/// Computes the field.
double count_gflop(const molecules::Wavefunction& wavefunction, const Combination& combination,
                   const grid::Grid& grid, const EngineOptions& options);

}  // namespace isolume::orbitals
