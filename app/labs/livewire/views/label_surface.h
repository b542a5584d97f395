#pragma once

#include <filesystem>
#include <vector>

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include "core/contours/contour.h"
#include "core/images/geometry.h"
#include "core/jobs/progress.h"

namespace isolume::labs::livewire {

/// A label's closed surface in mm (DICOM's patient coordinates): see scene::surface_of_label.
struct LabelSurface {
  contours::Label label;
  vtkSmartPointer<vtkPolyData> mesh;
};

/// Of all labels with closed contours, each whatever others cover.
std::vector<LabelSurface> surfaces_of(const contours::ContourSet& set, const images::Geometry& geometry,
                                      const jobs::Progress& progress = {});

/// All of them as one mesh in mm, as scene::write_label_meshes.
void export_surfaces(const std::vector<LabelSurface>& surfaces, const std::filesystem::path& path);

}  // namespace isolume::labs::livewire
