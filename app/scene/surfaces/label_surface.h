#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include "core/contours/label_map.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"

namespace isolume::scene {

/// Where the signed distance to the label's voxels, smoothed over about the widest spacing, has the level
/// that the mesh has the voxels' volume, to a thousandth: without the voxels' steps, and neither shrunk nor
/// swollen. The grid is in mm. A closed mesh of triangles that run counter-clockwise seen from outside, with unit normals
/// outwards; without triangles where there is no voxel. Callable from any thread. Throws ResourceError, Cancelled.
vtkSmartPointer<vtkPolyData> surface_of_label(const contours::LabelMask& mask, const grid::Grid& grid,
                                              const jobs::Progress& progress = {});

struct LabelMesh {
  std::int64_t label = 0;
  vtkSmartPointer<vtkPolyData> mesh;
};

/// Within a closed mesh of triangles, by Gauss's theorem.
double volume_mm3(vtkPolyData& mesh);

/// All of them as one mesh, with the points' array "label".
vtkSmartPointer<vtkPolyData> joined(const std::vector<LabelMesh>& meshes);

/// The same as .stl, .ply or .vtp. Throws Error where there is none and when the file cannot be written.
void write_label_meshes(const std::vector<LabelMesh>& meshes, const std::filesystem::path& path);

}  // namespace isolume::scene
