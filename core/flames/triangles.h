#pragma once

#include <array>
#include <optional>

#include "core/flames/flame.h"

namespace isolume::flames {

struct PlanePoint {
  double x = 0, y = 0;
};

/// An affine map as the triangle that it makes of (0, 0), (1, 0), (0, 1): its translation, and the ends of its columns.
using Triangle = std::array<PlanePoint, 3>;
Triangle triangle_of(const Affine& affine);

/// What a hand holds of a triangle: a corner by its number, or all of it.
struct Grip {
  int function = 1;  ///< from 1
  int corner = 0;    ///< 3: the inside
};
inline constexpr int inside_of_triangle = 3;

/// The corner within `reach` (in the plane) of the place, the nearest first; otherwise the chosen triangle, then the
/// first other one that the place is in. Nothing elsewhere.
std::optional<Grip> grip_at(const Flame& flame, int chosen, PlanePoint place, double reach);
/// The map after its grip was moved: the corner to `to`, where corner 0 moves all; the inside by `to` - `from`.
Affine dragged(const Affine& before, int corner, PlanePoint from, PlanePoint to);

/// The view around another centre, so that `from` is shown where `to` was.
View panned(const View& view, PlanePoint from, PlanePoint to);
/// The view at `factor` times the scale, where the point `about` stays.
View zoomed(const View& view, double factor, PlanePoint about);

/// The point through the inverse of an affine map that has one.
PlanePoint inverse(const Affine& affine, PlanePoint place);
PlanePoint image(const Affine& affine, PlanePoint place);

}  // namespace isolume::flames
