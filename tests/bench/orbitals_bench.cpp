// Google Benchmark program: fields of the shipped samples by the CPU engine, on the grids that
// `isolume-batch bench orbitals` uses, and the proof of large files. Run with --benchmark_filter=c60 and the
// like.
#include <memory>
#include <string>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <benchmark/benchmark.h>

#include "core/base/resources.h"
#include "core/molecules/document.h"
#include "core/molecules/overlap.h"
#include "core/orbitals/benchmark.h"

namespace isolume::orbitals {
namespace {

void time_field(benchmark::State& state, const std::string& sample, FieldKind kind) {
  const auto document = molecules::read_document(resource("samples/" + sample));
  const auto& wavefunction = *document.wavefunction;
  const auto grid = benchmark_grid(wavefunction.molecule);
  const auto engine = make_cpu_engine();
  EngineOptions options;
  options.threads = static_cast<int>(state.range(0));
  FieldRequest request;
  request.kind = kind;
  request.orbital = molecules::find_orbital(wavefunction.sets.front(), "homo", molecules::Spin::alpha);
  for (auto _ : state) {
    benchmark::DoNotOptimize(compute_field(wavefunction, request, grid, *engine, options));
  }
  const double gflop = count_gflop(wavefunction, combine(wavefunction, request), grid, options);
  state.counters["points/s"] = benchmark::Counter(static_cast<double>(grid.point_count()),
                                                  benchmark::Counter::kIsIterationInvariantRate);
  state.counters["flop/s"] = benchmark::Counter(gflop * 1e9, benchmark::Counter::kIsIterationInvariantRate);
}

/// The shells of 6-31G*: 15 functions.
void add_carbon(const Eigen::Vector3d& bohr, molecules::Wavefunction& to) {
  const auto atom = static_cast<int>(to.molecule.atoms.size());
  to.molecule.atoms.push_back({6, bohr, 6});
  auto& shells = to.basis.shells;
  shells.push_back({atom,
                    0,
                    false,
                    {3047.5249, 457.36951, 103.94869, 29.210155, 9.2866630, 3.1639270},
                    {0.0018347, 0.0140373, 0.0688426, 0.2321844, 0.4679413, 0.3623120}});
  shells.push_back({atom, 0, false, {7.8682724, 1.8812885, 0.5442493}, {-0.1193324, -0.1608542, 1.1434564}});
  shells.push_back({atom, 0, false, {0.1687144}, {1}});
  shells.push_back({atom, 1, false, {7.8682724, 1.8812885, 0.5442493}, {0.0689991, 0.3164240, 0.7443083}});
  shells.push_back({atom, 1, false, {0.1687144}, {1}});
  shells.push_back({atom, 2, false, {0.8}, {1}});
}
void add_hydrogen(const Eigen::Vector3d& bohr, molecules::Wavefunction& to) {
  const auto atom = static_cast<int>(to.molecule.atoms.size());
  to.molecule.atoms.push_back({1, bohr, 1});
  to.basis.shells.push_back(
      {atom, 0, false, {18.731137, 2.8253937, 0.6401217}, {0.0334946, 0.2347269, 0.8137573}});
  to.basis.shells.push_back({atom, 0, false, {0.1612778}, {1}});
}

/// A zigzag of carbon atoms.
molecules::Wavefunction make_chain(int atoms) {
  molecules::Wavefunction chain;
  for (int atom = 0; atom < atoms; ++atom) add_carbon({2.4 * atom, atom % 2 == 0 ? 0 : 1.6, 0}, chain);
  return chain;
}

molecules::Wavefunction make_linear_alkane(int carbons) {
  molecules::Wavefunction alkane;
  for (int n = 0; n < carbons; ++n) {
    const double up = n % 2 == 0 ? -1 : 1;
    const Eigen::Vector3d carbon(2.40 * n, 0.79 * up, 0);
    add_carbon(carbon, alkane);
    for (const double z : {-1.68, 1.68}) add_hydrogen(carbon + Eigen::Vector3d(0, 1.19 * up, z), alkane);
    for (const double end : {-1, 1}) {
      if (n == (end < 0 ? 0 : carbons - 1))
        add_hydrogen(carbon + Eigen::Vector3d(1.68 * end, -1.19 * up, 0), alkane);
    }
  }
  return alkane;
}

/// The density of linear alkanes, 0.1 angstrom apart: its time should grow as they do. Their orbitals are the most
/// bonding ones, those of the largest eigenvalues of the overlap matrix.
void time_growth(benchmark::State& state) {
  const auto carbons = static_cast<int>(state.range(0));
  const auto alkane = make_linear_alkane(carbons);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(overlap_matrix(alkane.molecule, alkane.basis));
  const Eigen::Index occupied = 4 * carbons + 1;
  const Eigen::MatrixXd orbitals =
      solver.eigenvectors().rightCols(occupied) *
      solver.eigenvalues().tail(occupied).cwiseSqrt().cwiseInverse().asDiagonal();
  const Eigen::VectorXd weights = Eigen::VectorXd::Constant(occupied, 2);
  const auto grid = benchmark_grid(alkane.molecule);
  const auto engine = make_cpu_engine();
  EngineOptions options;
  options.threads = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        engine->density(alkane.molecule, alkane.basis, orbitals, weights, grid, options, {}));
  }
  state.counters["points/s"] = benchmark::Counter(static_cast<double>(grid.point_count()),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

/// The proof that a file's orbitals are orthonormal, on all threads: its overlaps, and C^T S C of 3,000
/// orbitals (2 x 3000^3 operations for S C where all functions overlap, and half as many for the rest).
void time_proof(benchmark::State& state) {
  const molecules::Wavefunction chain = make_chain(200);
  const Eigen::MatrixXd overlap = overlap_matrix(chain.molecule, chain.basis);
  molecules::OrbitalSet set;
  set.orbitals.resize(chain.basis.function_count());
  const auto size = overlap.rows();
  set.coefficients = overlap.llt().matrixU().solve(Eigen::MatrixXd::Identity(size, size));
  double worst = 0;
  for (auto _ : state) {
    const bool dense = state.range(0) == 1;
    if (dense) {
      // What a molecule without distant parts costs: no element of S may be left out.
      static const Eigen::MatrixXd everywhere = (overlap.array() == 0).select(1e-100, overlap);
      worst = orthonormality(everywhere, set).worst;
    } else {
      worst = orthonormality(overlap_matrix(chain.molecule, chain.basis), set).worst;
    }
  }
  state.counters["worst deviation"] = worst;
}

void add(const std::string& name, const std::string& sample, FieldKind kind) {
  benchmark::RegisterBenchmark((name + "/" + std::string(to_string(kind))).c_str(),
                               [sample, kind](benchmark::State& state) { time_field(state, sample, kind); })
      ->ArgName("threads")
      ->Arg(1)
      ->Arg(0)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace isolume::orbitals

int main(int argc, char** argv) {
  using isolume::orbitals::FieldKind;
  for (const auto kind : {FieldKind::orbital, FieldKind::density}) {
    isolume::orbitals::add("benzene", "benzene.fchk.gz", kind);
    isolume::orbitals::add("caffeine", "caffeine.fchk.gz", kind);
    isolume::orbitals::add("c60", "c60.molden.gz", kind);
  }
  benchmark::RegisterBenchmark("density of a linear alkane", isolume::orbitals::time_growth)
      ->ArgName("carbons")
      ->Arg(10)
      ->Arg(20)
      ->Arg(40)
      ->Arg(80)
      ->Iterations(9)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
  for (const bool dense : {false, true}) {
    benchmark::RegisterBenchmark("proof of 3,000 functions", isolume::orbitals::time_proof)
        ->ArgName("dense")
        ->Arg(dense ? 1 : 0)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
