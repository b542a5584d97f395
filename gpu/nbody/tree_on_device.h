#pragma once

#include "core/nbody/octree.h"
#include "gpu/nbody/sum_job.h"
#include "gpu/nbody/walk_kernels.h"
#include "gpu/runtime/buffer.h"

namespace isolume::gpu {

/// What a walk needs, in one device's memory.
struct TreeOnDevice {
  DeviceBuffer<nbody_kernels::WalkBody> bodies;
  DeviceBuffer<std::uint32_t> original;
  DeviceBuffer<nbody_kernels::WalkCell> cells;
  DeviceBuffer<nbody_kernels::WalkGroup> groups;
  DeviceBuffer<std::uint32_t> chunk_groups;
  std::uint32_t largest_leaf =
      0;  ///< of those that were made on the device, whose bodies are not all at one place
};

/// Bodies as they were given, and how they are scaled.
struct BodiesToSort {
  /// At least one body. As nbody::sort_bodies scales them.
  explicit BodiesToSort(const nbody::Bodies& bodies);

  nbody::Paged<nbody_kernels::WalkBody> points;
  Eigen::AlignedBox3d box = {};
  double length = 1;
  double mass_sum = 1;
};

/// Orders the bodies and makes the tree on the stream's device; returns when it is there. `given`: the points, there
/// already. `opening_angle`: for WalkCell::opening_by_angle. Throws Cancelled, ResourceError,
/// dispatch::DeviceLost.
TreeOnDevice build_tree(const BodiesToSort& bodies, const DeviceBuffer<nbody_kernels::WalkBody>& given,
                        double opening_angle, const Stream& stream, const Delivery& delivery);

/// A tree of the CPU's, made ready for the devices that it is copied to.
struct TreeToUpload {
  TreeToUpload(const nbody::Octree& octree, double opening_angle);

  const nbody::Octree& octree;
  nbody::Paged<nbody_kernels::WalkCell> cells;
  nbody::Paged<nbody_kernels::WalkGroup> groups;
  nbody::Paged<std::uint32_t> chunk_groups;
};
TreeOnDevice upload_tree(const TreeToUpload& tree, const Stream& stream, const Delivery& delivery);

}  // namespace isolume::gpu
