#pragma once

#include <vector>

#include "app/labs/electrostatics/picture/map_source.h"
#include "app/labs/electrostatics/picture/map_view.h"
#include "app/labs/electrostatics/picture/selected_atoms.h"
#include "app/scene/fields/colour_map.h"
#include "app/scene/props/mesh_prop.h"

namespace isolume::labs::electrostatics {

/// A molecule's ribbon in its colours; without triangles where the view wants none. `potentials`: of residues, by which
/// RibbonColour::potential paints between the ends of `span`; NaN, and all where it is empty: grey. `only`: what is left of it,
/// null: all.
scene::ColouredMesh coloured_ribbon(const ChargedMolecule& molecule, const MapView& view,
                                    const scene::ColourSpan& span, const std::vector<double>& potentials,
                                    const SelectedAtoms* only);

/// By which RibbonColour::potential paints.
scene::ColourMapChoice ribbon_colours(const MapView& view, const scene::ColourSpan& span);

/// Which atoms stand beside the ribbon. Of nucleotides only the phosphate gives way to it.
std::vector<bool> atoms_beside_ribbon(const ChargedMolecule& molecule, const MapView& view,
                                      const SelectedAtoms* only);

}  // namespace isolume::labs::electrostatics
