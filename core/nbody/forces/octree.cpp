#include "core/nbody/forces/octree.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <tbb/blocked_range.h>

#include "core/base/clock.h"
#include "core/base/handover.h"
#include "core/nbody/forces/body_keys.h"
#include "core/nbody/forces/hilbert.h"

namespace isolume::nbody {

namespace {

using Eigen::Vector3d;
using Box = Eigen::AlignedBox3d;
using Range = tbb::blocked_range<std::size_t>;

/// Whether the bodies are not all at one position, to rounding.
bool can_be_numbered(const Box& box) {
  return box.sizes().maxCoeff() > 1e-280;
}

Vector3d place_of_body(const Bodies& bodies, std::size_t i) {
  return {bodies.x[i], bodies.y[i], bodies.z[i]};
}

/// Bounding box of place(begin) to place(end - 1).
template <class PlaceOf>
Box box_around(std::size_t begin, std::size_t end, const PlaceOf& place) {
  return handover::parallel_reduce(
      Range(begin, end, 1 << 14), Box(),
      [&](const Range& part, Box box) {
        for (std::size_t i = part.begin(); i != part.end(); ++i) box.extend(place(i));
        return box;
      },
      [](const Box& one, const Box& other) { return one.merged(other); });
}

/// Sorts bodies by the Hilbert number of their position in a box.
class Order {
 public:
  explicit Order(const Bodies& bodies) : keys(bodies.size()), bodies_(bodies) {
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = {0, static_cast<std::uint32_t>(i)};
  }

  Vector3d place(std::size_t i) const { return place_of_body(bodies_, keys[i].body); }
  Box box(std::size_t begin, std::size_t end) const {
    return box_around(begin, end, [this](std::size_t i) { return place(i); });
  }
  void sort(std::size_t begin, std::size_t end, const Box& box) {
    constexpr double places = 1u << hilbert_levels;
    const double scale = places / box.sizes().maxCoeff();
    handover::parallel_for(Range(begin, end, 1 << 12), [&](const Range& part) {
      GridPlaces on_grid;
      std::array<std::uint64_t, GridPlaces::capacity> numbers;
      for (std::size_t first = part.begin(); first < part.end(); first += GridPlaces::capacity) {
        const std::size_t count = std::min(GridPlaces::capacity, part.end() - first);
        for (std::size_t i = 0; i < count; ++i) {
          const Vector3d at = ((place(first + i) - box.min()) * scale).cwiseMin(places - 1);
          on_grid.x[i] = static_cast<std::uint32_t>(at.x());
          on_grid.y[i] = static_cast<std::uint32_t>(at.y());
          on_grid.z[i] = static_cast<std::uint32_t>(at.z());
        }
        hilbert_numbers(on_grid, std::span(numbers).first(count));
        for (std::size_t i = 0; i < count; ++i) keys[first + i].number = numbers[i];
      }
    });
    sort_keys(std::span(keys).subspan(begin, end - begin));
  }

  void sort_all(const Box& all) {
    if (can_be_numbered(all)) sort(0, keys.size(), all);
  }

  Paged<BodyKey> keys;

 private:
  const Bodies& bodies_;
};

/// Finds the boundaries of cells.
class Division {
 public:
  Division(Order& order, std::uint32_t leaf_size, const jobs::Progress& progress)
      : order_(order), leaf_size_(leaf_size), progress_(progress) {}

  Paged<Cell> cells() const {
    Paged<Cell> cells;
    add(0, static_cast<std::uint32_t>(order_.keys.size()), cells);
    return cells;
  }

 private:
  static constexpr std::uint32_t worth_a_thread = 1 << 15;

  void add(std::uint32_t begin, std::uint32_t end, Paged<Cell>& cells) const {
    const std::size_t self = cells.size();
    cells.push_back({.begin = begin, .end = end});
    if (const std::uint64_t differing = end - begin > leaf_size_ ? difference(begin, end) : 0;
        differing != 0) {
      cells[self].leaf = false;
      // Children differ in the first three bits that are not common to all: cells with only one child are left out.
      const int shift = (std::bit_width(differing) - 1) / 3 * 3;
      add_parts(bounds(begin, end, shift), cells);
    }
    cells[self].next = static_cast<std::uint32_t>(cells.size());
  }
  /// Bits in which the numbers of a range differ; 0 where all bodies coincide. Bodies so close together, compared
  /// with the whole, that they have the same number are renumbered within their own box.
  std::uint64_t difference(std::uint32_t begin, std::uint32_t end) const {
    const auto differing = [&] { return order_.keys[begin].number ^ order_.keys[end - 1].number; };
    if (differing() == 0) {
      const Box box = order_.box(begin, end);
      if (can_be_numbered(box)) order_.sort(begin, end, box);
    }
    return differing();
  }
  std::vector<std::uint32_t> bounds(std::uint32_t begin, std::uint32_t end, int shift) const {
    std::vector<std::uint32_t> bounds{begin};
    while (bounds.back() < end) {
      const auto first = order_.keys.begin() + bounds.back(), last = order_.keys.begin() + end;
      const std::uint64_t part = first->number >> shift;
      const auto next =
          std::partition_point(first, last, [&](const BodyKey& key) { return key.number >> shift == part; });
      bounds.push_back(static_cast<std::uint32_t>(next - order_.keys.begin()));
    }
    return bounds;
  }
  void add_parts(const std::vector<std::uint32_t>& bounds, Paged<Cell>& cells) const {
    const std::size_t count = bounds.size() - 1;
    if (bounds.back() - bounds.front() < worth_a_thread) {
      for (std::size_t part = 0; part < count; ++part) add(bounds[part], bounds[part + 1], cells);
      return;
    }
    progress_.check();
    std::vector<Paged<Cell>> parts(count);
    handover::parallel_for(Range(0, count, 1), [&](const Range& range) {
      for (std::size_t part = range.begin(); part != range.end(); ++part) {
        add(bounds[part], bounds[part + 1], parts[part]);
      }
    });
    for (auto& part : parts) {
      const auto before = static_cast<std::uint32_t>(cells.size());
      for (Cell& cell : part) cell.next += before;
      cells.insert(cells.end(), part.begin(), part.end());
    }
  }

  Order& order_;
  std::uint32_t leaf_size_;
  jobs::Progress progress_;
};

SortedBodies sorted(const Bodies& bodies, const Order& order, const Extent& extent) {
  SortedBodies result;
  const std::size_t count = bodies.size();
  const double half = extent.box.sizes().maxCoeff() / 2;
  result.length = half > 0 ? std::exp2(std::ceil(std::log2(half))) : 1;
  result.centre = centre_of(extent.box, half > 0 ? result.length : 0);
  if (extent.mass_sum > 0) result.mass_sum = extent.mass_sum;
  result.original.resize(count);
  result.points.resize(count);
  handover::parallel_for(Range(0, count, 1 << 12), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      const Vector3d place = (order.place(i) - result.centre) / result.length;
      const std::uint32_t body = order.keys[i].body;
      result.points[i] << place, bodies.mass[body] / result.mass_sum;
      result.original[i] = body;
    }
  });
  return result;
}

void sum_bodies(const SortedBodies& bodies, Cell& cell) {
  Vector3d weighted(0, 0, 0);
  for (std::uint32_t i = cell.begin; i < cell.end; ++i) {
    const double mass = bodies.mass(i);
    cell.mass += mass;
    weighted += mass * bodies.place(i);
    cell.box.extend(bodies.place(i));
  }
  cell.centre_of_mass = cell.mass > 0 ? Vector3d(weighted / cell.mass) : cell.box.center();
  for (std::uint32_t i = cell.begin; i < cell.end; ++i) {
    const Vector3d from = bodies.place(i) - cell.centre_of_mass;
    cell.radius = std::max(cell.radius, from.norm());
  }
}

/// Requires the sums of the children.
void sum_parts(Paged<Cell>& cells, std::uint32_t number) {
  Cell& cell = cells[number];
  const auto for_each_part = [&](const auto& act) {
    for (std::uint32_t part = number + 1; part < cell.next; part = cells[part].next) act(cells[part]);
  };
  Vector3d weighted(0, 0, 0);
  for_each_part([&](const Cell& part) {
    cell.mass += part.mass;
    weighted += part.mass * part.centre_of_mass;
    cell.box.extend(part.box);
  });
  cell.centre_of_mass = cell.mass > 0 ? Vector3d(weighted / cell.mass) : cell.box.center();
  for_each_part([&](const Cell& part) {
    const Vector3d from = part.centre_of_mass - cell.centre_of_mass;
    cell.radius = std::max(cell.radius, from.norm() + part.radius);
  });
  const Vector3d corner =
      (cell.centre_of_mass - cell.box.min()).cwiseMax(cell.box.max() - cell.centre_of_mass);
  cell.radius = std::min(cell.radius, corner.norm());
}

}  // namespace

Eigen::Vector3d centre_of(const Eigen::AlignedBox3d& box, double length) {
  Vector3d centre = box.center();
  if (length == 0) return centre;  // all bodies coincide
  for (double& value : centre) value = std::abs(value) <= length ? 0 : std::round(value / length) * length;
  return centre;
}

Extent extent_of(const Bodies& bodies) {
  Extent extent;
  extent.box = box_around(0, bodies.size(), [&](std::size_t i) { return place_of_body(bodies, i); });
  for (const double mass : bodies.mass) extent.mass_sum += mass;
  return extent;
}

SortedBodies sort_bodies(const Bodies& bodies) {
  const Extent extent = extent_of(bodies);
  Order order(bodies);
  order.sort_all(extent.box);
  return sorted(bodies, order, extent);
}

SortedBodies in_given_order(const Bodies& bodies) {
  return sorted(bodies, Order(bodies), extent_of(bodies));
}

Octree build_octree(const Bodies& bodies, std::uint32_t leaf_size, ForceSeconds& seconds,
                    const jobs::Progress& progress) {
  return build_octree(bodies, extent_of(bodies), leaf_size, seconds, progress);
}

Octree build_octree(const Bodies& bodies, const Extent& extent, std::uint32_t leaf_size,
                    ForceSeconds& seconds, const jobs::Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  Order order(bodies);
  order.sort_all(extent.box);
  progress.check();
  seconds.sort += seconds_since(start);
  const auto sorted_at = std::chrono::steady_clock::now();
  Octree tree;
  tree.cells = Division(order, leaf_size, progress).cells();
  tree.bodies = sorted(bodies, order, extent);
  handover::parallel_for(Range(0, tree.cells.size(), 1 << 8), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      if (tree.cells[i].leaf) sum_bodies(tree.bodies, tree.cells[i]);
    }
  });
  for (std::size_t i = tree.cells.size(); i-- > 0;) {
    if (!tree.cells[i].leaf) sum_parts(tree.cells, static_cast<std::uint32_t>(i));
  }
  seconds.tree += seconds_since(sorted_at);
  return tree;
}

}  // namespace isolume::nbody
