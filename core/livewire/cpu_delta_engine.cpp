#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/handover.h"
#include "core/dispatch/engine_choice.h"
#include "core/livewire/bucket_front.h"
#include "core/livewire/search_area.h"

namespace isolume::livewire {

namespace {

int threads_for(int wanted) {
  return wanted > 0 ? wanted : dispatch::processor_threads();
}

std::string describe(int threads) {
  return fmt::format("CPU, delta-stepping, {} threads", threads);
}

/// Delta-stepping (Meyer and Sanders, J. Algorithms 49, 114 (2003)) in which every thread owns bands of rows: in a
/// phase, every thread takes the others' offers for its pixels and settles what it has within the present step of
/// delta, in the order of distance. A step ends when no thread has anything left in it. No pixel is written by two
/// threads, and distances do not depend on timing.
class DeltaSearch final : public Search {
 public:
  DeltaSearch(const std::shared_ptr<const CostGrid>& grid, Pixel seed, Rectangle area, int threads,
              std::uint32_t delta)
      : arena_(threads), area_(area) {
    const std::uint64_t farthest =
        (static_cast<std::uint64_t>(area.width) + static_cast<std::uint64_t>(area.height)) *
        grid->greatest_arc;
    // Half as many phases as with half of this, and hardly more pixels settled twice.
    const std::uint64_t wanted = delta > 0 ? delta : 2 * std::uint64_t{grid->greatest_arc};
    delta = static_cast<std::uint32_t>(std::min(wanted, farthest));
    BucketFront front(grid, area, delta, delta);
    step_buckets_ = std::max(1u, delta >> front.width_bits);
    // High enough for few rows to be at a band's border, low enough for all threads to be near the front.
    const int height = std::clamp(area.height / (4 * threads), 8, 64);
    if (threads > 1) front.band_bits = std::bit_width(static_cast<std::uint32_t>(height)) - 1;
    front.offers.resize(static_cast<std::size_t>(threads));
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(threads); ++i) {
      front.owner = i;
      owners_.push_back({front, front.offers});
    }
    const auto place = front.packed(seed);
    owners_[front.owner_of(place >> front.x_bits)].front.take({place, BucketFront::nearest});
  }

  std::uint32_t settle(Pixel target, const jobs::Progress& progress) override {
    if (!area_.contains(target)) return unreached;
    settle_all(progress);
    return distance(target);
  }
  void settle_all(const jobs::Progress& progress) override {
    arena_.execute([&] {
      for (std::uint32_t first = first_bucket(); first != unreached; first = first_bucket()) {
        const std::uint32_t end = first + step_buckets_;
        while (first_bucket() < end) {
          progress.check();
          settle_below(end);
        }
        progress.report(static_cast<double>(reached()) / (static_cast<double>(area_.width) * area_.height),
                        "shortest paths");
      }
    });
    complete_ = true;
  }
  std::uint32_t distance(Pixel pixel) const override {
    return complete_ && area_.contains(pixel)
               ? BucketFront::nearest - owners_.front().front.nearness_of(pixel)
               : unreached;
  }
  std::size_t settled_count() const override { return complete_ ? reached() : 0; }
  std::vector<std::uint32_t> distances() const override {
    return distances_within(area_, *owners_.front().front.grid, *this);
  }
  dispatch::Report report() const override { return {.who = describe(arena_.max_concurrency())}; }

 private:
  struct Owner {
    BucketFront front;
    std::vector<std::vector<BucketFront::Offer>> handed;  ///< offers to each owner in the last phase
    std::uint32_t first_handed_bucket = unreached;        ///< minimum over all of these
  };

  std::size_t reached() const {
    std::size_t sum = 0;
    for (const auto& owner : owners_) sum += owner.front.reached;
    return sum;
  }
  /// The first bucket in which any thread has entries or offers; `unreached` at the end.
  std::uint32_t first_bucket() const {
    std::uint32_t first = unreached;
    for (const auto& owner : owners_) {
      if (owner.front.waiting > 0) first = std::min(first, owner.front.lowest);
      first = std::min(first, owner.first_handed_bucket);
    }
    return first;
  }
  /// One phase.
  void settle_below(std::uint32_t end) {
    handover::parallel_for(
        tbb::blocked_range<std::size_t>(0, owners_.size()),
        [&](const auto& part) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) {
            take_offers_for(i);
            settle_own(owners_[i].front, end);
          }
        },
        tbb::static_partitioner());
    for (auto& owner : owners_) {
      std::swap(owner.front.offers, owner.handed);
      owner.first_handed_bucket = unreached;
      for (const auto& offers : owner.handed) {
        for (const auto& offer : offers) {
          owner.first_handed_bucket = std::min(
              owner.first_handed_bucket, (BucketFront::nearest - offer.nearness) >> owner.front.width_bits);
        }
      }
    }
  }
  void take_offers_for(std::size_t i) {
    for (auto& owner : owners_) {
      for (const auto& offer : owner.handed[i]) owners_[i].front.take(offer);
      owner.handed[i].clear();
    }
  }
  static void settle_own(BucketFront& front, std::uint32_t end) {
    while (front.waiting > 0) {
      front.skip_empty_buckets();
      if (front.lowest >= end) return;
      empty_lowest_bucket(front);
    }
  }

  tbb::task_arena arena_;
  Rectangle area_;
  std::vector<Owner> owners_;
  std::uint32_t step_buckets_ = 1;
  bool complete_ = false;
};

class CpuDeltaEngine final : public Engine {
 public:
  std::string_view name() const override { return "cpu-delta"; }
  std::string description(int threads) const override { return describe(threads_for(threads)); }
  bool resumes() const override { return false; }
  std::unique_ptr<Search> start(std::shared_ptr<const CostGrid> grid, Pixel seed,
                                const SearchOptions& options) const override {
    dispatch::require_no_more_than_cpu(options);
    const Rectangle area = search_area(*grid, seed, options);
    return std::make_unique<DeltaSearch>(grid, seed, area, threads_for(options.threads), options.delta);
  }
};

}  // namespace

std::unique_ptr<Engine> make_cpu_delta_engine() {
  return std::make_unique<CpuDeltaEngine>();
}

}  // namespace isolume::livewire
