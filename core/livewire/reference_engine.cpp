#include <queue>

#include "core/livewire/search_area.h"

namespace isolume::livewire {

namespace {

/// Textbook Dijkstra with std::priority_queue.
class ReferenceSearch final : public Search {
 public:
  ReferenceSearch(std::shared_ptr<const CostGrid> grid, Pixel seed, Rectangle region)
      : grid_(std::move(grid)),
        region_(region),
        tentative_(grid_->pixel_count(), std::numeric_limits<double>::infinity()),
        settled_(grid_->pixel_count(), false) {
    tentative_[grid_->index(seed)] = 0;
    queue_.push({0, seed});
  }

  std::uint32_t settle(Pixel target, const jobs::Progress& progress) override {
    if (!region_.contains(target)) return unreached;
    while (!settled_[grid_->index(target)] && !queue_.empty()) settle_next(progress);
    return distance(target);
  }
  void settle_all(const jobs::Progress& progress) override {
    while (!queue_.empty()) settle_next(progress);
  }
  std::uint32_t distance(Pixel pixel) const override {
    const std::size_t at = grid_->index(pixel);
    return settled_[at] ? static_cast<std::uint32_t>(tentative_[at]) : unreached;
  }
  std::size_t settled_count() const override { return settled_count_; }
  std::vector<std::uint32_t> distances() const override { return distances_within(region_, *grid_, *this); }
  dispatch::Report report() const override { return {.who = std::string(description)}; }

  static constexpr std::string_view description = "CPU, binary heap in double precision, 1 thread";

 private:
  struct Entry {
    double distance;
    Pixel pixel;
    bool operator<(const Entry& other) const { return distance > other.distance; }
  };
  void settle_next(const jobs::Progress& progress) {
    const auto [distance, pixel] = queue_.top();
    queue_.pop();
    const std::size_t from = grid_->index(pixel);
    if (settled_[from]) return;
    settled_[from] = true;
    if (++settled_count_ % 4096 == 0) progress.check();
    for (int d = 0; d < grid_->directions(); ++d) {
      const Pixel step = steps[static_cast<std::size_t>(d)];
      const Pixel next{pixel.x + step.x, pixel.y + step.y};
      if (!region_.contains(next)) continue;
      const std::size_t to = grid_->index(next);
      const double there = distance + static_cast<double>(grid_->arc(from, to, d));
      if (there >= tentative_[to]) continue;
      tentative_[to] = there;
      queue_.push({there, next});
    }
  }

  std::shared_ptr<const CostGrid> grid_;
  Rectangle region_;
  std::vector<double> tentative_;
  std::vector<bool> settled_;
  std::size_t settled_count_ = 0;
  std::priority_queue<Entry> queue_;
};

class ReferenceEngine final : public Engine {
 public:
  std::string_view name() const override { return "reference"; }
  std::string description(int) const override { return std::string(ReferenceSearch::description); }
  bool resumes() const override { return true; }
  std::unique_ptr<Search> start(std::shared_ptr<const CostGrid> grid, Pixel seed,
                                const SearchOptions& options) const override {
    const Rectangle area = search_area(*grid, seed, options);
    return std::make_unique<ReferenceSearch>(std::move(grid), seed, area);
  }
};

}  // namespace

std::unique_ptr<Engine> make_reference_engine() {
  return std::make_unique<ReferenceEngine>();
}

}  // namespace isolume::livewire
