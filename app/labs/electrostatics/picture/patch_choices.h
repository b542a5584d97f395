#pragma once

#include "core/electrostatics/surfaces/surface_patches.h"
#include "core/parameters/schema.h"

namespace isolume::labs::electrostatics {

/// Which parts of the surface are patches.
struct PatchChoices : isolume::electrostatics::PatchOptions {
  int outlined = 0;  ///< counted from 1, the largest first; 0: none
};

/// patch-threshold, patch-area, patch.
const parameters::Schema<PatchChoices>& patch_schema();

}  // namespace isolume::labs::electrostatics
