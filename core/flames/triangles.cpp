#include "core/flames/triangles.h"

#include <cmath>

namespace isolume::flames {
namespace {

bool contains(const Triangle& t, PlanePoint p) {
  const auto side = [&](const PlanePoint& a, const PlanePoint& b) {
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
  };
  const double first = side(t[0], t[1]), second = side(t[1], t[2]), third = side(t[2], t[0]);
  return (first >= 0 && second >= 0 && third >= 0) || (first <= 0 && second <= 0 && third <= 0);
}

}  // namespace

Triangle triangle_of(const Affine& m) {
  return {{{m.c, m.f}, {m.c + m.a, m.f + m.d}, {m.c + m.b, m.f + m.e}}};
}

std::optional<Grip> grip_at(const Flame& flame, int chosen, PlanePoint place, double reach) {
  std::optional<Grip> found;
  double nearest = reach;
  const int count = static_cast<int>(flame.functions.size());
  for (int number = 1; number <= count; ++number) {
    const Triangle triangle = triangle_of(flame.functions[static_cast<std::size_t>(number - 1)].affine);
    for (int corner = 0; corner < 3; ++corner) {
      const PlanePoint& at = triangle[static_cast<std::size_t>(corner)];
      const double distance = std::hypot(at.x - place.x, at.y - place.y);
      // Where corners of several triangles meet, the chosen one has its own.
      if (distance < nearest || (distance <= nearest && number == chosen)) {
        nearest = distance;
        found = Grip{number, corner};
      }
    }
  }
  if (found) return found;
  const auto holds = [&](int number) {
    return contains(triangle_of(flame.functions[static_cast<std::size_t>(number - 1)].affine), place);
  };
  if (chosen >= 1 && chosen <= count && holds(chosen)) return Grip{chosen, inside_of_triangle};
  for (int number = 1; number <= count; ++number) {
    if (holds(number)) return Grip{number, inside_of_triangle};
  }
  return std::nullopt;
}

Affine dragged(const Affine& before, int corner, PlanePoint from, PlanePoint to) {
  Affine after = before;
  switch (corner) {
    case 0:
      after.c = to.x;
      after.f = to.y;
      break;
    case 1:
      after.a = to.x - before.c;
      after.d = to.y - before.f;
      break;
    case 2:
      after.b = to.x - before.c;
      after.e = to.y - before.f;
      break;
    default:
      after.c += to.x - from.x;
      after.f += to.y - from.y;
  }
  return after;
}

View panned(const View& view, PlanePoint from, PlanePoint to) {
  View result = view;
  result.x += from.x - to.x;
  result.y += from.y - to.y;
  return result;
}

View zoomed(const View& view, double factor, PlanePoint about) {
  View result = view;
  result.scale *= factor;
  result.x = about.x + (view.x - about.x) / factor;
  result.y = about.y + (view.y - about.y) / factor;
  return result;
}

PlanePoint image(const Affine& m, PlanePoint p) {
  return {m.a * p.x + m.b * p.y + m.c, m.d * p.x + m.e * p.y + m.f};
}

PlanePoint inverse(const Affine& m, PlanePoint p) {
  const double determinant = m.a * m.e - m.b * m.d, x = p.x - m.c, y = p.y - m.f;
  return {(m.e * x - m.b * y) / determinant, (m.a * y - m.d * x) / determinant};
}

}  // namespace isolume::flames
