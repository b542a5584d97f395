#include "core/contours/polygon.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "core/contours/outlines.h"

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

namespace {

struct Side {
  std::size_t number;  ///< from this point of the outline to the next one
  Place low, high;

  double x_at(double y) const {
    return low.x() + (y - low.y()) / (high.y() - low.y()) * (high.x() - low.x());
  }
};

/// By their lower ends, relative to the first point, so that small shapes far from the origin keep their digits.
std::vector<Side> sides_of(const Polyline& outline) {
  std::vector<Side> sides;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    Side each{i, outline[i] - outline.front(), outline[(i + 1) % outline.size()] - outline.front()};
    if (each.low.y() > each.high.y()) std::swap(each.low, each.high);
    sides.push_back(each);
  }
  std::ranges::sort(sides, {}, [](const Side& each) { return each.low.y(); });
  return sides;
}

struct Meetings {
  std::size_t count = 0;
  std::vector<double> heights;  ///< of those that are not ends of sides
};
constexpr std::size_t most_meetings = 1'000'000;

void add_meeting(const Side& one, const Side& other, Meetings& meetings) {
  if (!meet(one.low, one.high, other.low, other.high)) return;
  ++meetings.count;
  const Place along = one.high - one.low, across = other.high - other.low, apart = other.low - one.low;
  const double sine = along.x() * across.y() - along.y() * across.x();
  const double part = (apart.x() * across.y() - apart.y() * across.x()) / sine;
  if (part > 0 && part < 1) meetings.heights.push_back(one.low.y() + part * along.y());
}

/// Of sides that are not neighbours. Each side is compared with those that begin below its lower end and end above it.
Meetings meetings_of(const std::vector<Side>& sides) {
  Meetings meetings;
  std::vector<const Side*> open;
  for (const Side& side : sides) {
    std::erase_if(open, [&](const Side* other) { return other->high.y() < side.low.y(); });
    for (const Side* other : open) {
      const std::size_t apart = std::max(side.number, other->number) - std::min(side.number, other->number);
      if (apart > 1 && apart + 1 < sides.size()) add_meeting(side, *other, meetings);
      if (meetings.count > most_meetings) return meetings;
    }
    open.push_back(&side);
  }
  return meetings;
}

/// The strip between two sides that do not cross between these heights, by Simpson's rule, which is exact here.
void add_strip(const Side& left, const Side& right, double low, double high, Enclosed& sum) {
  const double middle = (low + high) / 2, step = (high - low) / 6;
  for (const auto& [y, weight] : {std::pair{low, step}, {middle, 4 * step}, {high, step}}) {
    const double from = left.x_at(y), to = right.x_at(y);
    sum.area += weight * (to - from);
    sum.moment += weight * Place((to * to - from * from) / 2, y * (to - from));
  }
}

}  // namespace

std::optional<Enclosed> enclosed_by_crossing(const Polyline& outline) {
  const std::vector<Side> sides = sides_of(outline);
  Meetings meetings = meetings_of(sides);
  if (meetings.count == 0) return std::nullopt;
  Enclosed sum;
  if (meetings.count > most_meetings) {
    sum.area = std::numeric_limits<double>::quiet_NaN();
    return sum;
  }
  // Between these heights no side begins, ends or meets another one: every second gap between sides is inside.
  std::vector<double>& heights = meetings.heights;
  for (const auto& point : outline) heights.push_back(point.y() - outline.front().y());
  std::ranges::sort(heights);
  std::vector<const Side*> open;
  std::size_t next = 0;
  for (std::size_t i = 0; i + 1 < heights.size(); ++i) {
    const double low = heights[i], high = heights[i + 1];
    if (low == high) continue;
    std::erase_if(open, [&](const Side* side) { return side->high.y() <= low; });
    for (; next < sides.size() && sides[next].low.y() <= low; ++next) {
      if (sides[next].high.y() > low) open.push_back(&sides[next]);
    }
    std::ranges::sort(open, {}, [&](const Side* side) { return side->x_at((low + high) / 2); });
    for (std::size_t k = 0; k + 1 < open.size(); k += 2) add_strip(*open[k], *open[k + 1], low, high, sum);
  }
  return sum;
}

bool crosses_itself(const Polyline& outline) {
  const auto enclosed = enclosed_by_crossing(outline);
  if (!enclosed) return false;
  constexpr double rounding_px2 = 1e-9;
  const double apart = std::abs(enclosed->area - std::abs(signed_area_px2(outline)));
  return !(apart <= 1e-3 * enclosed->area + rounding_px2);  // NaN: crosses itself very often
}

}  // namespace isolume::contours
