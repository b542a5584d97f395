#pragma once

#include <functional>
#include <numbers>
#include <optional>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/structures/residue_tables.h"

namespace isolume::structures {

/// Position of an atom of the residue in angstrom, or of the previous residue for names such as "-C"; nothing if it
/// is missing.
using PlaceOf = std::function<std::optional<Eigen::Vector3d>(std::string_view name)>;
/// Score of a position for a rotatable hydrogen; the highest wins.
using ScoreOf = std::function<double(const Eigen::Vector3d& hydrogen)>;

/// Positions for the hydrogens of a rule in its order, in angstrom, with ideal lengths (C-H 1.09 or, where planar,
/// 1.08, N-H 1.01, O-H 0.96, S-H 1.34) and angles: between neighbours where there are several, otherwise staggered
/// (tetrahedral) or in the plane (planar). A hydroxyl or thiol group takes the best of 60, 180 and 300 degrees about
/// its bond, a phenol's 0 or 180. Nothing where a required atom is missing.
std::vector<Eigen::Vector3d> place_hydrogens(const HydrogenRule& rule, const PlaceOf& place_of,
                                             const ScoreOf& score_of);

inline constexpr double radians_per_degree = std::numbers::pi / 180;

/// A point at `length` from `a` with the given angle to b and torsion about a-b to c, in radians, in the IUPAC sign
/// convention.
Eigen::Vector3d at_angles(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
                          double length, double angle, double torsion);

}  // namespace isolume::structures
