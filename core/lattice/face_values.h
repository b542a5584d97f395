#pragma once

#include "core/lattice/scalar_field.h"

namespace isolume::lattice {

/// The largest finite |value| on the lattice's faces, 0 if there is none. Isosurfaces at smaller magnitudes
/// are cut off there.
double largest_on_faces(const ScalarField& field);

}  // namespace isolume::lattice
