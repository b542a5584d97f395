#include "core/nbody/forces/target_group.h"

#include <algorithm>

namespace isolume::nbody {

namespace {

/// Divides a group at its widest gap as long as that is more than half as wide as the group.
void divide(const SortedBodies& bodies, std::size_t first, std::size_t end,
            std::vector<std::size_t>& bounds) {
  const TargetGroup group(bodies, first, end);
  double widest = 0;
  std::size_t after = first;
  for (std::size_t i = first + 1; i < end; ++i) {
    const double step = (bodies.place(i) - bodies.place(i - 1)).squaredNorm();
    if (step <= widest) continue;
    widest = step;
    after = i;
  }
  if (4 * widest > group.box.sizes().squaredNorm() && end - first > 2) {
    divide(bodies, first, after, bounds);
    divide(bodies, after, end, bounds);
  } else {
    bounds.push_back(end);
  }
}

}  // namespace

std::vector<std::size_t> group_bounds(const SortedBodies& bodies, std::size_t first, std::size_t end,
                                      std::size_t most) {
  std::vector<std::size_t> bounds{first};
  for (; first < end; first += most) divide(bodies, first, std::min(first + most, end), bounds);
  return bounds;
}

SortedPart part_of(const SortedBodies& all, std::span<const std::uint32_t> numbers) {
  SortedPart part;
  part.bodies.centre = all.centre;
  part.bodies.length = all.length;
  part.bodies.mass_sum = all.mass_sum;
  part.before.resize(all.size() + 1);
  std::vector<std::uint8_t> wanted(all.size());
  for (const std::uint32_t number : numbers) wanted[number] = 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    part.before[i] = static_cast<std::uint32_t>(part.bodies.size());
    if (wanted[all.original[i]] == 0) continue;
    part.bodies.original.push_back(all.original[i]);
    part.bodies.points.push_back(all.points[i]);
  }
  part.before[all.size()] = static_cast<std::uint32_t>(part.bodies.size());
  return part;
}

TargetGroup::TargetGroup(const SortedBodies& bodies, std::size_t first_body, std::size_t end)
    : first(first_body) {
  for (std::size_t i = first; i < end; ++i) box.extend(bodies.place(i));
  place = box.center();
}

Targets targets_of(const SortedBodies& bodies, const TargetGroup& group, std::size_t first, std::size_t end) {
  Targets targets;
  for (std::size_t i = first; i < end; ++i, ++targets.count) {
    const Eigen::Vector3f from = group.from_place(bodies.place(i));
    targets.x[targets.count] = from.x();
    targets.y[targets.count] = from.y();
    targets.z[targets.count] = from.z();
  }
  return targets;
}

void store(const Targets& targets, const SortedBodies& bodies, std::size_t first, Forces& forces) {
  const double potential_unit = bodies.mass_sum / bodies.length;
  const double unit = potential_unit / bodies.length;
  for (int i = 0; i < targets.count; ++i) {
    const std::size_t body = bodies.original[first + static_cast<std::size_t>(i)];
    forces.ax[body] = unit * targets.ax[i];
    forces.ay[body] = unit * targets.ay[i];
    forces.az[body] = unit * targets.az[i];
    forces.potential[body] = potential_unit * targets.potential[i];
  }
}

}  // namespace isolume::nbody
