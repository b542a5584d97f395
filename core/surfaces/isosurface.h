#pragma once

#include <cstdint>
#include <vector>

#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

namespace isolume::surfaces {

/// Triangles in the form in which they are drawn.
struct Mesh {
  std::vector<float> points;             ///< three coordinates each, in the unit that scenes show
  std::vector<float> normals;            ///< unit vectors, one per point
  std::vector<std::uint32_t> triangles;  ///< three points each

  std::size_t point_count() const { return points.size() / 3; }
  std::size_t triangle_count() const { return triangles.size() / 3; }
};

/// The surface field = isovalue by marching cubes (Lorensen and Cline 1987, with the cases of case_table.h:
/// closed inside the box), on the CPU. There is one point on each grid edge that the surface crosses.
/// Normals come from the field's gradient and point to smaller magnitude; triangles are counter-clockwise
/// seen from there. Cells with a value that is not finite are left out. The result is empty for a grid of
/// fewer than two points along an axis, and the same on any number of threads. Throws Cancelled, and
/// ResourceError beyond 2^32 - 1 points.
Mesh isosurface(const grid::ScalarField& field, double isovalue, const jobs::Progress& progress = {});

}  // namespace isolume::surfaces
