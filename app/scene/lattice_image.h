#pragma once

#include <vtkImageData.h>
#include <vtkSmartPointer.h>

#include "core/lattice/scalar_field.h"

namespace isolume::scene {

/// A field for VTK's filters: in lattice indices (origin 0, spacing 1), whatever the lattice's directions.
/// Refers to the field's memory, which must outlive it.
vtkSmartPointer<vtkImageData> lattice_image(const lattice::ScalarField& field);

}  // namespace isolume::scene
