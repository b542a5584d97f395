#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"
#include "core/structures/charges.h"
#include "core/surfaces/isosurface.h"

namespace isolume::electrostatics {

/// Why a field line ends.
enum class LineEnd { charge, box, no_field, length };

/// A line along E = -grad V, from higher to lower potential.
struct FieldLine {
  std::vector<Eigen::Vector3f> places;  ///< angstrom
  std::vector<float> potential;         ///< at these points, in the map's unit
  LineEnd start = LineEnd::box, end = LineEnd::box;
};

struct FieldLineOptions {
  /// Of each step, as a fraction of the grid spacing.
  double error = 1e-3;
  double longest_angstrom = 500;
};

/// Points distributed evenly over a surface: at most this many, each vertex at most once. Deterministic.
std::vector<Eigen::Vector3d> spread_over(const surfaces::Mesh& surface, std::size_t count);

/// The field lines through given points, in both directions, where the map has a field there. E is the gradient of
/// the map by central differences, interpolated between grid points; lines are integrated by arc length with the
/// Dormand-Prince pair (J. Comput. Appl. Math. 6, 19 (1980)) in steps of at most half the grid spacing, shorter
/// where the error requires it. They end one spacing before the boundary of the grid, within 2.5 spacings of a
/// charge (where the map's gradient is no longer meaningful), and where there is no field.
///
/// `potential`: along x, y and z. The result does not depend on the number of threads. Throws Cancelled.
std::vector<FieldLine> field_lines(const grid::ScalarField& potential, const structures::Charges& charges,
                                   const std::vector<Eigen::Vector3d>& places_angstrom,
                                   const FieldLineOptions& options = {}, const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
