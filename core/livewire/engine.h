#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/compute_options.h"
#include "core/dispatch/dispatch.h"
#include "core/jobs/progress.h"
#include "core/livewire/cost_grid.h"

namespace isolume::livewire {

inline constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

/// Statistics of a search in passes. Only passes with work are counted; launches include those queued beyond the last
/// one.
struct SearchCounts {
  std::uint64_t passes = 0;
  std::uint64_t launches = 0;     ///< individual ones and those in graphs
  std::uint64_t graphs = 0;       ///< launched, each of many launches
  std::string no_graph;           ///< why all launches were submitted one by one; otherwise empty
  std::uint64_t relaxations = 0;  ///< of arcs
  std::uint64_t parts = 0;        ///< visits of tiles, or buckets
  double seconds = 0;             ///< of the passes: without copying costs and distances
};

/// Only one of the named devices is used.
struct SearchOptions : dispatch::ComputeOptions {
  Rectangle region = {};    ///< paths stay inside it; empty: the whole slice
  std::uint32_t delta = 0;  ///< width of the buckets of delta-stepping; 0: the engine chooses
};

/// The distances from one seed, as far out as has been requested. Not thread-safe.
class Search {
 public:
  virtual ~Search() = default;
  /// Makes the distances of the target and of all pixels nearer to the seed final. Returns the target's distance;
  /// `unreached` outside the region. Throws Cancelled, after which the search can be resumed.
  virtual std::uint32_t settle(Pixel target, const jobs::Progress& progress = {}) = 0;
  virtual void settle_all(const jobs::Progress& progress = {}) = 0;
  /// Final distance, or `unreached` where it is not final yet.
  virtual std::uint32_t distance(Pixel pixel) const = 0;
  virtual std::size_t settled_count() const = 0;
  /// All final distances, x fastest, for maps; `unreached` elsewhere.
  virtual std::vector<std::uint32_t> distances() const = 0;

  /// Which devices settled the pixels, and how; also after a failure, which it reports.
  virtual dispatch::Report report() const = 0;
  /// The passes so far, for engines that work in passes.
  virtual SearchCounts counts() const { return {}; }
};

/// Shortest paths on one cost grid. Engines keep no state between calls; callable from several threads.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;  ///< "cpu", "cpu-delta", "cuda", "emulated", "reference"
  virtual std::string description(int threads = 0) const = 0;
  virtual std::vector<std::string> kernels() const { return {}; }
  /// Whether `settle` works outwards from the seed only as far as necessary, as interactive tracing requires.
  virtual bool resumes() const = 0;
  /// Throws Error where the seed is outside, ResourceError.
  virtual std::unique_ptr<Search> start(std::shared_ptr<const CostGrid> grid, Pixel seed,
                                        const SearchOptions& options = {}) const = 0;
};

/// The cheapest path, seed first, from final distances alone: from `target` back, each time to the first pixel p in
/// the order of `steps` with distance(p) + arc(p, q) = distance(q), but straight on where that is one of them. All
/// engines therefore give the same path, and none stores predecessors. Throws Error where the target is not settled.
std::vector<Pixel> trace_path(const CostGrid& grid, const Search& search, Pixel target);
/// Sum of the arcs; equals the distance on a cheapest path. Nothing where the path leaves the grid or is not
/// connected.
std::optional<std::uint64_t> path_cost(const CostGrid& grid, const std::vector<Pixel>& path);

/// Lazy bucket queue, one thread: for the pointer.
std::unique_ptr<Engine> make_cpu_engine();
/// Delta-stepping on all threads (TBB): for whole maps.
std::unique_ptr<Engine> make_cpu_delta_engine();
/// Binary heap, double precision: for tests and comparisons.
std::unique_ptr<Engine> make_reference_engine();

}  // namespace isolume::livewire
