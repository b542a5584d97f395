#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Geometry>

#include "core/anatomy/labels.h"
#include "core/jobs/progress.h"

namespace isolume::anatomy {

/// Triangles, counter-clockwise seen from outside; lengths in mm.
struct Surface {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;

  bool empty() const { return triangles.empty(); }
  bool operator==(const Surface&) const = default;
};

/// The surface of a label in mm along the patient's axes (LPS), by marching cubes between its voxels and those around them,
/// weighted (1 6 1) / 8 along each axis, which keeps flat faces where they are. Closed at the border of the image. Empty
/// where the map lacks the label, or has no more of it than single voxels. Throws Error for a single slice; Cancelled.
Surface surface_of(const Labels& labels, std::int64_t label, const jobs::Progress& progress = {});

/// The surface with all points in a cube of this edge, in mm, whose normals are about the same, joined at their mean, and without
/// triangles that vanish by it.
/// Its current is that of the surface for kernels that are much wider than the edge.
Surface simplified(const Surface& surface, double edge);

/// Distances in mm between two surfaces: from each point of either to the nearest point of the other's triangles.
struct MeshDistances {
  double mean = 0;      ///< of all points of both, by the area of the triangles about them
  double greatest = 0;  ///< of all points of both
};
/// Throws Error if one of them is empty; Cancelled.
MeshDistances mesh_distances(const Surface& a, const Surface& b, const jobs::Progress& progress = {});

}  // namespace isolume::anatomy
