#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/electrostatics/sums/options.h"
#include "core/electrostatics/surfaces/molecular_surface.h"
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
/// Of one of their keys.
inline isolume::electrostatics::MolecularSurface surface_form(const std::string& key) {
  const auto forms = surface_forms();
  const auto found = std::ranges::find(forms, key, &parameters::Choice::key);
  return static_cast<isolume::electrostatics::MolecularSurface>(found - forms.begin());
}

}  // namespace isolume::labs::electrostatics
