#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/scene/surfaces/label_surface.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"

namespace isolume::scene {

/// Closed surfaces of labels that touch where the labels do: faces between two labels are the same triangles of both, and
/// where three labels meet, these triangles share edges. Surface nets at the faces of voxels (S. F. F. Gibson, MICCAI 1998,
/// LNCS 1496, 888), then one low-pass filter of all points together (G. Taubin, T. Zhang, G. Golub,
/// ECCV 1996, LNCS 1064, 283), which keeps volumes nearly. Triangles run counter-clockwise seen from outside; positions
/// are those of the grid. `numbers`: of each voxel, x fastest, the place of its label in `labels`; labels that are not
/// wanted count as outside. Labels without voxels have no mesh. Callable from any thread. Throws ResourceError, Cancelled.
std::vector<LabelMesh> touching_surfaces(const grid::Grid& grid, std::span<const std::uint32_t> numbers,
                                         std::span<const std::int64_t> labels,
                                         const std::vector<bool>& is_wanted,
                                         const jobs::Progress& progress = {});

}  // namespace isolume::scene
