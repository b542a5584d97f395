#pragma once

#include <string>

#include "app/labs/electrostatics/picture/map_source.h"

namespace isolume::labs::electrostatics {

/// For a picture's key, by which it can be made again: method and main settings, and what is subtracted; "Poisson-Boltzmann,
/// linear, 0.15 mol/l, ε 2/78.54, 298.15 K, 0.5 Å, AMBER ff14SB". `shown`: the grid of the values, which a preview has
/// coarser. Numbers stay on a line with their units (by no-break spaces).
std::string method_text(const ChargedMolecule& molecule, const science::PotentialOptions& how,
                        science::Compared compare, const grid::Grid& shown);

/// "0.5 Å": between the grid's points.
std::string spacing_text(const grid::Grid& grid);

}  // namespace isolume::labs::electrostatics
