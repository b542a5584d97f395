// One vector holds three neighbours of a row; longer ones would help no more.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/livewire/bucket_front.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <bit>

#include <fmt/format.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "core/base/error.h"
#include "core/livewire/bucket_front.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::livewire::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Places around a pixel are numbered row by row, four to a row, so that a row is a vector: x - 1, x, x + 1
/// and one that is not used.
constexpr std::size_t lane_of(Pixel step) {
  return static_cast<std::size_t>((step.y + 1) * 4 + step.x + 1);
}

/// Relaxes the arcs of one pixel after the other. Which of its neighbours come nearer cannot be predicted, so
/// all are compared at once, and only those few that do are gone through.
template <bool arcs, int directions>
class Relaxation {
 public:
  explicit Relaxation(BucketFront& front)
      : front_(front),
        grid_(*front.grid),
        stride_(static_cast<std::ptrdiff_t>(front.stride)),
        x_mask_((1u << front.x_bits) - 1),
        bucket_mask_(static_cast<std::uint32_t>(front.buckets.size() - 1)),
        has_inside_(front.area.width > 3 && front.area.height > 2),
        last_x_(static_cast<std::uint32_t>(front.area.width - 4)),
        last_y_(static_cast<std::uint32_t>(front.area.height - 3)),
        band_mask_((1u << front.band_bits) - 1) {
    for (const Pixel step : steps) {
      slot_step_[lane_of(step)] = step.y * stride_ + step.x;
      place_step_[lane_of(step)] =
          (static_cast<std::uint32_t>(step.y) << front.x_bits) + static_cast<std::uint32_t>(step.x);
    }
    for (std::size_t d = 0; d < directions; ++d) length_[lane_of(steps[d])] = grid_.length[d];
  }

  HWY_INLINE void EmptyBucket() {
    const std::uint32_t number = front_.lowest;
    auto& bucket = front_.buckets[number & bucket_mask_];
    for (std::size_t i = 0; i < bucket.size(); ++i) {
      if (arcs && i + 6 < bucket.size()) PrefetchArcs(bucket[i + 6]);
      const std::uint32_t place = bucket[i];
      const std::uint32_t x = place & x_mask_, y = place >> front_.x_bits;
      std::uint32_t* at = front_.nearness.get() + static_cast<std::ptrdiff_t>(y) * stride_ + x;
      const std::uint32_t here = *at;
      if ((BucketFront::nearest - here) >> front_.width_bits != number) continue;
      // Coordinate 0 wraps to a large one.
      if (has_vectors && has_inside_ && x - 1 <= last_x_ && y - 1 <= last_y_ &&
          (y & band_mask_) - 1 <= band_mask_ - 2) {
        RelaxInside(place, x, y, at, here);
      } else {
        RelaxAtBorder(place, x, y, at, here);
      }
    }
    front_.waiting -= bucket.size();
    bucket.clear();
    ++front_.lowest;
  }

 private:
  /// Arcs are far apart and too many for the caches; what else a pixel needs was near its neighbours'.
  HWY_INLINE void PrefetchArcs(std::uint32_t place) const {
    hwy::Prefetch(grid_.arcs.data() + IndexOf(place & x_mask_, place >> front_.x_bits) * directions);
  }
  HWY_INLINE std::ptrdiff_t IndexOf(std::uint32_t x, std::uint32_t y) const {
    return (static_cast<std::ptrdiff_t>(y) + front_.area.y) * grid_.width + x + front_.area.x;
  }
  static constexpr bool has_vectors = HWY_TARGET != HWY_SCALAR;

#if HWY_TARGET == HWY_SCALAR
  void RelaxInside(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t*, std::uint32_t) {}
#else
  using Lanes = hn::FixedTag<std::uint32_t, 4>;
  using Vector = hn::Vec<Lanes>;

  /// What the arcs to row `dy` cost.
  template <int dy>
  HWY_INLINE Vector ArcsTo(std::ptrdiff_t index) const {
    const Lanes d;
    if constexpr (arcs) {
      // Bytes of the costs, two each, by direction; none where a byte is to be 0.
      constexpr std::uint8_t none = 0x80;
      HWY_ALIGN static constexpr std::uint8_t order[3][16] = {
          {12, 13, none, none, 6, 7, none, none, 14, 15, none, none, none, none, none, none},
          {4, 5, none, none, none, none, none, none, 0, 1, none, none, none, none, none, none},
          {10, 11, none, none, 2, 3, none, none, 8, 9, none, none, none, none, none, none}};
      const hn::Repartition<std::uint8_t, Lanes> bytes;
      const auto* costs = reinterpret_cast<const std::uint8_t*>(grid_.arcs.data() + index * directions);
      auto all = hn::Zero(bytes);
      if constexpr (directions == 8) {
        all = hn::LoadU(bytes, costs);
      } else {
        all = hn::ZeroExtendVector(bytes, hn::LoadU(hn::Half<decltype(bytes)>(), costs));
      }
      return hn::BitCast(d, hn::TableLookupBytesOr0(all, hn::Load(bytes, order[dy + 1])));
    } else {
      const hn::Rebind<std::uint16_t, Lanes> halves;
      const auto node = hn::PromoteTo(d, hn::LoadU(halves, grid_.node.data() + index + dy * grid_.width - 1));
      const auto cost = hn::Mul(node, hn::Load(d, length_ + (dy + 1) * 4));
      return hn::Max(hn::Set(d, 1), hn::ShiftRight<7>(hn::Add(cost, hn::Set(d, 64))));
    }
  }
  /// Bits of the lanes that come nearer.
  template <int dy>
  HWY_INLINE std::uint32_t OfferTo(const std::uint32_t* at, std::uint32_t here, std::ptrdiff_t index,
                                   std::uint32_t* offered) const {
    constexpr std::size_t lane = (dy + 1) * 4;
    const Lanes d;
    const Vector offer = hn::Sub(hn::Set(d, here), ArcsTo<dy>(index));
    hn::Store(offer, d, offered + lane);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Gt(offer, hn::LoadU(d, at + dy * stride_ - 1)), bits);
    return static_cast<std::uint32_t>(bits[0]) << lane;
  }
  HWY_INLINE void RelaxInside(std::uint32_t place, std::uint32_t x, std::uint32_t y, std::uint32_t* at,
                              std::uint32_t here) {
    const std::ptrdiff_t index = IndexOf(x, y);
    constexpr std::uint32_t used = directions == 8 ? 0x757 : 0x252;
    HWY_ALIGN std::uint32_t offered[12];
    std::uint32_t lanes =
        used & (OfferTo<-1>(at, here, index, offered) | OfferTo<0>(at, here, index, offered) |
                OfferTo<1>(at, here, index, offered));
    while (lanes != 0) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
      lanes &= lanes - 1;
      Improve(at + slot_step_[lane], place + place_step_[lane], offered[lane]);
    }
  }
#endif
  void RelaxAtBorder(std::uint32_t place, std::uint32_t x, std::uint32_t y, std::uint32_t* at,
                     std::uint32_t here) {
    const Pixel pixel{static_cast<int>(x) + front_.area.x, static_cast<int>(y) + front_.area.y};
    for (int d = 0; d < directions; ++d) {
      const Pixel step = steps[static_cast<std::size_t>(d)], next{pixel.x + step.x, pixel.y + step.y};
      if (!front_.area.contains(next)) continue;
      const std::uint32_t offer = here - grid_.arc(grid_.index(pixel), grid_.index(next), d);
      const std::uint32_t next_place = place + place_step_[lane_of(step)];
      const std::uint32_t owner = front_.owner_of(next_place >> front_.x_bits);
      if (owner != front_.owner) {
        front_.offers[owner].push_back({next_place, offer});
        continue;
      }
      std::uint32_t* to = at + slot_step_[lane_of(step)];
      if (offer > *to) Improve(to, next_place, offer);
    }
  }
  HWY_INLINE void Improve(std::uint32_t* to, std::uint32_t place, std::uint32_t nearness) {
    front_.reached += *to == 0 ? 1 : 0;
    *to = nearness;
    front_.buckets[((BucketFront::nearest - nearness) >> front_.width_bits) & bucket_mask_].push_back(place);
    ++front_.waiting;
  }

  BucketFront& front_;
  const CostGrid& grid_;
  std::ptrdiff_t stride_;
  std::uint32_t x_mask_, bucket_mask_;
  bool has_inside_;
  std::uint32_t last_x_, last_y_, band_mask_;
  std::ptrdiff_t slot_step_[12] = {};
  std::uint32_t place_step_[12] = {};
  HWY_ALIGN std::uint32_t length_[12] = {};
};

void EmptyLowestBucket(BucketFront& front) {
  const bool arcs = !front.grid->arcs.empty(), eight = front.grid->neighbours == Neighbours::eight;
  if (arcs && eight) return Relaxation<true, 8>(front).EmptyBucket();
  if (arcs) return Relaxation<true, 4>(front).EmptyBucket();
  if (eight) return Relaxation<false, 8>(front).EmptyBucket();
  return Relaxation<false, 4>(front).EmptyBucket();
}

}  // namespace isolume::livewire::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::livewire {

namespace {

/// Of a coordinate below `size`.
int bits_of(int size) {
  return std::bit_width(static_cast<std::uint32_t>(size - 1));
}

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

std::shared_ptr<std::uint32_t[]> zero_pages(std::size_t count) {
  auto* memory = static_cast<std::uint32_t*>(std::calloc(count, sizeof(std::uint32_t)));
  if (memory == nullptr) {
    throw ResourceError("The distances", count * sizeof(std::uint32_t), dispatch::available_memory_bytes(),
                        "Give a smaller region.");
  }
  return {memory, FreeMemory()};
}

}  // namespace

BucketFront::BucketFront(std::shared_ptr<const CostGrid> costs, Rectangle allowed,
                         std::uint32_t widest_bucket, std::uint32_t spread)
    : grid(std::move(costs)), area(allowed), x_bits(bits_of(area.width)) {
  if (x_bits + bits_of(area.height) > 32) {
    throw ResourceError(fmt::format("{} x {} pixels are too many for one search. Give a smaller region.",
                                    area.width, area.height));
  }
  stride = ((static_cast<std::size_t>(area.width) + 17) / 16 | 1) * 16;
  nearness = zero_pages(stride * static_cast<std::size_t>(area.height) + 4);
  // No wider than the cheapest arc would settle every pixel once (Dinitz); a few pixels gone through again
  // cost less than many buckets of few pixels each. Times do not change between 1/16 and 1/128 of the dearest
  // arc.
  const std::uint32_t width = std::max(grid->least_arc, grid->greatest_arc / 32);
  width_bits = std::bit_width(std::min(width, widest_bucket)) - 1;
  buckets.resize(std::bit_ceil((grid->greatest_arc >> width_bits) + (spread >> width_bits) + 3));
}

void BucketFront::take(Offer offer) {
  std::uint32_t& known = nearness[slot(offer.place)];
  if (offer.nearness <= known) return;
  reached += known == 0 ? 1 : 0;
  known = offer.nearness;
  const std::uint32_t bucket = (nearest - offer.nearness) >> width_bits;
  buckets[bucket & (buckets.size() - 1)].push_back(offer.place);
  lowest = waiting == 0 ? bucket : std::min(lowest, bucket);
  ++waiting;
}

void BucketFront::skip_empty_buckets() {
  while (buckets[lowest & (buckets.size() - 1)].empty()) ++lowest;
}

HWY_EXPORT(EmptyLowestBucket);
void empty_lowest_bucket(BucketFront& front) {
  HWY_DYNAMIC_DISPATCH(EmptyLowestBucket)(front);
}

}  // namespace isolume::livewire
#endif
