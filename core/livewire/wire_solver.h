#pragma once

#include <memory>

#include "core/contours/contour.h"
#include "core/livewire/costs.h"
#include "core/livewire/engine.h"
#include "core/livewire/polyline.h"

namespace isolume::livewire {

/// Computes wires on one cost grid: keeps the search of the last seed, so that the next pointer position only costs
/// what lies beyond the settled pixels. Not thread-safe.
class WireSolver {
 public:
  /// `features` (null: none) must be those that the grid was made from.
  WireSolver(const Engine& engine, std::shared_ptr<const CostGrid> grid, SearchOptions options = {},
             const Features* features = nullptr);

  /// One point for each pixel from `from` to `to`: the centres of these two, and between them points on the edge
  /// where features locate it. A straight line where the region separates them (`cost` is `unreached` then).
  /// Positions outside the slice are moved to its border. A wire that would run along what is `traced` is recomputed
  /// with the pixels there at the highest cost. Throws Cancelled.
  struct Wire {
    contours::Polyline points;
    std::uint32_t cost = unreached;
  };
  Wire wire(Pixel from, Pixel to, const Polylines& traced = {}, const jobs::Progress& progress = {});
  /// The same for a wire that follows a pointer, while `shown` is displayed: keeps to that up to its point nearest to
  /// `to` where the cheapest wire would jump elsewhere and is at most 2 % cheaper.
  Wire live_wire(Pixel from, Pixel to, const contours::Polyline& shown, const Polylines& traced = {},
                 const jobs::Progress& progress = {});
  /// Search of the present seed; null before the first wire.
  const Search* search() const { return free_.search.get(); }
  const CostGrid& grid() const { return *free_.grid; }

 private:
  /// The paths from a seed on one of the grids.
  struct Paths {
    std::shared_ptr<const CostGrid> grid;
    Pixel seed;
    std::unique_ptr<Search> search;
  };
  struct Found {
    Wire wire;
    Paths* paths;
  };
  Found find(Pixel from, Pixel to, const Polylines& traced, const jobs::Progress& progress);
  Wire cheapest(Paths& paths, Pixel from, Pixel to, const jobs::Progress& progress);
  void set_traced(const Polylines& traced);
  Wire placed(Wire wire) const;

  const Engine& engine_;
  SearchOptions options_;
  const Features* features_;
  Paths free_;
  Polylines traced_;
  std::vector<Pixel> beside_traced_;  ///< sorted
  Paths apart_;                       ///< with expensive pixels there; created on demand
};

/// The pixels that lines pass through and those around these, sorted.
std::vector<Pixel> pixels_beside(const Polylines& lines);
/// Whether a wire has more pixels among these (sorted) than are needed to cross them or to leave its ends.
bool runs_along(const contours::Polyline& wire, const std::vector<Pixel>& pixels);

}  // namespace isolume::livewire
