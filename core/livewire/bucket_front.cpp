// Vectors of 16 bytes hold three neighbours in a row; the scalable instruction sets have no fixed length.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/livewire/bucket_front.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "core/base/error.h"
#include "core/base/large_pages.h"
#include "core/livewire/bucket_front.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::livewire::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Neighbours of a pixel are numbered row by row, four to a row, so that a row is a vector: x - 1, x, x + 1 and an
/// unused lane.
constexpr std::size_t lane_of(Pixel step) {
  return static_cast<std::size_t>((step.y + 1) * 4 + step.x + 1);
}

/// Relaxes the arcs of a bucket's pixels. Which neighbours' distances decrease cannot be predicted, and a
/// mispredicted branch costs as much as ten comparisons: so all are compared at once, improved ones are packed into a
/// list without branches, and the list of a batch of pixels is put into buckets afterwards.
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
      place_step_[lane_of(step)] =
          (static_cast<std::uint32_t>(step.y) << front.x_bits) + static_cast<std::uint32_t>(step.x);
    }
    for (std::size_t d = 0; d < directions; ++d) {
      length_[lane_of(steps[d])] = grid_.length[d];
      used_[lane_of(steps[d])] = ~0u;
    }
  }

  HWY_INLINE void EmptyBucket() {
    const std::uint32_t number = front_.lowest;
    auto& bucket = front_.buckets[number & bucket_mask_];
    for (std::size_t begin = 0; begin < bucket.size();) {
      const std::size_t entries = std::min(batch, bucket.size() - begin);
      const std::size_t count = Current(bucket.data() + begin, entries, number);
      for (std::size_t i = 0; i < count; ++i) Relax(current_[i]);
      begin += entries;
      PushFound();  // possibly into this bucket
    }
#if HWY_TARGET != HWY_SCALAR
    const hn::DFromV<decltype(reached_)> d;
    front_.reached += hn::GetLane(hn::SumOfLanes(d, reached_));
#endif
    front_.waiting -= bucket.size();
    bucket.clear();
    ++front_.lowest;
  }

 private:
  static constexpr std::size_t batch = 32;

  HWY_INLINE std::uint32_t* At(std::uint32_t x, std::uint32_t y) const {
    return front_.nearness.get() + static_cast<std::ptrdiff_t>(y) * stride_ + x;
  }
  /// Removes entries whose pixels have been improved since and were in an earlier bucket.
  HWY_INLINE std::size_t Current(const std::uint32_t* places, std::size_t entries, std::uint32_t number) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < entries; ++i) {
      const std::uint32_t place = places[i];
      const std::uint32_t here = *At(place & x_mask_, place >> front_.x_bits);
      if (arcs) PrefetchArcs(place);
      current_[count] = place;
      count += (BucketFront::nearest - here) >> front_.width_bits == number ? 1 : 0;
    }
    return count;
  }
  HWY_INLINE void Relax(std::uint32_t place) {
    const std::uint32_t x = place & x_mask_, y = place >> front_.x_bits;
    // Coordinate 0 wraps to a large one.
    if (has_vectors && has_inside_ && x - 1 <= last_x_ && y - 1 <= last_y_ &&
        (y & band_mask_) - 1 <= band_mask_ - 2) {
      RelaxInside(place, x, y);
    } else {
      RelaxAtBorder(place, x, y);
    }
  }
  /// Puts the pixels improved by the batch into their buckets.
  HWY_INLINE void PushFound() {
    for (std::size_t i = 0; i < found_; ++i) {
      const std::uint32_t distance = BucketFront::nearest - found_nearness_[i];
      front_.buckets[(distance >> front_.width_bits) & bucket_mask_].push_back(found_places_[i]);
    }
    front_.waiting += found_;
    found_ = 0;
  }
  /// Arcs are far apart and too many for the caches; a pixel's other data are near its neighbours'.
  HWY_INLINE void PrefetchArcs(std::uint32_t place) const {
    hwy::Prefetch(grid_.arcs.data() + IndexOf(place & x_mask_, place >> front_.x_bits) * directions);
  }
  HWY_INLINE std::ptrdiff_t IndexOf(std::uint32_t x, std::uint32_t y) const {
    return (static_cast<std::ptrdiff_t>(y) + front_.area.y) * grid_.width + x + front_.area.x;
  }
  static constexpr bool has_vectors = HWY_TARGET != HWY_SCALAR;

#if HWY_TARGET == HWY_SCALAR
  void RelaxInside(std::uint32_t, std::uint32_t, std::uint32_t) {}
#else
  using Lanes = hn::FixedTag<std::uint32_t, 4>;
  using Vector = hn::Vec<Lanes>;

#if HWY_MAX_BYTES >= 64
  // All three rows in one vector: half as many instructions, and a fifth less time on a Zen 4.
  using WideLanes = hn::FixedTag<std::uint32_t, 16>;
  using WideVector = hn::Vec<WideLanes>;

  /// Rows y - 1, y, y + 1, and an unused block.
  template <class Lane>
  HWY_INLINE static auto ThreeRows(const Lane* middle, std::ptrdiff_t stride) {
    const hn::FixedTag<Lane, 4> row;
    const hn::FixedTag<Lane, 8> two;
    const hn::FixedTag<Lane, 16> all;
    const auto below = hn::ZeroExtendVector(two, hn::LoadU(row, middle + stride));
    return hn::Combine(all, below, hn::Combine(two, hn::LoadU(row, middle), hn::LoadU(row, middle - stride)));
  }
  HWY_INLINE WideVector WideArcs(std::ptrdiff_t index) const {
    const WideLanes d;
    if constexpr (arcs) {
      constexpr std::uint8_t none = 0x80;
      HWY_ALIGN static constexpr std::uint8_t order[64] = {
          12,   13,   none, none, 6,    7,    none, none, 14,   15,   none, none, none, none, none, none,
          4,    5,    none, none, none, none, none, none, 0,    1,    none, none, none, none, none, none,
          10,   11,   none, none, 2,    3,    none, none, 8,    9,    none, none, none, none, none, none,
          none, none, none, none, none, none, none, none, none, none, none, none, none, none, none, none};
      const hn::Repartition<std::uint8_t, WideLanes> bytes;
      const auto* costs = reinterpret_cast<const std::uint8_t*>(grid_.arcs.data() + index * directions);
      auto all = hn::Zero(bytes);
      if constexpr (directions == 8) {
        all = hn::LoadDup128(bytes, costs);
      } else {
        std::uint64_t four = 0;
        std::memcpy(&four, costs, sizeof(four));
        all = hn::BitCast(bytes, hn::Set(hn::Repartition<std::uint64_t, WideLanes>(), four));
      }
      return hn::BitCast(d, hn::TableLookupBytesOr0(all, hn::Load(bytes, order)));
    } else {
      const auto node = hn::PromoteTo(d, ThreeRows(grid_.node.data() + index - 1, grid_.width));
      const auto cost = hn::Mul(node, hn::Load(d, length_));
      return hn::Max(hn::Set(d, 1), hn::ShiftRight<7>(hn::Add(cost, hn::Set(d, 64))));
    }
  }
  HWY_INLINE void RelaxInside(std::uint32_t place, std::uint32_t x, std::uint32_t y) {
    const WideLanes d;
    const hn::Half<WideLanes> two;
    const Lanes row;
    std::uint32_t* at = At(x, y);
    const WideVector offer = hn::Sub(hn::Set(d, *at), WideArcs(IndexOf(x, y)));
    const WideVector known = ThreeRows(at - 1, stride_);
    const auto better = hn::And(hn::Gt(offer, known), hn::MaskFromVec(hn::Load(d, used_)));
    const WideVector nearer = hn::IfThenElse(better, offer, known);
    hn::StoreU(hn::LowerHalf(row, hn::LowerHalf(two, nearer)), row, at - stride_ - 1);
    hn::StoreU(hn::UpperHalf(row, hn::LowerHalf(two, nearer)), row, at - 1);
    hn::StoreU(hn::LowerHalf(row, hn::UpperHalf(two, nearer)), row, at + stride_ - 1);
    reached_ = hn::Sub(reached_, hn::VecFromMask(d, hn::And(better, hn::Eq(known, hn::Zero(d)))));
    const WideVector places = hn::Add(hn::Set(d, place), hn::Load(d, place_step_));
    hn::StoreU(hn::Compress(places, better), d, found_places_ + found_);
    hn::StoreU(hn::Compress(offer, better), d, found_nearness_ + found_);
    found_ += hn::CountTrue(d, better);
  }
#else
  /// Costs of the arcs to row `dy`.
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
  /// Stores improved distances of row `dy`, and records the pixels.
  template <int dy>
  HWY_INLINE void OfferTo(std::uint32_t* at, std::uint32_t place, Vector here, std::ptrdiff_t index) {
    constexpr std::size_t lane = (dy + 1) * 4;
    const Lanes d;
    std::uint32_t* row = at + dy * stride_ - 1;
    const Vector offer = hn::Sub(here, ArcsTo<dy>(index)), known = hn::LoadU(d, row);
    const auto better = hn::And(hn::Gt(offer, known), hn::MaskFromVec(hn::Load(d, used_ + lane)));
    hn::StoreU(hn::IfThenElse(better, offer, known), d, row);
    reached_ = hn::Sub(reached_, hn::VecFromMask(d, hn::And(better, hn::Eq(known, hn::Zero(d)))));
    const Vector places = hn::Add(hn::Set(d, place), hn::Load(d, place_step_ + lane));
    // Not hn::CompressStore: with a memory destination it is microcode on AMD's Zen 4, taking more than a hundred
    // cycles.
    hn::StoreU(hn::Compress(places, better), d, found_places_ + found_);
    hn::StoreU(hn::Compress(offer, better), d, found_nearness_ + found_);
    found_ += hn::CountTrue(d, better);
  }
  HWY_INLINE void RelaxInside(std::uint32_t place, std::uint32_t x, std::uint32_t y) {
    const std::ptrdiff_t index = IndexOf(x, y);
    std::uint32_t* at = At(x, y);
    const Vector here = hn::Set(Lanes(), *at);
    OfferTo<-1>(at, place, here, index);
    OfferTo<0>(at, place, here, index);
    OfferTo<1>(at, place, here, index);
  }
#endif
#endif
  void RelaxAtBorder(std::uint32_t place, std::uint32_t x, std::uint32_t y) {
    std::uint32_t* at = At(x, y);
    const Pixel pixel{static_cast<int>(x) + front_.area.x, static_cast<int>(y) + front_.area.y};
    for (int d = 0; d < directions; ++d) {
      const Pixel step = steps[static_cast<std::size_t>(d)], next{pixel.x + step.x, pixel.y + step.y};
      if (!front_.area.contains(next)) continue;
      const std::uint32_t offer = *at - grid_.arc(grid_.index(pixel), grid_.index(next), d);
      const std::uint32_t next_place = place + place_step_[lane_of(step)];
      const std::uint32_t owner = front_.owner_of(next_place >> front_.x_bits);
      if (owner != front_.owner) {
        front_.offers[owner].push_back({next_place, offer});
        continue;
      }
      std::uint32_t* to = at + step.y * stride_ + step.x;
      if (offer <= *to) continue;
      front_.reached += *to == 0 ? 1 : 0;
      *to = offer;
      found_places_[found_] = next_place;
      found_nearness_[found_++] = offer;
    }
  }

  BucketFront& front_;
  const CostGrid& grid_;
  std::ptrdiff_t stride_;
  std::uint32_t x_mask_, bucket_mask_;
  bool has_inside_;
  std::uint32_t last_x_, last_y_, band_mask_;
  /// By lane.
  HWY_ALIGN std::uint32_t place_step_[16] = {};
  HWY_ALIGN std::uint32_t length_[16] = {};
  HWY_ALIGN std::uint32_t used_[16] = {};
  std::uint32_t current_[batch];
  /// Eight more for every entry of a batch, plus what a vector writes beyond them.
  std::size_t found_ = 0;
  std::uint32_t found_places_[8 * batch + 16], found_nearness_[8 * batch + 16];
#if HWY_MAX_BYTES >= 64
  WideVector reached_ = hn::Zero(WideLanes());
#elif HWY_TARGET != HWY_SCALAR
  Vector reached_ = hn::Zero(Lanes());
#endif
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

/// Bits of a coordinate below `size`.
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
  prefer_large_pages(memory, count * sizeof(std::uint32_t));
  return {memory, FreeMemory()};
}

}  // namespace

BucketFront::BucketFront(std::shared_ptr<const CostGrid> costs, Rectangle allowed,
                         std::uint32_t widest_bucket, std::uint32_t spread)
    : grid(std::move(costs)), area(allowed), x_bits(bits_of(area.width)) {
  if (x_bits + bits_of(area.height) > 32) {
    throw ResourceError(fmt::format("{} × {} pixels are too many for one search. Give a smaller region.",
                                    area.width, area.height));
  }
  stride = ((static_cast<std::size_t>(area.width) + 17) / 16 | 1) * 16;
  nearness = zero_pages(stride * static_cast<std::size_t>(area.height) + 4);
  // Buckets no wider than the cheapest arc would settle every pixel once (Dinitz); processing a few pixels again
  // costs less than many buckets of few pixels each. Times do not change between 1/16 and 1/128 of the most expensive
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
