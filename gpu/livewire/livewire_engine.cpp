#include "gpu/livewire/livewire_engine.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/dispatch/device_choice.h"
#include "core/livewire/search_area.h"
#include "gpu/livewire/device_costs.h"
#include "gpu/livewire/device_search.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/transfer.h"

namespace isolume::gpu {

using livewire::CostGrid;
using livewire::Pixel;
using livewire::Rectangle;
using livewire::SearchOptions;

const std::vector<SearchKernel>& search_kernels() {
  static const std::vector<SearchKernel> kernels{tile_kernel, delta_stepping_kernel};
  return kernels;
}

namespace {

/// State shared by an engine and its searches.
struct Shared {
  std::shared_ptr<dispatch::DevicePool> pool;
  std::chrono::duration<double> deadline;
  CostCache costs;
};

const SearchKernel& find_kernel(std::string_view name) {
  std::string known;
  for (const auto& kernel : search_kernels()) {
    if (name == "auto" || name == kernel.name) return kernel;
    known += fmt::format(", \"{}\"", kernel.name);
  }
  throw Error(fmt::format("There is no kernel named {} for shortest paths. Use \"auto\"{}.",
                          isolume::quoted(name), known));
}

/// Intermediate sums of costs in kernels stay below far_away: a distance is at most that of the path along
/// two of its sides, and trial sums at most twice that.
void require_range(const CostGrid& grid, const Rectangle& region) {
  const std::uint64_t steps =
      static_cast<std::uint64_t>(region.width) + static_cast<std::uint64_t>(region.height);
  if (2 * (steps + 256) * grid.greatest_arc < livewire_kernels::far_away) return;
  throw Error(fmt::format(
      "Arcs of cost {} over {} x {} pixels exceed what GPU engines can add up. Choose a smaller region or an "
      "engine of the CPU.",
      grid.greatest_arc, region.width, region.height));
}

livewire_kernels::SearchSpace space_of(const CostGrid& grid, const Rectangle& region) {
  livewire_kernels::SearchSpace space{};
  space.grid_width = static_cast<std::uint32_t>(grid.width);
  space.left = static_cast<std::uint32_t>(region.x);
  space.top = static_cast<std::uint32_t>(region.y);
  space.width = static_cast<std::uint32_t>(region.width);
  space.height = static_cast<std::uint32_t>(region.height);
  space.pitch = (space.width + 31) / 32 * 32;
  space.arcs = !grid.arcs.empty();
  space.directions = grid.directions();
  std::ranges::copy(grid.length, space.length);
  return space;
}

class GpuSearch final : public livewire::Search {
 public:
  GpuSearch(std::shared_ptr<Shared> shared, std::shared_ptr<const CostGrid> grid, Pixel seed,
            const SearchOptions& options)
      : shared_(std::move(shared)),
        grid_(std::move(grid)),
        region_(livewire::search_area(*grid_, seed, options)),
        kernel_(find_kernel(options.kernel)),
        device_(choose_gpu(*shared_->pool, options.devices)) {
    require_range(*grid_, region_);
    search_ = {space_of(*grid_, region_),
               {seed.x - region_.x, seed.y - region_.y},
               grid_->greatest_arc,
               options.delta,
               shared_->deadline};
    shared_->costs.require_room(device_, grid_, kernel_.bytes(search_));
  }
  ~GpuSearch() override {
    grid_.reset();
    shared_->costs.tidy();
  }
  GpuSearch(const GpuSearch&) = delete;
  GpuSearch& operator=(const GpuSearch&) = delete;

  std::uint32_t settle(Pixel target, const jobs::Progress& progress) override {
    if (!region_.contains(target)) return livewire::unreached;
    settle_all(progress);
    return distance(target);
  }

  void settle_all(const jobs::Progress& progress) override {
    if (!distances_.empty()) return;
    const auto begin = std::chrono::steady_clock::now();
    counts_ = {};
    failure_.clear();
    try {
      dispatch::guarded(device_, [&] { compute(progress, counts_); });
    } catch (const Error& error) {
      failure_ = error.what();
      seconds_ = seconds_since(begin);
      throw;
    }
    seconds_ = seconds_since(begin);
  }

  std::uint32_t distance(Pixel pixel) const override {
    if (!region_.contains(pixel) || distances_.empty()) return livewire::unreached;
    const std::size_t row = static_cast<std::size_t>(pixel.y - region_.y) * search_.space.pitch;
    return distances_[row + static_cast<std::size_t>(pixel.x - region_.x)];
  }
  /// Every pixel of a rectangle is reachable.
  std::size_t settled_count() const override {
    if (distances_.empty()) return 0;
    return static_cast<std::size_t>(region_.width) * static_cast<std::size_t>(region_.height);
  }
  std::vector<std::uint32_t> distances() const override {
    std::vector<std::uint32_t> all(grid_->pixel_count(), livewire::unreached);
    if (distances_.empty()) return all;
    for (int y = 0; y < region_.height; ++y) {
      const auto row = distances_.begin() + static_cast<std::ptrdiff_t>(y) * search_.space.pitch;
      std::copy_n(row, region_.width,
                  all.begin() + static_cast<std::ptrdiff_t>(grid_->index({region_.x, region_.y + y})));
    }
    return all;
  }

  dispatch::Report report() const override {
    const bool failed = !failure_.empty();
    dispatch::Report made;
    if (distances_.empty() && !failed) return made;
    made.shares.push_back({device_.name(), failed ? std::size_t{0} : 1, seconds_, failure_, &device_});
    made.timeline.push_back({0, 0, 0, 0, seconds_, failed});
    made.seconds = seconds_;
    made.who = device_.name();
    made.kernel = kernel_.name;
    made.reason =
        fmt::format("{} passes in {} launches ({} graphs), {} {}, {} relaxed arcs", counts_.passes,
                    counts_.launches, counts_.graphs, counts_.parts, kernel_.counted, counts_.relaxations);
    if (!counts_.no_graph.empty()) made.reason += "; no graphs, because " + counts_.no_graph;
    return made;
  }
  SearchCounts counts() const override { return counts_; }

 private:
  void compute(const jobs::Progress& progress, SearchCounts& counts) {
    progress.check();
    progress.report(0, "copying costs to the GPU");
    const auto costs = shared_->costs.get(device_, grid_, search_.deadline, progress);
    progress.report(0.1, "finding paths on the GPU");
    const Stream stream(device_);
    search_.space.costs = costs->costs(stream);
    const auto begin = std::chrono::steady_clock::now();
    const auto found = kernel_.search(search_, stream, progress, counts);
    counts.seconds = seconds_since(begin);
    progress.report(0.9, "copying distances from the GPU");
    decltype(distances_) values(found.size());
    download<std::uint32_t>(stream, found.device_data(), values, from_now(search_.deadline), progress);
    distances_ = std::move(values);
  }

  std::shared_ptr<Shared> shared_;
  std::shared_ptr<const CostGrid> grid_;
  Rectangle region_;
  const SearchKernel& kernel_;
  const GpuDevice& device_;
  DeviceSearch search_{};
  SearchCounts counts_;
  std::string failure_;
  double seconds_ = 0;
  /// In the device's order; empty until they are computed.
  std::vector<std::uint32_t, UninitialisedAllocator<std::uint32_t>> distances_;
};

class LivewireEngine final : public livewire::Engine {
 public:
  LivewireEngine(std::shared_ptr<dispatch::DevicePool> pool, std::chrono::duration<double> deadline)
      : shared_(std::make_shared<Shared>()) {
    shared_->pool = std::move(pool);
    shared_->deadline = deadline;
  }

  std::string_view name() const override { return gpu_engine_name(); }
  std::string description(int) const override { return dispatch::describe_gpus(*shared_->pool); }
  std::vector<std::string> kernels() const override {
    std::vector<std::string> names;
    for (const auto& kernel : search_kernels()) names.emplace_back(kernel.name);
    return names;
  }
  bool resumes() const override { return false; }
  std::unique_ptr<livewire::Search> start(std::shared_ptr<const CostGrid> grid, Pixel seed,
                                          const SearchOptions& options) const override {
    return std::make_unique<GpuSearch>(shared_, std::move(grid), seed, options);
  }

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace

std::unique_ptr<livewire::Engine> make_livewire_engine(std::shared_ptr<dispatch::DevicePool> pool,
                                                       std::chrono::duration<double> deadline) {
  return std::make_unique<LivewireEngine>(std::move(pool), deadline);
}

}  // namespace isolume::gpu
