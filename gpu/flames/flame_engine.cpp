#include "gpu/flames/flame_engine.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "core/dispatch/device_choice.h"
#include "gpu/flames/chaos_kernel.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/devices/guarded_on.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/runtime/multi_device/chosen_devices.h"

namespace isolume::gpu {

using flames::CloudRange;
using flames::Game;
using flames::Tally;

namespace {

/// The longest tile: a quarter of a thousand million points.
constexpr std::int64_t most_clouds = 1024;
/// Below this, the CPU has drawn them before a GPU has copied its histogram.
constexpr double worth_a_gpu = 3;

static_assert(sizeof(flames::Bin) == flame_kernels::words_per_bin * sizeof(std::uint64_t));

/// The game in the memory of one worker's device.
class GameOnDevice {
 public:
  GameOnDevice(const GpuDevice& device, const Game& game)
      : stream_(device),
        functions_(device_copy(game.functions, stream_)),
        final_(device_copy(game.final_transform, stream_)),
        terms_(device_copy(game.terms, stream_)),
        bins_(stream_, game.pixel_count() * flame_kernels::words_per_bin) {
    std::vector<std::uint32_t> colours;
    for (const auto& each : game.palette)
      colours.push_back(std::uint32_t{each.red} | std::uint32_t{each.green} << 8 |
                        std::uint32_t{each.blue} << 16);
    palette_ = device_copy(colours, stream_);
    stream_.wait();  // the host's copies may go
    game_ = {.functions = functions_.device_data(),
             .function_count = static_cast<std::int32_t>(game.functions.size()),
             .final_transform = game.final_transform.empty() ? nullptr : final_.device_data(),
             .terms = terms_.device_data(),
             .palette = palette_.device_data(),
             .view = game.view,
             .seed = game.seed,
             .bins = bins_.device_data()};
    host_.resize(bins_.size());
  }

  /// The histogram of these clouds alone.
  std::span<const unsigned long long> play(CloudRange clouds, const WaitLimits& limits) {
    require_success(
        cudaMemsetAsync(bins_.device_data(), 0, bins_.size() * sizeof(unsigned long long), stream_.get()),
        "setting memory");
    flame_kernels::play(game_, static_cast<std::uint64_t>(clouds.first),
                        static_cast<std::uint32_t>(clouds.count), stream_);
    stream_.wait(limits);
    download<unsigned long long>(stream_, bins_.device_data(), host_, from_now(limits.deadline),
                                 limits.progress);
    return host_;
  }

 private:
  Stream stream_;
  DeviceBuffer<flames::GameFunction> functions_, final_;
  DeviceBuffer<flames::GameTerm> terms_;
  DeviceBuffer<std::uint32_t> palette_;
  DeviceBuffer<unsigned long long> bins_;
  flame_kernels::ChaosGame game_{};
  std::vector<unsigned long long> host_;
};

class FlameEngine final : public flames::Engine {
 public:
  FlameEngine(std::shared_ptr<dispatch::DevicePool> pool, std::int64_t clouds_per_tile,
              std::chrono::duration<double> deadline)
      : pool_(std::move(pool)), clouds_per_tile_(clouds_per_tile), deadline_(deadline) {}

  std::string_view name() const override { return gpu_engine_name(); }
  std::string description(int) const override { return dispatch::describe_gpus(*pool_); }
  std::vector<std::string> kernels() const override { return {"permuted"}; }
  std::string leaves_to_others(double clouds) const override {
    if (dispatch::usable_gpus(*pool_).empty()) return "every GPU is set aside";
    if (clouds < worth_a_gpu) return "a GPU would not shorten so few points";
    return {};
  }

  dispatch::Report play(const Game& game, CloudRange clouds, Tally& tally,
                        const dispatch::ComputeOptions& options,
                        const jobs::Progress& progress) const override {
    if (options.kernel != "auto" && options.kernel != "permuted")
      throw Error(fmt::format("There is no kernel named {} for flames. Use \"auto\".",
                              isolume::quoted(options.kernel)));
    const auto chosen = choose_gpus(*pool_, options.devices);
    const std::int64_t tile = tile_clouds(clouds.count, chosen.all.size());
    Tally sum(game.view.width, game.view.height);
    std::mutex adding;
    // A worker keeps the game on its device from tile to tile.
    struct Place {
      dispatch::Device* device;
      int worker;
      std::unique_ptr<GameOnDevice> game;
    };
    std::vector<Place> places;
    for (auto* device : chosen.all) {
      for (int worker = 0; worker < device->concurrency(); ++worker)
        places.push_back({device, worker, nullptr});
    }
    const auto play_tile = [&](dispatch::Device& device, int worker, std::size_t number) {
      const GpuDevice& gpu = gpu_of(device);
      guarded_on(gpu, deadline_, [&] {
        auto& place = *std::ranges::find_if(
            places, [&](const Place& each) { return each.device == &device && each.worker == worker; });
        if (place.game == nullptr) place.game = std::make_unique<GameOnDevice>(gpu, game);
        const std::int64_t first = clouds.first + static_cast<std::int64_t>(number) * tile;
        const CloudRange part{first, std::min(tile, clouds.first + clouds.count - first)};
        const auto bins = place.game->play(part, {deadline_, progress});
        const std::scoped_lock lock(adding);
        for (std::size_t i = 0; i < sum.bins.size(); ++i) {
          const auto* bin = &bins[i * flame_kernels::words_per_bin];
          sum.bins[i].count += bin[0];
          sum.bins[i].red += bin[1];
          sum.bins[i].green += bin[2];
          sum.bins[i].blue += bin[3];
        }
      });
    };
    auto report = dispatch::run_tiles(chosen.all, static_cast<std::size_t>((clouds.count + tile - 1) / tile),
                                      play_tile, progress);
    sum.points = clouds.count * flames::points_per_cloud;
    tally.add(sum);
    report.who = report.took_part();
    report.kernel = "permuted";
    report.reason = "each warp is bound to one function";
    return report;
  }

 private:
  /// Several tiles for each device, so that a fast one takes more; long ones, since each copies its histogram.
  std::int64_t tile_clouds(std::int64_t count, std::size_t devices) const {
    if (clouds_per_tile_ > 0) return clouds_per_tile_;
    const auto parts = static_cast<std::int64_t>(devices == 1 ? 1 : 4 * devices);
    return std::clamp((count + parts - 1) / parts, std::int64_t{1}, most_clouds);
  }

  std::shared_ptr<dispatch::DevicePool> pool_;
  std::int64_t clouds_per_tile_;
  std::chrono::duration<double> deadline_;
};

}  // namespace

std::unique_ptr<flames::Engine> make_flame_engine(std::shared_ptr<dispatch::DevicePool> pool,
                                                  std::int64_t clouds_per_tile,
                                                  std::chrono::duration<double> deadline) {
  return std::make_unique<FlameEngine>(std::move(pool), clouds_per_tile, deadline);
}

}  // namespace isolume::gpu
