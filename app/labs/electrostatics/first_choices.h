#pragma once

#include <vector>

#include "core/electrostatics/molecular_surface.h"
#include "core/electrostatics/options.h"
#include "core/parameters/description.h"

namespace isolume::labs::electrostatics {

/// As it is when a molecule has been opened: in water with salt.
inline isolume::electrostatics::PotentialOptions usual_options() {
  isolume::electrostatics::PotentialOptions options;
  options.method = isolume::electrostatics::Method::pb_linear;
  options.solute_dielectric = 2;
  return options;
}

/// In the order of MolecularSurface.
inline std::vector<parameters::Choice> surface_forms() {
  return {{"gaussian", "Smooth (Gaussians)"},
          {"ses", "Solvent-excluded"},
          {"sas", "Solvent-accessible"},
          {"vdw", "Van der Waals"}};
}

}  // namespace isolume::labs::electrostatics
