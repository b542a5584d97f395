#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/molecules/molecule.h"
#include "core/surfaces/isosurface.h"

namespace isolume::stage {

struct ColouredMesh {
  surfaces::Mesh mesh;       ///< in angstrom
  std::uint32_t colour = 0;  ///< sRGB, 0xRRGGBB
};

/// Atoms as balls, one mesh per element, and bonds as grey sticks.
std::vector<ColouredMesh> ball_and_stick(const molecules::Molecule& molecule);

}  // namespace isolume::stage
