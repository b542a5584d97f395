#include <bit>
#include <cstdlib>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/livewire/search_area.h"

namespace isolume::livewire {

namespace {

/// Memory that reads as 0 and is not touched before somebody writes: a fresh search of a large slice costs
/// only what the pointer's neighbourhood needs.
struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using ZeroPages = std::unique_ptr<std::uint32_t[], Free>;

ZeroPages zero_pages(std::size_t count) {
  auto* memory = static_cast<std::uint32_t*>(std::calloc(count, sizeof(std::uint32_t)));
  if (memory == nullptr) {
    throw ResourceError("The distances", count * sizeof(std::uint32_t), dispatch::available_memory_bytes(),
                        "Give a smaller region.");
  }
  return ZeroPages(memory);
}

/// Of a coordinate below `size`.
int bits_of(int size) {
  return std::bit_width(static_cast<std::uint32_t>(size - 1));
}

/// Dial's algorithm (Commun. ACM 12, 632 (1969)) with buckets as wide as the cheapest arc (Dinitz): what is
/// in the lowest bucket that is not empty is final, so every pixel is settled once.
class BucketSearch final : public Search {
 public:
  BucketSearch(std::shared_ptr<const CostGrid> grid, Pixel seed, Rectangle area)
      : grid_(std::move(grid)),
        area_(area),
        x_bits_(bits_of(area.width)),
        width_bits_(std::bit_width(grid_->least_arc) - 1),
        buckets_(std::bit_ceil((grid_->greatest_arc >> width_bits_) + 2)),
        nearness_(zero_pages(static_cast<std::size_t>(area.width) * static_cast<std::size_t>(area.height))) {
    const Place place = packed(seed);
    nearness_[slot(place)] = nearest;
    push(place, 0);
    reached_ = 1;
  }

  std::uint32_t settle(Pixel target, const jobs::Progress& progress) override {
    if (!area_.contains(target)) return unreached;
    const auto& there = nearness_[slot(packed(target))];
    while (!is_final(there) && waiting_ > 0) empty_next_bucket(progress);
    return distance(target);
  }
  void settle_all(const jobs::Progress& progress) override {
    while (waiting_ > 0) empty_next_bucket(progress);
  }
  std::uint32_t distance(Pixel pixel) const override {
    if (!area_.contains(pixel)) return unreached;
    const std::uint32_t nearness = nearness_[slot(packed(pixel))];
    return is_final(nearness) ? nearest - nearness : unreached;
  }
  std::size_t settled_count() const override {
    std::vector<Place> pending;
    for (const auto& bucket : buckets_) {
      for (const Place place : bucket) {
        if (!is_final(nearness_[slot(place)])) pending.push_back(place);
      }
    }
    std::ranges::sort(pending);
    return reached_ - static_cast<std::size_t>(std::ranges::unique(pending).begin() - pending.begin());
  }
  std::vector<std::uint32_t> distances() const override {
    std::vector<std::uint32_t> all(grid_->pixel_count(), unreached);
    for (int y = area_.y; y < area_.y + area_.height; ++y) {
      for (int x = area_.x; x < area_.x + area_.width; ++x) all[grid_->index({x, y})] = distance({x, y});
    }
    return all;
  }

 private:
  /// A pixel as (y << x_bits) + x, counted from the area's corner: its coordinates cost no division.
  using Place = std::uint32_t;
  /// Distances are kept as `nearest - distance`, so that 0, what untouched memory reads as, is infinitely
  /// far.
  static constexpr std::uint32_t nearest = unreached;

  Place packed(Pixel pixel) const {
    return (static_cast<Place>(pixel.y - area_.y) << x_bits_) | static_cast<Place>(pixel.x - area_.x);
  }
  Pixel unpacked(Place place) const {
    return {area_.x + static_cast<int>(place & ((1u << x_bits_) - 1)),
            area_.y + static_cast<int>(place >> x_bits_)};
  }
  std::size_t slot(Place place) const {
    return static_cast<std::size_t>(place >> x_bits_) * static_cast<std::size_t>(area_.width) +
           (place & ((1u << x_bits_) - 1));
  }
  bool is_final(std::uint32_t nearness) const {
    return nearness != 0 && (nearest - nearness) >> width_bits_ < lowest_;
  }
  std::size_t bucket_of(std::uint32_t distance) const {
    return (distance >> width_bits_) & (buckets_.size() - 1);
  }
  void push(Place place, std::uint32_t distance) {
    buckets_[bucket_of(distance)].push_back(place);
    ++waiting_;
  }

  void empty_next_bucket(const jobs::Progress& progress) {
    auto* bucket = &buckets_[lowest_ & (buckets_.size() - 1)];
    while (bucket->empty()) bucket = &buckets_[++lowest_ & (buckets_.size() - 1)];
    unchecked_ += bucket->size();
    if (unchecked_ > 16384) {
      unchecked_ = 0;
      progress.check();
      progress.report(static_cast<double>(reached_) / (static_cast<double>(area_.width) * area_.height),
                      "shortest paths");
    }
    for (const Place place : *bucket) {
      const std::uint32_t distance = nearest - nearness_[slot(place)];
      if (distance >> width_bits_ == lowest_) relax_arcs_of(place, distance);
    }
    waiting_ -= bucket->size();
    bucket->clear();
    ++lowest_;
  }
  void relax_arcs_of(Place place, std::uint32_t distance) {
    const Pixel pixel = unpacked(place);
    const std::size_t from = grid_->index(pixel);
    for (int d = 0; d < grid_->directions(); ++d) {
      const Pixel step = steps[static_cast<std::size_t>(d)];
      const Pixel next{pixel.x + step.x, pixel.y + step.y};
      if (!area_.contains(next)) continue;
      const std::uint32_t there = distance + grid_->arc(from, grid_->index(next), d);
      const Place next_place = packed(next);
      auto& known = nearness_[slot(next_place)];
      if (nearest - there <= known) continue;
      if (known == 0) ++reached_;
      known = nearest - there;
      push(next_place, there);
    }
  }

  std::shared_ptr<const CostGrid> grid_;
  Rectangle area_;
  int x_bits_, width_bits_;
  std::vector<std::vector<Place>> buckets_;  ///< as many as a power of 2, used as a ring
  ZeroPages nearness_;
  std::uint32_t lowest_ = 0;  ///< number of the first bucket that is not empty yet; those before are final
  std::size_t waiting_ = 0;   ///< entries in all buckets, outdated ones too
  std::size_t reached_ = 0, unchecked_ = 0;
};

class CpuEngine final : public Engine {
 public:
  std::string_view name() const override { return "cpu"; }
  std::string description(int) const override { return "CPU, bucket queue, 1 thread"; }
  bool resumes() const override { return true; }
  std::unique_ptr<Search> start(std::shared_ptr<const CostGrid> grid, Pixel seed,
                                const SearchOptions& options) const override {
    const Rectangle area = search_area(*grid, seed, options);
    if (bits_of(area.width) + bits_of(area.height) > 32) {
      throw ResourceError(fmt::format("{} x {} pixels are too many for one search. Give a smaller region.",
                                      area.width, area.height));
    }
    return std::make_unique<BucketSearch>(std::move(grid), seed, area);
  }
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine() {
  return std::make_unique<CpuEngine>();
}

}  // namespace isolume::livewire
