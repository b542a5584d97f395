#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

#include "core/livewire/engine.h"

namespace isolume::livewire {

/// Dial's algorithm (Commun. ACM 12, 632 (1969)): pixels wait in buckets by their distance, and the first non-empty
/// bucket is processed until it is empty, which makes its pixels final. Distances are stored as `nearest - distance`
/// ("nearness"), so that 0, the content of untouched memory of a fresh mapping, means infinitely far: a search on a
/// large slice touches only what its front has reached.
///
/// Several fronts can share the pixels of an area: bands of rows belong to them in turn, and a distance that one
/// finds for a pixel of another is an offer to be passed on. A front reads and writes its own rows only.
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
  std::size_t stride =
      0;  ///< of the nearness rows; an odd number of cache lines, because otherwise the pixels of a
          ///< column would share few cache sets
  std::shared_ptr<std::uint32_t[]> nearness;

  int width_bits = 0;
  /// A power of 2 of them, used as a ring: bucket b holds pixels whose distance was (b << width_bits) to ((b + 1) <<
  /// width_bits) - 1 when they were inserted; some distances have decreased since.
  std::vector<std::vector<Place>> buckets;
  std::uint32_t lowest = 0;  ///< number of the first bucket that may not be empty
  std::size_t waiting = 0;   ///< entries in all buckets
  std::size_t reached = 0;   ///< pixels with a nearness

  int band_bits = 31;  ///< bands are 1 << band_bits rows high
  std::uint32_t owner = 0;
  std::vector<std::vector<Offer>> offers{1};  ///< for every owner of bands

  /// A front that owns all rows. `spread`: how much further than the most expensive arc beyond the lowest bucket
  /// entries may lie.
  BucketFront(std::shared_ptr<const CostGrid> costs, Rectangle allowed, std::uint32_t widest_bucket = nearest,
              std::uint32_t spread = 0);

  Place packed(Pixel pixel) const {
    return (static_cast<Place>(pixel.y - area.y) << x_bits) | static_cast<Place>(pixel.x - area.x);
  }
  std::size_t slot(Place place) const {
    return static_cast<std::size_t>(place >> x_bits) * stride + (place & ((1u << x_bits) - 1));
  }
  std::uint32_t nearness_of(Pixel pixel) const { return nearness[slot(packed(pixel))]; }
  /// Owner of row `y`, counted from the top of the area.
  std::uint32_t owner_of(std::uint32_t y) const {
    return (y >> band_bits) % static_cast<std::uint32_t>(offers.size());
  }
  /// Puts one of its pixels into its bucket, if the offered distance is smaller.
  void take(Offer offer);
  /// Moves `lowest` to the first bucket that is not empty; `waiting` must not be 0.
  void skip_empty_buckets();
};

/// Processes the lowest bucket until it is empty, and moves on to the next.
void empty_lowest_bucket(BucketFront& front);

}  // namespace isolume::livewire
