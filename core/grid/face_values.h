#pragma once

#include "core/grid/scalar_field.h"

namespace isolume::grid {

/// The largest finite |value| on the grid's faces, 0 if there is none. Isosurfaces at smaller magnitudes
/// are cut off there.
double largest_on_faces(const ScalarField& field);

}  // namespace isolume::grid
