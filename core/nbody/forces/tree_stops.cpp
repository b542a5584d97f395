#include "core/nbody/forces/tree_stops.h"

#include <algorithm>
#include <limits>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::nbody {

namespace {

using Range = tbb::blocked_range<std::size_t>;

/// As a fraction of the total mass.
constexpr double heavy_mass = 1e-3;

}  // namespace

Paged<Stop> stops_of(const Octree& tree) {
  const auto moments = cell_moments(tree);
  Paged<Stop> stops(tree.cells.size());
  std::uint32_t count = 1;
  for (std::size_t i = 0; i < stops.size(); ++i) {
    Stop& stop = stops[i];
    const Cell& cell = tree.cells[stop.cell];
    stop.first = count;
    if (!cell.leaf) {
      for (std::uint32_t part = stop.cell + 1; part < cell.next; part = tree.cells[part].next) {
        stops[count++].cell = part;
      }
    }
    stop.parts = count - stop.first;
  }
  handover::parallel_for(Range(0, stops.size(), 1 << 10), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      Stop& stop = stops[i];
      const Cell& cell = tree.cells[stop.cell];
      stop.centre_of_mass = cell.centre_of_mass;
      // A radius of 0 is reserved for coincident bodies.
      const auto radius = static_cast<float>(cell.radius * (1 + 1e-6));
      stop.radius = cell.radius > 0 ? std::max(radius, std::numeric_limits<float>::min()) : 0;
      stop.begin = cell.begin;
      stop.end = cell.end;
      stop.moments = moments[stop.cell];
      stop.mass = static_cast<float>(cell.mass);
    }
  });
  return stops;
}

void set_openings(const Octree& tree, Criterion criterion, double angle, Paged<Stop>& stops) {
  handover::parallel_for(Range(0, stops.size(), 1 << 10), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      const Cell& cell = tree.cells[stops[i].cell];
      stops[i].opening = static_cast<float>(
          criterion == Criterion::angle
              ? cell.box.sizes().maxCoeff() / angle + (cell.centre_of_mass - cell.box.center()).norm()
              : std::pow(cell.mass * cell.radius * cell.radius * cell.radius, 0.2));
      // Without force estimates: the error of an expansion of a cell with much of the mass matters more.
      const bool heavy = criterion == Criterion::angle && cell.mass > heavy_mass;
      stops[i].spread = static_cast<float>(heavy ? std::pow(cell.mass / heavy_mass, 1.0 / 6) : 1);
    }
  });
}

}  // namespace isolume::nbody
