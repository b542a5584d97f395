#include "gpu/orbitals/make_reach.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace isolume::gpu {
namespace {

Chunk box_around(std::span<const TermReach> terms) {
  Chunk box{terms[0].x, terms[0].y, terms[0].z, terms[0].radius_squared,
            terms[0].x, terms[0].y, terms[0].z, 0};
  for (const auto& term : terms) {
    box.low_x = std::min(box.low_x, term.x);
    box.low_y = std::min(box.low_y, term.y);
    box.low_z = std::min(box.low_z, term.z);
    box.high_x = std::max(box.high_x, term.x);
    box.high_y = std::max(box.high_y, term.y);
    box.high_z = std::max(box.high_z, term.z);
    box.radius_squared = std::max(box.radius_squared, term.radius_squared);
  }
  return box;
}

/// Steps between a position and a box's points along one axis.
double gap_to_box(const GridAxis& axis, int box, int size, double place_in_steps) {
  const double low = box * size;
  const double high = std::min((box + 1) * size, axis.count) - 1;
  return std::max({low - place_in_steps, place_in_steps - high, 0.0});
}

}  // namespace

Eigen::Vector3d in_steps(const GridAxes& axes, const Eigen::Vector3d& place_bohr) {
  Eigen::Vector3d steps;
  for (int axis = 0; axis < 3; ++axis) steps[axis] = (place_bohr[axis] - axes[axis].origin) / axes[axis].step;
  return steps;
}

double rounding_in_steps(const GridAxis& axis, double place_in_steps, double radius) {
  return 1e-6 * (std::abs(place_in_steps) + axis.count + radius / axis.step);
}

double enlarged_radius(const GridAxes& axes, const Eigen::Vector3d& place_in_steps, double radius) {
  double off = 0;
  for (int axis = 0; axis < 3; ++axis)
    off += axes[axis].step * rounding_in_steps(axes[axis], place_in_steps[axis], radius);
  return radius + off;
}

TermReach reach_of(const GridAxes& axes, const Eigen::Vector3d& place_in_steps, double radius) {
  const double reach = enlarged_radius(axes, place_in_steps, radius);
  const Eigen::Vector3f place = place_in_steps.cast<float>();
  return {place.x(), place.y(), place.z(), static_cast<float>(reach * reach)};
}

std::vector<Chunk> chunks_of(const std::vector<TermReach>& terms) {
  std::vector<Chunk> chunks;
  for (std::size_t first = 0; first < terms.size(); first += chunk_terms) {
    chunks.push_back(box_around(std::span(terms).subspan(first, chunk_terms)));
  }
  return chunks;
}

double boxes_in_layer(const GridAxes& axes, const std::array<int, 3>& size, const TermReach& reach,
                      int layer) {
  const auto boxes = [&](std::size_t axis) { return (axes[axis].count + size[axis] - 1) / size[axis]; };
  const double dz = axes[2].step * gap_to_box(axes[2], layer, size[2], reach.z);
  const double disc = reach.radius_squared - dz * dz;
  if (disc <= 0 || boxes(1) <= 0) return 0;
  const double half_y = std::sqrt(disc) / axes[1].step + 1;
  const auto box_y = [&](double y) { return static_cast<int>(std::clamp(y / size[1], 0.0, boxes(1) - 1.0)); };
  double sum = 0;
  for (int y = box_y(reach.y - half_y); y <= box_y(reach.y + half_y); ++y) {
    const double dy = axes[1].step * gap_to_box(axes[1], y, size[1], reach.y);
    const double left = disc - dy * dy;
    if (left <= 0) continue;
    const double half = std::sqrt(left) / axes[0].step;
    if (reach.x - half > axes[0].count - 1) continue;
    const double first = std::max(0.0, std::ceil((reach.x - half - (size[0] - 1)) / size[0]));
    const double last = std::min(boxes(0) - 1.0, std::floor((reach.x + half) / size[0]));
    sum += std::max(0.0, last - first + 1);
  }
  return sum;
}

}  // namespace isolume::gpu
