#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "core/electrostatics/lattice_planes.h"
#include "core/electrostatics/sources.h"
#include "core/electrostatics/stencil_weights.h"
#include "core/jobs/progress.h"
#include "core/lattice/lattice.h"

namespace isolume::electrostatics {

/// Points along one axis, in angstrom; periodic ones go on behind the last with the first.
struct MeshAxis {
  double origin = 0, spacing = 1;
  int points = 0;
  bool periodic = false;
};

/// How much each of some points in a row has of a place between them.
enum class MeshBasis {
  lagrange,  ///< the polynomial through all of them
  spline,    ///< cardinal B-splines
};

/// Points over which charges are spread, and between which a potential is interpolated by the same weights. Values are
/// [z][y][x] with x fastest.
class StencilMesh {
 public:
  /// `order`: how many points along an axis, even, most_stencil_points at most. Places must be so far inside of axes that
  /// are not periodic.
  StencilMesh(const std::array<MeshAxis, 3>& axes, MeshBasis basis, int order)
      : axes_(axes), basis_(basis), order_(order) {}

  const std::array<MeshAxis, 3>& axes() const { return axes_; }
  MeshBasis basis() const { return basis_; }
  int order() const { return order_; }
  int points(int axis) const { return axes_[static_cast<std::size_t>(axis)].points; }
  std::size_t size() const { return static_cast<std::size_t>(points(0)) * points(1) * points(2); }

  /// On the threads of TBB's arena, with the same result on any number of them. Throws Cancelled.
  std::vector<double> spread(const Sources& sources, const jobs::Progress& progress) const;

  double interpolate(const std::vector<double>& values, const Eigen::Vector3d& place) const;
  /// Adds `scale` times what is interpolated at each point of some planes of a lattice along x, y and z. As `spread`.
  void add_interpolated(const std::vector<double>& values, const lattice::Lattice& lattice,
                        const LatticePlanes& planes, double scale, float* to,
                        const jobs::Progress& progress) const;

  /// Of which points in a row a place between them is made, and by which weights.
  struct Stencil {
    int first = 0;  ///< may lie outside of a periodic axis
    StencilWeights weights{};
  };
  Stencil stencil(int axis, double place) const;
  /// A place that is `after`, below 1, behind the point in the middle of the stencil.
  static StencilWeights weights(MeshBasis basis, int order, double after);

 private:
  /// The first point of a stencil, and how far behind the point in its middle a place is.
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
