#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

#include "core/livewire/engine.h"

namespace isolume::livewire {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

/// Dial's algorithm (Commun. ACM 12, 632 (1969)): pixels wait in buckets by their distance, and the first
/// bucket that is not empty is gone through until it is, which makes its pixels final. Distances are kept as
/// `nearest - distance` ("nearness"), so that 0, what untouched memory of a fresh mapping reads as, is
/// infinitely far: a search of a large slice touches only what its front has reached.
struct BucketFront {
  /// A pixel as (y << x_bits) + x, counted from the area's corner: its coordinates cost no division.
  using Place = std::uint32_t;
  static constexpr std::uint32_t nearest = unreached;

  std::shared_ptr<const CostGrid> grid;
  Rectangle area;
  int x_bits = 0, width_bits = 0;
  std::size_t stride = 0;  ///< of the nearness' rows; never a multiple of a power of 2 above 32, which
                           ///< would put the pixels of a column into few sets of the caches
  std::unique_ptr<std::uint32_t[], FreeMemory> nearness;
  /// As many as a power of 2, used as a ring: bucket b holds pixels whose distance was (b << width_bits) to
  /// ((b + 1) << width_bits) - 1 when they were put there; some are nearer since.
  std::vector<std::vector<Place>> buckets;
  std::uint32_t lowest = 0;  ///< number of the first bucket that may not be empty; what is nearer is final
  std::size_t waiting = 0;   ///< entries in all buckets
  std::size_t reached = 0;   ///< pixels with a nearness

  BucketFront(std::shared_ptr<const CostGrid> costs, Pixel seed, Rectangle allowed);

  Place packed(Pixel pixel) const {
    return (static_cast<Place>(pixel.y - area.y) << x_bits) | static_cast<Place>(pixel.x - area.x);
  }
  std::size_t slot(Place place) const {
    return static_cast<std::size_t>(place >> x_bits) * stride + (place & ((1u << x_bits) - 1));
  }
  bool is_final(std::uint32_t near) const { return near != 0 && (nearest - near) >> width_bits < lowest; }
};

/// Settles all pixels of the first bucket that is not empty; `waiting` must not be 0.
void empty_next_bucket(BucketFront& front);

}  // namespace isolume::livewire
