#include "core/nbody/forces/essential_tree.h"

#include <algorithm>
#include <numeric>

namespace isolume::nbody {

namespace {

using Eigen::Vector3d;

class Selection {
 public:
  Selection(const Octree& tree, const Paged<Stop>& stops, std::span<const GroupOutline> groups,
            double distance, double allowed)
      : tree_(tree), stops_(stops), distance_(distance) {
    for (const GroupOutline& group : groups) {
      const Eigen::AlignedBox3d box(Vector3d(group.low.data()), Vector3d(group.high.data()));
      places_.push_back(place_of(box, group.factor, allowed, group.reach));
    }
  }

  EssentialTree tree() {
    Places all(places_.size());
    std::iota(all.begin(), all.end(), 0u);
    if (all.empty()) return {};
    found_.cells.resize(1);
    add(0, 0, all);
    return std::move(found_);
  }

 private:
  using Places = std::vector<std::uint32_t>;

  bool acts_as_a_whole(const Stop& stop, const Place& on) const {
    return acts_on_place_as_a_whole(stop, on, distance_) ||
           (acts_on_bodies_as_a_whole(stop, on) && !is_for_parts_of(on, stop));
  }

  /// `places`: groups that need this cell's parent to be opened.
  void add(std::uint32_t number, std::size_t to, const Places& places) {
    const Stop& stop = stops_[number];
    Places remaining;
    std::ranges::copy_if(places, std::back_inserter(remaining),
                         [&](std::uint32_t place) { return !acts_as_a_whole(stop, places_[place]); });
    EssentialCell& cell = found_.cells[to];
    const Vector3d& at = stop.centre_of_mass;
    cell = {{at.x(), at.y(), at.z()}, stop.radius, stop.opening, stop.mass, stop.spread, 0, 0, 0, 0,
            stop.moments.values};
    const bool is_whole = remaining.empty();
    // Summing a few bodies directly costs no more than a cell; coincident bodies act as one.
    if (stop.radius > 0 && (is_whole ? stop.count() <= 2 : stop.parts == 0)) add_points(stop, cell);
    if (is_whole || stop.parts == 0) return;
    const auto first = static_cast<std::uint32_t>(found_.cells.size());
    cell.first = first;
    cell.parts = stop.parts;
    found_.cells.resize(first + stop.parts);
    for (std::uint32_t part = 0; part < stop.parts; ++part) add(stop.first + part, first + part, remaining);
  }

  void add_points(const Stop& stop, EssentialCell& cell) {
    cell.begin = static_cast<std::uint32_t>(found_.points.size());
    for (std::uint32_t i = stop.begin; i < stop.end; ++i) {
      const Eigen::Vector4d& point = tree_.bodies.points[i];
      found_.points.push_back({point.x(), point.y(), point.z(), point.w()});
    }
    cell.end = static_cast<std::uint32_t>(found_.points.size());
  }

  const Octree& tree_;
  const Paged<Stop>& stops_;
  double distance_;
  std::vector<Place> places_;
  EssentialTree found_;
};

}  // namespace

EssentialTree essential_tree(const Octree& tree, const Paged<Stop>& stops,
                             std::span<const GroupOutline> groups, double distance, double allowed) {
  return Selection(tree, stops, groups, distance, allowed).tree();
}

std::uint32_t append(const EssentialTree& tree, std::uint32_t points_before, Paged<Stop>& stops) {
  const auto before = static_cast<std::uint32_t>(stops.size());
  for (const EssentialCell& cell : tree.cells) {
    Stop& stop = stops.emplace_back();
    stop.centre_of_mass = Vector3d(cell.centre_of_mass.data());
    stop.radius = cell.radius;
    stop.opening = cell.opening;
    stop.mass = cell.mass;
    stop.spread = cell.spread;
    stop.first = before + cell.first;
    stop.parts = cell.parts;
    stop.begin = points_before + cell.begin;
    stop.end = points_before + cell.end;
    stop.moments.values = cell.moments;
  }
  return before;
}

}  // namespace isolume::nbody
