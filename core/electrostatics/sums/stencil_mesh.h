#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "core/electrostatics/sums/grid_planes.h"
#include "core/electrostatics/sums/sources.h"
#include "core/electrostatics/sums/stencil_weights.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// Points along one axis, in angstrom; periodic axes wrap around.
struct MeshAxis {
  double origin = 0, spacing = 1;
  int points = 0;
  bool periodic = false;
};

/// Basis functions of the interpolation.
enum class MeshBasis {
  lagrange,  ///< the polynomial through all points
  spline,    ///< cardinal B-splines
};

/// A mesh over which charges are spread, and from which a potential is interpolated with the same weights. Values are
/// [z][y][x] with x fastest.
class StencilMesh {
 public:
  /// `order`: number of points along an axis, even, at most most_stencil_points. Positions must be far enough inside
  /// of non-periodic axes.
  StencilMesh(const std::array<MeshAxis, 3>& axes, MeshBasis basis, int order)
      : axes_(axes), basis_(basis), order_(order) {}

  const std::array<MeshAxis, 3>& axes() const { return axes_; }
  MeshBasis basis() const { return basis_; }
  int order() const { return order_; }
  int points(int axis) const { return axes_[static_cast<std::size_t>(axis)].points; }
  std::size_t size() const { return static_cast<std::size_t>(points(0)) * points(1) * points(2); }

  /// Runs on the threads of TBB's arena; the result does not depend on their number. Throws Cancelled.
  std::vector<double> spread(const Sources& sources, const jobs::Progress& progress) const;

  double interpolate(const std::vector<double>& values, const Eigen::Vector3d& place) const;
  /// Adds `scale` times the interpolated values at each point of some planes of a grid along x, y and z. As
  /// `spread`.
  void add_interpolated(const std::vector<double>& values, const grid::Grid& grid, const GridPlanes& planes,
                        double scale, float* to, const jobs::Progress& progress) const;

  /// The points along an axis from which a position is interpolated, and their weights.
  struct Stencil {
    int first = 0;  ///< may lie outside of a periodic axis
    StencilWeights weights{};
  };
  Stencil stencil(int axis, double place) const;
  /// Weights of a position at a distance `after`, below 1, after the middle point of the stencil.
  static StencilWeights weights(MeshBasis basis, int order, double after);

 private:
  /// The first point of a stencil, and the distance of a position after its middle point.
  std::pair<int, double> first_and_after(int axis, double place) const;
  int wrapped(int axis, int point) const {
    const int n = points(axis);
    return point < 0 ? point + n : point >= n ? point - n : point;
  }

  std::array<MeshAxis, 3> axes_;
  MeshBasis basis_;
  int order_;
};

}  // namespace isolume::electrostatics
