#pragma once

#include <span>

#include <Eigen/Core>

#include "core/multipoles/harmonics.h"
#include "core/multipoles/point_tree.h"

namespace isolume::multipoles {

/// Scratch memory of the functions below; one object for each thread.
class Workspace {
 public:
  explicit Workspace(const Harmonics& harmonics);
  template <class Real>
  Real* data() {
    return reinterpret_cast<Real*>(values_.data());
  }

 private:
  Paged<double> values_;
};

/// An expansion that is translated and added.
template <class Real>
struct Expansion {
  const Real* values;
  Eigen::Vector3d to;  ///< from its centre to the new one
  double unit;
};
/// Destination of a translated expansion.
struct ExpansionPlace {
  double* values;
  Eigen::Vector3d from;  ///< to its centre, from that of the source
  double unit;
};
/// A number of consecutive points of a tree, starting at `begin`.
struct PointSpan {
  const PointTree& tree;
  std::uint32_t begin, count;
};
/// Sums for consecutive points.
struct FieldSums {
  double *potential, *x, *y, *z;  ///< the last three: of the potential's gradient
};

/// The translations of the fast multipole method, in the form of Harmonics. All lengths are in the same unit,
/// except that `unit` is that of the result.
/// P2M: writes the moments of charges about a centre.
void moments_of_points(const Harmonics& harmonics, const PointSpan& points, const Eigen::Vector3d& centre,
                       double unit, double* moments, Workspace& workspace);
/// M2M: writes the sum of moments about another centre. At most 8 at once.
void sum_moments(const Harmonics& harmonics, std::span<const Expansion<double>> parts, double unit,
                 double* moments, Workspace& workspace);
/// M2L: adds the field of moments. The balls around the sources and around the targets must not touch. With
/// order p it takes 4 p^3 / 3 multiply-adds for four exchanges of axes, 2 p^3 / 3 along the axis and 10 p^2
/// for the rotations: 6000 for p = 12, for eight expansions at once. A core that starts one vector of eight a
/// cycle at 3.5 GHz needs at least 0.21 us for each. In single precision, of which order 10 is the highest, there are
/// sixteen expansions at once.
void add_far_field(const Harmonics& harmonics, std::span<const Expansion<double>> sources, double unit,
                   double* field, Workspace& workspace);
void add_far_field(const Harmonics& harmonics, std::span<const Expansion<float>> sources, double unit,
                   double* field, Workspace& workspace);
/// L2L: writes the field about other centres. At most 8 at once.
void move_field(const Harmonics& harmonics, const double* field, double unit,
                std::span<const ExpansionPlace> parts, Workspace& workspace);
/// L2P: adds the field at points.
void add_field_at_points(const Harmonics& harmonics, const double* field, const Eigen::Vector3d& centre,
                         double unit, const PointSpan& points, const FieldSums& sums, Workspace& workspace);

}  // namespace isolume::multipoles
