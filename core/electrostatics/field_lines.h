#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"
#include "core/structures/charges.h"
#include "core/surfaces/isosurface.h"

namespace isolume::electrostatics {

/// Why a field line does not go on.
enum class LineEnd { charge, box, no_field, length };

/// A line along E = -grad V, from the higher potential to the lower one.
struct FieldLine {
  std::vector<Eigen::Vector3f> places;  ///< angstrom
  std::vector<float> potential;         ///< there, in the map's unit
  LineEnd start = LineEnd::box, end = LineEnd::box;
};

struct FieldLineOptions {
  /// Of each step, as a part of the lattice's spacing.
  double error = 1e-3;
  double longest_angstrom = 500;
};

/// Places spread evenly over a surface: so many or fewer, each of its points at most once. The same every time.
std::vector<Eigen::Vector3d> spread_over(const surfaces::Mesh& surface, std::size_t count);

/// The field lines through places, in both directions, where the map has a field there. E is the gradient of the map by
/// central differences, interpolated between points; lines are integrated by length with the pair of Dormand and
/// Prince (J. Comput. Appl. Math. 6, 19 (1980)) in steps of at most half the lattice's spacing, shorter where the
/// error asks for it. They end one spacing before the lattice's faces, within 2.5 spacings of a charge (where the map has
/// no gradient any more), and where there is no field.
///
/// `potential`: along x, y and z. The same on any number of threads. Throws Cancelled.
std::vector<FieldLine> field_lines(const lattice::ScalarField& potential, const structures::Charges& charges,
                                   const std::vector<Eigen::Vector3d>& places_angstrom,
                                   const FieldLineOptions& options = {}, const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
