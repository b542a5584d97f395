#pragma once

#include <span>
#include <vector>

#include "core/volumes/counts.h"

namespace isolume::volumes {

/// The volume with other numbers of points over the same box: point i of n lies at (i + 0.5) / n of it. Along axes that
/// lose points, a Gaussian removes what the new points cannot show.
FieldValues resized(std::span<const float> volume, const Counts& counts, const Counts& to);
/// The displacement at other numbers of points over the same box, in voxels of the new grid.
VectorField resized(const VectorField& field, const Counts& to);

/// Numbers of points of a pyramid, coarsest first and `finest` last: each half of the next, but at least `least` along an axis
/// that had more.
std::vector<Counts> pyramid(const Counts& finest, int levels, int least = 16);

}  // namespace isolume::volumes
