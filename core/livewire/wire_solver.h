#pragma once

#include <memory>

#include "core/contours/contour.h"
#include "core/livewire/engine.h"

namespace isolume::livewire {

/// The wire on one cost grid: keeps the search of the last seed, so that the pointer's next place costs only
/// what lies beyond what is settled. Not for two threads at once.
class WireSolver {
 public:
  WireSolver(const Engine& engine, std::shared_ptr<const CostGrid> grid, SearchOptions options = {});

  /// Pixel centres from `from` to `to`, both there. A straight line where the region keeps them apart (`cost`
  /// is `unreached` then). Places outside the slice are moved to its border. Throws Cancelled.
  struct Wire {
    contours::Polyline points;
    std::uint32_t cost = unreached;
  };
  Wire wire(Pixel from, Pixel to, const jobs::Progress& progress = {});
  /// The same for a wire that follows a pointer, where `shown` is drawn: keeps to that up to its point
  /// nearest to `to` where the cheapest wire would jump elsewhere and is cheaper by 2 % at most.
  Wire live_wire(Pixel from, Pixel to, const contours::Polyline& shown, const jobs::Progress& progress = {});
  /// Of the present seed; null before the first wire.
  const Search* search() const { return search_.get(); }
  const CostGrid& grid() const { return *grid_; }

 private:
  const Engine& engine_;
  std::shared_ptr<const CostGrid> grid_;
  SearchOptions options_;
  Pixel seed_;
  std::unique_ptr<Search> search_;
};

}  // namespace isolume::livewire
