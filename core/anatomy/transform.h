#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include <Eigen/Geometry>

#include "core/anatomy/image.h"
#include "core/base/remarks.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"

namespace isolume::anatomy {

/// A map of positions in mm along the patient's axes (LPS), from a fixed image to a moving one: steps that are
/// applied one after the other, the first one to points of the fixed image, as antsApplyTransforms applies those of
/// its -t options. A step is linear, or moves a point by a field of displacements: trilinear between its voxels, and
/// by nothing farther than half a voxel outside of its grid, as in ITK.
class Transform {
 public:
  using Field = std::shared_ptr<const DisplacementImage>;
  using Step = std::variant<Eigen::Affine3d, Field>;

  /// The identity.
  Transform() = default;
  explicit Transform(Step step) { steps_.push_back(std::move(step)); }

  /// `next` is applied after these steps.
  void append(const Transform& next) { steps_.insert(steps_.end(), next.steps_.begin(), next.steps_.end()); }
  const std::vector<Step>& steps() const { return steps_; }

  /// The product of the steps, if all of them are linear.
  std::optional<Eigen::Affine3d> linear() const;
  /// The grid of the first step, if that is a field: points of the fixed image where the map is known best.
  const grid::Grid* first_grid() const;

 private:
  std::vector<Step> steps_;
};

/// Reads a file of ITK (transform_files.h) or a displacement field, by the suffix. Throws InputError.
struct TransformFile {
  Transform transform;
  Remarks remarks;
};
TransformFile read_transform(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// Where a point of the fixed image lies in the moving one; both in mm (LPS).
Eigen::Vector3d point_at(const Transform& transform, const Eigen::Vector3d& point);

/// The whole map as displacements at the voxels of a grid. Positions are in float32 voxels of that grid.
DisplacementImage displacements_of(const Transform& transform, const grid::Grid& grid,
                                   const jobs::Progress& progress = {});

/// The displacement on a grid of a displacement on it and then a linear map.
volumes::VectorField displacement_then(const grid::Grid& grid, const volumes::VectorField& displacement,
                                       const Eigen::Affine3d& map);

/// The map back. Linear steps are inverted exactly, fields at the voxels of their own grid (volumes::inverted).
struct InverseTransform {
  Transform transform;
  double largest_residual = 0;  ///< of fields, in voxels of their grids
  std::size_t unsolved = 0;     ///< voxels without an inverse
};
InverseTransform inverse_of(const Transform& transform, const jobs::Progress& progress = {});

}  // namespace isolume::anatomy
