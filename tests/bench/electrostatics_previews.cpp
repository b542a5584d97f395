// Google Benchmark program: what the window shows first of a protein of 10,351 atoms after a change, a potential by the
// Poisson-Boltzmann equation on the grid of a preview and the surface that it colours. It is to be there within 100 ms.
// `bench_electrostatics_previews FILE.pqr` takes another molecule.
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "app/labs/electrostatics/picture/map_source.h"
#include "core/fields/pipeline.h"
#include "core/structures/pqr.h"

namespace isolume::labs::electrostatics {
namespace {

std::string file = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/1AFS.pqr.gz";

/// Of `change(how, step)`, which tells one step of a slider from the one before.
template <class Change>
void first_answers(benchmark::State& state, const Change& change) {
  const auto molecule = charged_molecule(file, structures::read_pqr(file), std::nullopt);
  science::PotentialOptions how;
  how.method = science::Method::pb_linear;
  how.solute_dielectric = 2;
  int step = 0;
  for (auto _ : state) {
    change(how, ++step);
    const auto potential = potential_source(molecule, how, {});
    const auto surface = surface_source(molecule, {science::MolecularSurface::ses, how}, {});
    constexpr double within = 0.1;
    const auto grid = fields::preview_grid(potential->grid(), potential->points_within(within));
    benchmark::DoNotOptimize(potential->preview(grid, {}));
    benchmark::DoNotOptimize(surface->preview(grid, {}));
    state.counters["points"] = static_cast<double>(grid.point_count());
  }
  state.counters["atoms"] = static_cast<double>(molecule->charges.size());
}

void dielectric(benchmark::State& state) {
  first_answers(state, [](auto& how, int step) { how.solute_dielectric = 2 + step % 10; });
}
BENCHMARK(dielectric)->Unit(benchmark::kMillisecond)->UseRealTime();

void salt(benchmark::State& state) {
  first_answers(state, [](auto& how, int step) { how.salt_molar = 0.05 * (1 + step % 10); });
}
BENCHMARK(salt)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Of a radius that was not there before, so that the surface is found anew: as of a molecule that was opened just now.
void probe(benchmark::State& state) {
  first_answers(state, [](auto& how, int step) { how.probe_angstrom = 1.4 + 1e-4 * step; });
}
BENCHMARK(probe)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace isolume::labs::electrostatics

int main(int count, char** words) {
  benchmark::Initialize(&count, words);
  if (count > 1) isolume::labs::electrostatics::file = words[1];
  benchmark::RunSpecifiedBenchmarks();
}
