#pragma once

#include <filesystem>
#include <vector>

#include <Eigen/Geometry>

#include "core/anatomy/transform.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"

namespace isolume::anatomy {

/// Writes a linear map of positions in mm along the patient's axes (LPS): a point p of the fixed image lies at map *
/// p in the moving one. An AffineTransform of ITK, in the format of the suffix: ITK's text (.tfm, .txt), MATLAB
/// (.mat) or HDF5 (.h5, .hdf5). ANTs, 3D Slicer and SimpleITK read all three. Throws Error for other suffixes and for
/// maps that are not finite or have no inverse.
void write_linear(const Eigen::Affine3d& map, const std::filesystem::path& path);

/// Reads the steps of a file of ITK in the order in which they are applied to points: any linear class in three
/// dimensions, displacement fields, and a CompositeTransform of such, which applies its last one first. ANTs, 3D
/// Slicer, SimpleITK and elastix write such files. Throws InputError that names the class for others, and for
/// matrices of FSL.
std::vector<Transform::Step> read_itk(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// The product of the steps of a file of ITK. Throws InputError as read_itk(), and if one of them is not linear.
Eigen::Affine3d read_linear(const std::filesystem::path& path);

/// Reads a matrix of FSL's FLIRT (four rows of four numbers), which maps the moving image to the fixed one in mm
/// along the voxels' axes, and returns the map of the other functions here. Both images' grids are needed. FSL counts
/// the first axis of an image from its other end if the voxels' axes are right-handed in RAS, that is if the
/// determinant of the step is positive. Throws InputError.
Eigen::Affine3d read_fsl(const std::filesystem::path& path, const grid::Grid& fixed,
                         const grid::Grid& moving);

/// Whether a file begins with a number, as matrices of FSL do: files of ITK have a header.
bool is_fsl_matrix(const std::filesystem::path& path);

/// Whether the name has a suffix of write_linear() and read_itk().
bool is_linear_file(const std::filesystem::path& path);

}  // namespace isolume::anatomy
