#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "core/jobs/progress.h"

namespace isolume::surfaces {

struct TriangleMesh {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// Twice the radius of the inscribed circle divided by that of the circumscribed one: 1 of an equilateral triangle, 0 of
/// one without area.
double radius_ratio(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c);

struct MeshQuality {
  double least = 0, mean = 0;  ///< radius ratios
};
/// Zeros without triangles.
MeshQuality quality_of(const TriangleMesh& mesh);

struct MeshImprovement {
  MeshQuality before, after;
  double largest_move = 0;  ///< of a point, in the unit of the mesh
  std::size_t locked =
      0;  ///< points that have not been tried: at borders, at edges of several sheets, at folds
};
/// Moves the points of a mesh so that the least radius ratio of the triangles around each one rises, by the search of J.
/// Nelder and R. Mead (Comput. J. 7, 308 (1965)) in its tangent plane: no derivatives, which the least ratio lacks. A point
/// stays on the curved triangles around it (after T. Boubekeur, M. Alexa, ACM Trans. Graph. 27, 141 (2008), with the weight
/// 1/2), within half the distance to its nearest neighbour in each of `sweeps` passes, and within `most_move` of where it
/// began. Points of one colour (first fit), which have no edges in common, move at the same
/// time, so that no pass lowers the least ratio, and any number of threads gives the same bits. Throws Cancelled.
MeshImprovement improve(TriangleMesh& mesh, int sweeps, double most_move,
                        const jobs::Progress& progress = {});

}  // namespace isolume::surfaces
