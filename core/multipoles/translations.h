#pragma once

#include <span>

#include <Eigen/Core>

#include "core/multipoles/harmonics.h"
#include "core/multipoles/point_tree.h"

namespace isolume::multipoles {

/// Memory that the functions below use again and again; one for each thread.
class Workspace {
 public:
  explicit Workspace(const Harmonics& harmonics);
  double* data() { return values_.data(); }

 private:
  Paged<double> values_;
};

/// An expansion that something is added from.
struct Expansion {
  const double* values;
  Eigen::Vector3d to;  ///< from its centre to the one that it is brought to
  double unit;
};
/// Where an expansion is written.
struct ExpansionPlace {
  double* values;
  Eigen::Vector3d from;  ///< to its centre, from the one that it is brought from
  double unit;
};
/// So many points of a tree from `begin` on.
struct PointSpan {
  const PointTree& tree;
  std::uint32_t begin, count;
};
/// Sums for points that follow each other.
struct FieldSums {
  double *potential, *x, *y, *z;  ///< the last three: of the potential's gradient
};

/// All of the Harmonics' form; lengths in the same unit everywhere but for `unit`, which is that of the result.
/// P2M: writes the moments of charges about a centre.
void moments_of_points(const Harmonics& harmonics, const PointSpan& points, const Eigen::Vector3d& centre,
                       double unit, double* moments, Workspace& workspace);
/// M2M: writes the sum of moments about another centre. At most 8.
void sum_moments(const Harmonics& harmonics, std::span<const Expansion> parts, double unit, double* moments,
                 Workspace& workspace);
/// M2L: adds the field of moments. Their charges and the points it is for must be in balls that do not touch.
/// With order p it takes 4 p^3 / 3 multiply-adds for four exchanges of axes, 2 p^3 / 3 along the axis and 10 p^2 to
/// turn: 6000 for p = 12, eight expansions at once, which a core that starts one vector of eight a cycle at 3.5 GHz
/// cannot do faster than in 0.21 us each.
void add_far_field(const Harmonics& harmonics, std::span<const Expansion> sources, double unit, double* field,
                   Workspace& workspace);
/// L2L: writes the field about other centres. At most 8.
void move_field(const Harmonics& harmonics, const double* field, double unit,
                std::span<const ExpansionPlace> parts, Workspace& workspace);
/// L2P: adds the field at points.
void add_field_at_points(const Harmonics& harmonics, const double* field, const Eigen::Vector3d& centre,
                         double unit, const PointSpan& points, const FieldSums& sums, Workspace& workspace);

}  // namespace isolume::multipoles
