#pragma once

#include <optional>

#include <Eigen/Core>

namespace isolume::molecules {

/// Limit of coordinates, charges and radii, each in its unit: far beyond any molecule, while single precision still
/// resolves charges.
inline constexpr double most_magnitude = 1e6;

/// Edges as columns, the first one along x, the second one in the xy plane, as in the PDB. Lengths in angstrom; the
/// angles alpha, beta and gamma, between the second and third, third and first, first and second, in degrees. Nothing
/// if they span no volume, or lengths exceed most_magnitude.
std::optional<Eigen::Matrix3d> cell_of(const Eigen::Vector3d& lengths, const Eigen::Vector3d& angles);

/// The same, and nothing for the placeholder used if there is no crystal: edges of 1 angstrom.
std::optional<Eigen::Matrix3d> crystal_cell(const Eigen::Vector3d& lengths, const Eigen::Vector3d& angles);

}  // namespace isolume::molecules
