#include "core/contours/polygon.h"

#include <algorithm>

#include <Eigen/Geometry>

namespace isolume::contours {
namespace {

using Box = Eigen::AlignedBox2d;
using Place = Eigen::Vector2d;

Box box_of(const Polyline& outline) {
  Box box;
  for (const auto& point : outline) box.extend(point);
  return box;
}

/// Sign tells on which side of the line from a to b the point c lies; 0 on it.
int side(const Place& a, const Place& b, const Place& c) {
  const double area = (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
  return (area > 0) - (area < 0);
}

bool meet(const Place& a, const Place& b, const Place& c, const Place& d) {
  const Box first = Box(a).extend(b), second = Box(c).extend(d);
  return first.intersects(second) && side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0;
}

}  // namespace

bool contains(const Polyline& outline, const Place& place) {
  bool inside = false;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const auto &a = outline[i], &b = outline[(i + 1) % outline.size()];
    if ((a.y() > place.y()) == (b.y() > place.y())) continue;
    const double x = a.x() + (place.y() - a.y()) / (b.y() - a.y()) * (b.x() - a.x());
    if (place.x() < x) inside = !inside;
  }
  return inside;
}

bool touch(const Polyline& one, const Polyline& other) {
  const Box common = box_of(one).intersection(box_of(other));
  if (common.isEmpty()) return false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const auto &a = one[i], &b = one[(i + 1) % one.size()];
    if (!common.intersects(Box(a).extend(b))) continue;
    for (std::size_t k = 0; k < other.size(); ++k) {
      if (meet(a, b, other[k], other[(k + 1) % other.size()])) return true;
    }
  }
  return false;
}

}  // namespace isolume::contours
