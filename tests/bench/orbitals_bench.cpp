// Google Benchmark program: fields of the shipped samples by the CPU engine, on the lattices that
// `isolume-batch bench orbitals` uses. Run with --benchmark_filter=c60 and the like.
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "core/base/resources.h"
#include "core/molecules/document.h"
#include "core/orbitals/benchmark.h"

namespace isolume::orbitals {
namespace {

void time_field(benchmark::State& state, const std::string& sample, FieldKind kind) {
  const auto document = molecules::read_document(resource("samples/" + sample));
  const auto& wavefunction = *document.wavefunction;
  const auto lattice = benchmark_lattice(wavefunction.molecule);
  const auto engine = make_cpu_engine();
  EngineOptions options;
  options.threads = static_cast<int>(state.range(0));
  FieldRequest request;
  request.kind = kind;
  request.orbital = molecules::find_orbital(wavefunction.sets.front(), "homo", molecules::Spin::alpha);
  for (auto _ : state) {
    benchmark::DoNotOptimize(compute_field(wavefunction, request, lattice, *engine, options));
  }
  const double gflop = count_gflop(wavefunction, combine(wavefunction, request), lattice, options);
  state.counters["points/s"] = benchmark::Counter(static_cast<double>(lattice.point_count()),
                                                  benchmark::Counter::kIsIterationInvariantRate);
  state.counters["flop/s"] = benchmark::Counter(gflop * 1e9, benchmark::Counter::kIsIterationInvariantRate);
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
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
