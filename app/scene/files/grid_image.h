#pragma once

#include <vtkImageData.h>
#include <vtkSmartPointer.h>

#include "core/grid/scalar_field.h"

namespace isolume::scene {

/// A field for VTK's filters: in grid indices (origin 0, spacing 1), whatever the grid's directions.
/// Refers to the field's memory, which must outlive it.
vtkSmartPointer<vtkImageData> grid_image(const grid::ScalarField& field);

}  // namespace isolume::scene
