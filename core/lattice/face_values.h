#pragma once

#include "core/lattice/scalar_field.h"

namespace isolume::lattice {

/// The largest |value| on the lattice's faces that is finite: surfaces at smaller magnitudes end there. 0 where there is none.
double largest_on_faces(const ScalarField& field);

}  // namespace isolume::lattice
