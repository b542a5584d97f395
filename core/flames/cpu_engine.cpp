#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "core/dispatch/engine_choice.h"
#include "core/flames/cloud.h"
#include "core/flames/engine.h"

namespace isolume::flames {
namespace {

/// The tally in bands of rows, each with a lock: threads add to one band at a time, which stays in their cache.
class Bands {
 public:
  static constexpr std::size_t count = 64;

  Bands(const Game& game, Tally& tally)
      : tally_(tally), pixels_(game.pixel_count()), band_pixels_(pixels_ / count + 1) {
    for (std::size_t i = 0; i < palette_size; ++i) {
      const Rgb& colour = game.palette[i];
      palette_[i] = {1, colour.red, colour.green, colour.blue};
    }
  }

  /// `turn`: where this thread begins, so that threads do not meet in the same bands.
  void add(const Hits& hits, std::size_t hit_count, std::size_t turn) {
    // Sorted by band: a counting sort.
    struct Hit {
      std::uint32_t pixel;
      std::uint32_t colour;
    };
    thread_local std::vector<Hit> sorted;
    sorted.resize(hit_count);
    std::array<std::uint32_t, count + 2> begin{};
    const auto band_of = [this](std::uint32_t pixel) { return pixel / band_pixels_; };
    for (std::size_t i = 0; i < hit_count; ++i) ++begin[band_of(hits.pixel[i]) + 1];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    auto at = begin;
    for (std::size_t i = 0; i < hit_count; ++i)
      sorted[at[band_of(hits.pixel[i])]++] = {hits.pixel[i], hits.colour[i]};
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t band = (turn + k) % count;
      if (begin[band] == begin[band + 1]) continue;
      const std::scoped_lock lock(locks_[band]);
      for (std::size_t i = begin[band]; i < begin[band + 1]; ++i) {
        const Hit hit = sorted[i];
        if (hit.pixel == pixels_) continue;  // out of the view
        Bin& bin = tally_.bins[hit.pixel];
        const Bin& colour = palette_[hit.colour];
        bin.count += colour.count;
        bin.red += colour.red;
        bin.green += colour.green;
        bin.blue += colour.blue;
      }
    }
  }

 private:
  Tally& tally_;
  std::size_t pixels_, band_pixels_;
  std::array<Bin, palette_size> palette_;
  std::array<std::mutex, count> locks_;
};

void play_cloud(const Game& game, std::uint64_t number, Bands& bands) {
  thread_local const auto cloud = std::make_unique<Cloud>();
  thread_local const auto hits = std::make_unique<Hits>();
  begin_cloud(game, number, *cloud);
  play_rounds(game, *cloud, warm_up_rounds, nullptr);
  static_assert(plotted_rounds % Hits::most_rounds == 0);
  for (int i = 0; i < plotted_rounds / Hits::most_rounds; ++i) {
    play_rounds(game, *cloud, Hits::most_rounds, hits.get());
    bands.add(*hits, Hits::most, number * 7);
  }
}

class CpuEngine final : public Engine {
 public:
  std::string_view name() const override { return "cpu"; }
  std::string description(int threads) const override {
    const int used = threads > 0 ? threads : dispatch::processor_threads();
    return fmt::format("CPU, {}, {} thread{}", instruction_set(), used, used == 1 ? "" : "s");
  }

  dispatch::Report play(const Game& game, CloudRange clouds, Tally& tally,
                        const dispatch::ComputeOptions& options,
                        const jobs::Progress& progress) const override {
    dispatch::require_no_more_than_cpu(options);
    const auto cpu = dispatch::make_cpu_device(options.threads);
    Bands bands(game, tally);
    dispatch::Device* const devices[] = {cpu.get()};
    auto report = dispatch::run_tiles(
        devices, static_cast<std::size_t>(clouds.count),
        [&](dispatch::Device&, int, std::size_t tile) {
          play_cloud(game, static_cast<std::uint64_t>(clouds.first) + tile, bands);
        },
        progress);
    tally.points += clouds.count * points_per_cloud;
    report.who = description(options.threads);
    return report;
  }
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine() {
  return std::make_unique<CpuEngine>();
}

}  // namespace isolume::flames
