#pragma once

#include <cstddef>
#include <vector>

#include "core/neurons/patch.h"
#include "core/parameters/schema.h"

namespace isolume::neurons {

/// Whether membranes have smaller or larger values than the inside.
enum class Membrane { dark, bright };

/// How an active ribbon is drawn to a membrane; lengths in pixels.
struct RibbonParameters {
  Membrane membrane = Membrane::dark;
  double denoise = 1;          ///< standard deviation of a Gaussian within slices
  double least_width = 1.5;    ///< of the membrane
  double most_width = 6;       ///< of the membrane
  double image = 1;            ///< weight of values (alpha of the source)
  double ribbon = 1;           ///< weight of the width (beta)
  double smoothness = 0.3;     ///< weight of the curvature (gamma)
  double continuity = 0.1;     ///< weight of the slice before, for each pixel of distance (delta)
  double largest_radius = 60;  ///< that is searched around a mark
  double reach = 10;           ///< largest move from a slice to the next
  bool operator==(const RibbonParameters&) const = default;
};
const parameters::Schema<RibbonParameters>& ribbon_schema();

/// Mean values inside a membrane and of the membrane.
struct Levels {
  double inside = 0, membrane = 0;
};

/// Two fronts around a cell: the inner and the outer border of its membrane. Both are distances to the front in pixels,
/// negative inside, cut off at `reach`.
struct Ribbon {
  Patch inner, outer;
  float reach = 0;
};
/// The distance at which fronts are cut off.
float front_reach(const RibbonParameters& parameters);

/// Makes each of the fronts the distance to its zero again, cut off at the reach. Distances near the front are exact to
/// first order.
void make_distance(Patch& front, float reach);

/// Moves both fronts until they rest, 100 steps at most, and returns the number of steps. Each moves along its normal
/// by
///   image * (2 (I - (c1 + c2) / 2) / (c1 - c2), at most 1 in size) (with the opposite sign, the outer one)
///   + ribbon * (how far the other front is closer than the least or farther than the most width)
///   + smoothness * curvature - continuity * (distance to `before`),
/// after W.-K. Jeong et al., IEEE Trans. Vis. Comput. Graph. 15, 1505 (2009). Speeds are upwind, curvature central,
/// steps explicit. No step changes the topology: a pixel changes its side only where it is simple (4 neighbours inside,
/// 8 outside). `before`: inner front of the slice before at its predicted position, null: none. All patches have the
/// same rectangle.
int settle(Ribbon& ribbon, const Patch& image, const Levels& levels, const RibbonParameters& parameters,
           const Patch* before);

/// Pixels within a front; those that it crosses count in part.
double area_of(const Patch& front);

}  // namespace isolume::neurons
