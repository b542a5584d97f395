#pragma once

#include <string>
#include <vector>

#include "core/benchmark/repeats.h"
#include "core/images/volume.h"
#include "core/jobs/progress.h"
#include "core/livewire/engine.h"

namespace isolume::livewire {

/// Cost grids of the literature's timings (Baggio, ITA 2007, chapter 5): square, arcs' costs at random.
enum class CostPattern { uniform, normal };  ///< uniform in 0..1; normal about 0.5
CostGrid random_grid(int side, Neighbours neighbours, CostPattern pattern, std::uint64_t seed = 1);

/// A picture as a wire meets it: bright and dark rings about the middle, an edge every 24th of the side,
/// under noise of a tenth of their contrast.
images::SliceImage noisy_rings(int side, std::uint64_t seed = 1);

/// From the seed to every pixel. Of several runs, the first counts as the cold one.
struct MapTiming {
  benchmarks::Timing timing;
  std::unique_ptr<Search> last;
};
MapTiming time_all(const Engine& engine, const std::shared_ptr<const CostGrid>& grid, Pixel seed,
                   const SearchOptions& options, int runs, const jobs::Progress& progress = {});
/// Pointer to path: a walk of `moves` steps of a hand's speed (up to 25 pixels a move) that stays within
/// `radius_px` of the seed, a fresh search at its start; the time of settling and tracing for every move.
benchmarks::Timing time_pointer(const Engine& engine, const std::shared_ptr<const CostGrid>& grid, Pixel seed,
                                int radius_px, int moves, const jobs::Progress& progress = {});

}  // namespace isolume::livewire
