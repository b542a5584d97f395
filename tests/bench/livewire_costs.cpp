// What a slice costs before its first wire: features and costs, with the default parameters, on noisy rings.
//   bench_livewire_costs [--benchmark_filter=...]
// Arguments: side of the slice in pixels, threads. Bound by the memory: 4 bytes a pixel read and 16 written
// for the features, 16 read and 16 written for the costs; the filters and arcs take some 200 operations a
// pixel, most of a core's 16 lanes at a time.
#include <benchmark/benchmark.h>
#include <tbb/global_control.h>

#include "core/livewire/benchmark.h"
#include "core/livewire/costs.h"

using namespace isolume;

namespace {

/// Each time with memory of its own, as a slice that is opened has.
void features_and_costs(benchmark::State& state) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(state.range(1)));
  auto slice = livewire::noisy_rings(static_cast<int>(state.range(0)));
  slice.plane.set_spacing({1, 1});
  const livewire::CostParameters parameters;
  for (auto _ : state) {
    const auto features = livewire::compute_features(slice, parameters);
    benchmark::DoNotOptimize(livewire::make_costs(slice, features, parameters));
  }
}
BENCHMARK(features_and_costs)
    ->ArgsProduct({{512, 1024, 2048, 4096}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

}  // namespace

BENCHMARK_MAIN();
