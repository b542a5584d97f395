#pragma once

#include <filesystem>

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include "core/contours/contour.h"
#include "core/images/geometry.h"

namespace isolume::labs::livewire {

/// Contours as polylines in mm (DICOM's patient coordinates), closed ones back to their first point; one cell
/// a contour, with the cells' arrays "label" (its value), "label_name", "name", "axis", "slice", "closed" and
/// "suggestion" (0 or 1), and "colour" (RGB of the label).
vtkSmartPointer<vtkPolyData> contour_lines(const std::vector<std::shared_ptr<const contours::Contour>>& shown,
                                           const contours::ContourSet& set, const images::Geometry& geometry);

/// All contours but suggestions as VTP. Throws Error where there is none, for another suffix, and when the
/// file cannot be written.
void export_contours(const contours::ContourSet& set, const images::Geometry& geometry,
                     const std::filesystem::path& path);

}  // namespace isolume::labs::livewire
