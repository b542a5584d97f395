#include <algorithm>

#include "core/dispatch/engine_choice.h"
#include "core/livewire/bucket_front.h"
#include "core/livewire/search_area.h"

namespace isolume::livewire {

namespace {

class BucketSearch final : public Search {
 public:
  BucketSearch(std::shared_ptr<const CostGrid> grid, Pixel seed, Rectangle area)
      : front_(std::move(grid), area) {
    front_.take({front_.packed(seed), BucketFront::nearest});
  }

  std::uint32_t settle(Pixel target, const jobs::Progress& progress) override {
    if (!front_.area.contains(target)) return unreached;
    while (!is_final(front_.nearness_of(target)) && front_.waiting > 0) advance(progress);
    return distance(target);
  }
  void settle_all(const jobs::Progress& progress) override {
    while (front_.waiting > 0) advance(progress);
  }
  std::uint32_t distance(Pixel pixel) const override {
    if (!front_.area.contains(pixel)) return unreached;
    const std::uint32_t nearness = front_.nearness_of(pixel);
    return is_final(nearness) ? BucketFront::nearest - nearness : unreached;
  }
  std::size_t settled_count() const override {
    std::vector<BucketFront::Place> pending;
    for (const auto& bucket : front_.buckets) {
      for (const auto place : bucket) {
        if (!is_final(front_.nearness[front_.slot(place)])) pending.push_back(place);
      }
    }
    std::ranges::sort(pending);
    return front_.reached - static_cast<std::size_t>(std::ranges::unique(pending).begin() - pending.begin());
  }
  std::vector<std::uint32_t> distances() const override {
    return distances_within(front_.area, *front_.grid, *this);
  }
  dispatch::Report report() const override { return {.who = std::string(description)}; }

  static constexpr std::string_view description = "CPU, bucket queue, 1 thread";

 private:
  void advance(const jobs::Progress& progress) {
    if (front_.reached >= next_check_) {
      next_check_ = front_.reached + 16384;
      progress.check();
      progress.report(
          static_cast<double>(front_.reached) / (static_cast<double>(front_.area.width) * front_.area.height),
          "shortest paths");
    }
    front_.skip_empty_buckets();
    empty_lowest_bucket(front_);
  }
  bool is_final(std::uint32_t nearness) const {
    return nearness != 0 && (BucketFront::nearest - nearness) >> front_.width_bits < front_.lowest;
  }

  BucketFront front_;
  std::size_t next_check_ = 1;
};

class CpuEngine final : public Engine {
 public:
  std::string_view name() const override { return "cpu"; }
  std::string description(int) const override { return std::string(BucketSearch::description); }
  bool resumes() const override { return true; }
  std::unique_ptr<Search> start(std::shared_ptr<const CostGrid> grid, Pixel seed,
                                const SearchOptions& options) const override {
    dispatch::require_no_more_than_cpu(options);
    const Rectangle area = search_area(*grid, seed, options);
    return std::make_unique<BucketSearch>(std::move(grid), seed, area);
  }
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine() {
  return std::make_unique<CpuEngine>();
}

}  // namespace isolume::livewire
