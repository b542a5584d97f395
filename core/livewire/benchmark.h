#pragma once

#include <string>
#include <vector>

#include "core/benchmark/repeats.h"
#include "core/images/volume.h"
#include "core/jobs/progress.h"
#include "core/livewire/engine.h"

namespace isolume::livewire {

/// Cost grids used for timings in the literature (Baggio, ITA 2007, chapter 5): square, with random arc costs.
enum class CostPattern { uniform, normal };  ///< uniform in 0..1; normal about 0.5
CostGrid random_grid(int side, Neighbours neighbours, CostPattern pattern, std::uint64_t seed = 1);

/// A typical image for live-wire tracing: bright and dark rings about the centre, an edge every 24th of the side,
/// with noise of a tenth of their contrast.
images::SliceImage noisy_rings(int side, std::uint64_t seed = 1);

/// Time to compute the map of distances from the seed to every pixel. The first of several runs counts as the cold
/// one.
struct MapTiming {
  benchmarks::Timing timing;
  std::unique_ptr<Search> last;
};
MapTiming time_all(const Engine& engine, const std::shared_ptr<const CostGrid>& grid, Pixel seed,
                   const SearchOptions& options, int runs, const jobs::Progress& progress = {});
/// Latency from pointer to path: a walk of `moves` steps at the speed of a hand (up to 25 pixels a move) that stays
/// within `radius_px` of the seed, starting with a fresh search; times include settling and tracing for every move.
benchmarks::Timing time_pointer(const Engine& engine, const std::shared_ptr<const CostGrid>& grid, Pixel seed,
                                int radius_px, int moves, const jobs::Progress& progress = {});

}  // namespace isolume::livewire
