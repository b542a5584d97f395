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

/// The histogram that threads add to, in several copies: a thread takes a free one for some thousand points, so that no
/// addition needs an atomic operation (which costs five times as much). One copy is enough for three threads, since
/// points take longer to make than to add.
class SharedTally {
 public:
  SharedTally(const Game& game, Tally& tally, int threads, std::int64_t clouds)
      : tally_(tally), pixels_(game.pixel_count()) {
    for (std::size_t i = 0; i < palette_size; ++i) {
      const Rgb& colour = game.palette[i];
      palette_[i] = {1, colour.red, colour.green, colour.blue};
    }
    // The first is the caller's. Further ones must be worth their memory, which is set and added at the end.
    constexpr std::int64_t threads_per_copy = 3, least_clouds_per_copy = 16;
    const auto affordable = static_cast<std::int64_t>(dispatch::available_memory_bytes() / 4 /
                                                      std::max<std::size_t>(1, pixels_ * sizeof(Bin)));
    const std::int64_t copies =
        std::clamp<std::int64_t>(std::min({(threads + threads_per_copy - 1) / threads_per_copy,
                                           clouds / least_clouds_per_copy, affordable}),
                                 1, 256);
    for (std::int64_t i = 0; i < copies; ++i) {
      copies_.push_back(std::make_unique<Copy>());
      if (i > 0) copies_.back()->own.resize(pixels_);
      copies_.back()->bins = i > 0 ? copies_.back()->own.data() : tally.bins.data();
    }
  }

  /// `turn`: where the search for a free copy begins.
  void add(const Hits& hits, std::size_t hit_count, std::size_t turn) {
    for (std::size_t k = 0; k < copies_.size(); ++k) {
      Copy& copy = *copies_[(turn + k) % copies_.size()];
      if (const std::unique_lock lock(copy.mutex, std::try_to_lock); lock)
        return add_to(copy.bins, hits, hit_count);
    }
    Copy& copy = *copies_[turn % copies_.size()];
    const std::scoped_lock lock(copy.mutex);
    add_to(copy.bins, hits, hit_count);
  }
  /// Adds the copies to the caller's histogram.
  void finish() {
    for (std::size_t k = 1; k < copies_.size(); ++k) {
      for (std::size_t i = 0; i < pixels_; ++i) add(copies_[k]->own[i], tally_.bins[i]);
    }
  }

 private:
  struct Copy {
    std::mutex mutex;
    std::vector<Bin> own;  ///< empty for the caller's
    Bin* bins = nullptr;
  };

  static void add(const Bin& bin, Bin& to) {
    to.count += bin.count;
    to.red += bin.red;
    to.green += bin.green;
    to.blue += bin.blue;
  }
  void add_to(Bin* bins, const Hits& hits, std::size_t hit_count) const {
    for (std::size_t i = 0; i < hit_count; ++i) {
      if (hits.pixel[i] != pixels_) add(palette_[hits.colour[i]], bins[hits.pixel[i]]);
    }
  }

  Tally& tally_;
  std::size_t pixels_;  ///< also the index of points out of the view
  std::array<Bin, palette_size> palette_;
  std::vector<std::unique_ptr<Copy>> copies_;
};

void play_cloud(const Game& game, std::uint64_t number, SharedTally& tally) {
  thread_local const auto cloud = std::make_unique<Cloud>();
  thread_local const auto hits = std::make_unique<Hits>();
  begin_cloud(game, number, *cloud);
  play_rounds(game, *cloud, warm_up_rounds, nullptr);
  static_assert(plotted_rounds % Hits::most_rounds == 0);
  for (int i = 0; i < plotted_rounds / Hits::most_rounds; ++i) {
    play_rounds(game, *cloud, Hits::most_rounds, hits.get());
    tally.add(*hits, Hits::most, number);
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
    SharedTally shared(game, tally, cpu->concurrency(), clouds.count);
    dispatch::Device* const devices[] = {cpu.get()};
    auto report = dispatch::run_tiles(
        devices, static_cast<std::size_t>(clouds.count),
        [&](dispatch::Device&, int, std::size_t tile) {
          play_cloud(game, static_cast<std::uint64_t>(clouds.first) + tile, shared);
        },
        progress);
    shared.finish();
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
