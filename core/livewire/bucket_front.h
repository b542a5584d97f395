#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

#include "core/livewire/engine.h"

namespace isolume::livewire {

/// Dial's algorithm (Commun. ACM 12, 632 (1969)): pixels wait in buckets by their distance, and the first
/// bucket that is not empty is gone through until it is, which makes its pixels final. Distances are kept as
/// `nearest - distance` ("nearness"), so that 0, what untouched memory of a fresh mapping reads as, is
/// infinitely far: a search of a large slice touches only what its front has reached.
///
/// Several fronts can share the pixels of an area: bands of rows belong to one after the other, and what one
/// finds for a pixel of another is an offer to be handed over. A front reads and writes its own rows only.
struct BucketFront {
  /// A pixel as (y << x_bits) + x, counted from the area's corner: its coordinates cost no division.
  using Place = std::uint32_t;
  struct Offer {
    Place place;
    std::uint32_t nearness;
  };
  static constexpr std::uint32_t nearest = unreached;

  std::shared_ptr<const CostGrid> grid;
  Rectangle area;
  int x_bits = 0;
  std::size_t stride = 0;  ///< of the nearness' rows; an odd number of cache lines: the pixels of a column
                           ///< would share few sets of the caches otherwise
  std::shared_ptr<std::uint32_t[]> nearness;

  int width_bits = 0;
  /// As many as a power of 2, used as a ring: bucket b holds pixels whose distance was (b << width_bits) to
  /// ((b + 1) << width_bits) - 1 when they were put there; some are nearer since.
  std::vector<std::vector<Place>> buckets;
  std::uint32_t lowest = 0;  ///< number of the first bucket that may not be empty
  std::size_t waiting = 0;   ///< entries in all buckets
  std::size_t reached = 0;   ///< pixels with a nearness

  int band_bits = 31;  ///< bands are 1 << band_bits rows high
  std::uint32_t owner = 0;
  std::vector<std::vector<Offer>> offers{1};  ///< to every owner of bands

  /// One that owns all rows. `spread`: how much further than the dearest arc beyond the lowest bucket entries
  /// may lie.
  BucketFront(std::shared_ptr<const CostGrid> costs, Rectangle allowed, std::uint32_t widest_bucket = nearest,
              std::uint32_t spread = 0);

  Place packed(Pixel pixel) const {
    return (static_cast<Place>(pixel.y - area.y) << x_bits) | static_cast<Place>(pixel.x - area.x);
  }
  std::size_t slot(Place place) const {
    return static_cast<std::size_t>(place >> x_bits) * stride + (place & ((1u << x_bits) - 1));
  }
  std::uint32_t nearness_of(Pixel pixel) const { return nearness[slot(packed(pixel))]; }
  /// Whose row `y` is, counted from the area's top.
  std::uint32_t owner_of(std::uint32_t y) const {
    return (y >> band_bits) % static_cast<std::uint32_t>(offers.size());
  }
  /// Puts one of its pixels into its bucket, if that brings it nearer.
  void take(Offer offer);
  /// Moves `lowest` to the first bucket that is not empty; `waiting` must not be 0.
  void skip_empty_buckets();
};

/// Goes through the lowest bucket until it is empty, and moves on to the next.
void empty_lowest_bucket(BucketFront& front);

}  // namespace isolume::livewire
