#pragma once

#include <optional>

#include <Eigen/Core>

namespace isolume::molecules {

/// Coordinates, charges and radii lie within this, each in its unit: far beyond every molecule, and single precision still
/// tells charges apart from nothing.
inline constexpr double most_magnitude = 1e6;

/// Edges as columns, the first one along x, the second one in the plane of x and y, as the PDB has it. Lengths in angstrom;
/// the angles alpha, beta and gamma, between the second and third, third and first, first and second, in degrees. Nothing
/// where they span no volume, or lengths lie beyond most_magnitude.
std::optional<Eigen::Matrix3d> cell_of(const Eigen::Vector3d& lengths, const Eigen::Vector3d& angles);

/// The same, and nothing for what stands there where there is no crystal: edges of 1 angstrom.
std::optional<Eigen::Matrix3d> crystal_cell(const Eigen::Vector3d& lengths, const Eigen::Vector3d& angles);

}  // namespace isolume::molecules
