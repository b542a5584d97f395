#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include "core/contours/contour.h"
#include "core/contours/label_map.h"
#include "core/images/geometry.h"
#include "core/jobs/progress.h"

namespace isolume::labs::livewire {

/// A label's closed surface in mm (DICOM's patient coordinates): triangles that run counter-clockwise seen
/// from outside, with unit normals outwards.
struct LabelSurface {
  contours::Label label;
  vtkSmartPointer<vtkPolyData> mesh;
};

/// Where the signed distance to the label's voxels, smoothed over about the widest spacing, has the level
/// that the mesh has the voxels' volume, to a thousandth: without the voxels' steps, and neither shrunk nor
/// swollen. A mesh without triangles where there is no voxel. Callable from any thread. Throws ResourceError,
/// Cancelled.
vtkSmartPointer<vtkPolyData> surface_of_label(const contours::LabelMask& mask,
                                              const images::Geometry& geometry,
                                              const jobs::Progress& progress = {});

/// Of all labels with closed contours, each whatever others cover.
std::vector<LabelSurface> surfaces_of(const contours::ContourSet& set, const images::Geometry& geometry,
                                      const jobs::Progress& progress = {});

/// All of them as one mesh in mm: .stl, .ply or .vtp (with the points' array "label"). Throws Error where
/// there is none and when the file cannot be written.
void export_surfaces(const std::vector<LabelSurface>& surfaces, const std::filesystem::path& path);

}  // namespace isolume::labs::livewire
