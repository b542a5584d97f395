#pragma once

#include "core/base/field_values.h"

namespace isolume::anatomy {

// In a cube of side^3 voxels, deformed by a smooth map of up to `size` of half the side.

/// A textured ball: values near 0 to 1.5.
FieldValues phantom(int side, double size);
/// A head: skull, fluid, a folded cortex, white matter and two ventricles; values 0 to 1.
FieldValues head_phantom(int side, double size);
/// The head's parts at each voxel: 0 none, 1 skull, 2 fluid, 3 cortex, 4 white matter, 5 ventricles.
FieldValues head_parts(int side, double size);

}  // namespace isolume::anatomy
