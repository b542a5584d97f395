#pragma once

#include <cstddef>
#include <vector>

#include "app/labs/electrostatics/picture/map_source.h"
#include "app/scene/props/line_set.h"
#include "app/scene/surfaces/surface.h"

namespace isolume::labs::electrostatics {

/// Around the part of a molecular surface that is nearest to a residue, a little above the surface. Empty for a residue
/// that does not come to the surface.
scene::LineSet residue_outline(const scene::Lobes& lobes, const ChargedMolecule& molecule,
                               std::size_t residue);
/// The same around the part that is nearest to atoms: those whose place has true. Callable from any thread while the
/// surface is drawn.
scene::LineSet atoms_outline(const scene::Lobes& lobes, const ChargedMolecule& molecule,
                             const std::vector<bool>& atoms);

/// The part of a molecular surface that is nearest to these atoms; triangles across its border are cut. Callable from
/// any thread while the surface is drawn.
scene::Lobes surface_of_atoms(const scene::Lobes& lobes, const ChargedMolecule& molecule,
                              const std::vector<bool>& atoms);

}  // namespace isolume::labs::electrostatics
