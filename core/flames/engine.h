#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/compute_options.h"
#include "core/dispatch/dispatch.h"
#include "core/flames/game.h"
#include "core/flames/tally.h"
#include "core/jobs/progress.h"

namespace isolume::flames {

/// Clouds with these numbers.
struct CloudRange {
  std::int64_t first = 0;
  std::int64_t count = 1;
};

/// Plays the chaos game. Engines keep no state between calls; callable from several threads.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;  ///< "cpu", "cuda", "emulated", "reference"
  virtual std::string description(int threads = 0) const = 0;
  virtual std::vector<std::string> kernels() const { return {}; }
  /// Why another engine should play this number of clouds, as a clause, or empty.
  virtual std::string leaves_to_others(double /*clouds*/) const { return {}; }
  /// Adds the clouds to the tally, which has the size of the game's view. The same clouds give the same tally for any
  /// number of threads, bit for bit. Throws Cancelled, after which the tally holds an unknown part of them; Error,
  /// ResourceError, after which it is unchanged.
  virtual dispatch::Report play(const Game& game, CloudRange clouds, Tally& tally,
                                const dispatch::ComputeOptions& options = {},
                                const jobs::Progress& progress = {}) const = 0;
};

/// Vectors on all threads.
std::unique_ptr<Engine> make_cpu_engine();

/// One point after another in double precision with formulas of its own, as the literature prints the chaos game: for
/// tests and comparisons. A point has 20 rounds before it is plotted; random numbers are those of `seed`.
Tally play_serially(const Flame& flame, const View& view, std::int64_t points, std::uint64_t seed,
                    const jobs::Progress& progress = {});

}  // namespace isolume::flames
