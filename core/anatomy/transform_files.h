#pragma once

#include <filesystem>

#include <Eigen/Geometry>

namespace isolume::anatomy {

/// Writes a linear map of positions in mm along the patient's axes (LPS): a point p of the fixed image lies at map * p in
/// the moving one. An AffineTransform of ITK, in the format of the suffix: ITK's text (.tfm, .txt), MATLAB (.mat) or HDF5
/// (.h5, .hdf5). ANTs, 3D Slicer and SimpleITK read all three. Throws Error for other suffixes and for maps that are not
/// finite or have no inverse.
void write_linear(const Eigen::Affine3d& map, const std::filesystem::path& path);

/// Reads a linear map that write_linear(), ITK, ANTs (0GenericAffine.mat), 3D Slicer or elastix' ITK files hold: any class
/// of ITK that is linear in three dimensions, also a CompositeTransform of such. Throws InputError that names the class
/// for others, and for matrices of FSL.
Eigen::Affine3d read_linear(const std::filesystem::path& path);

/// Whether the name has a suffix of write_linear().
bool is_linear_file(const std::filesystem::path& path);

}  // namespace isolume::anatomy
