#pragma once

#include <string>

#include "app/scene/fields/field_view.h"
#include "core/electrostatics/sums/units.h"
#include "core/parameters/schema.h"

namespace isolume::labs::orbitals {

using scene::IsovalueMode;
using scene::SliceAxis;
using scene::SurfaceStyle;

/// How the Orbitals lab draws what was computed: the second half of its parameters, used by the panel and by
/// `isolume-batch render`.
enum class ColourBy { sign, orbital, density, spin_density, potential };
struct ViewParameters : scene::FieldView {
  ColourBy colour_by = ColourBy::sign;
  std::string colour_orbital = "lumo";
  isolume::electrostatics::PotentialUnit potential_unit =
      isolume::electrostatics::PotentialUnit::kcal_per_mol_e;
  bool atoms = true;
  bool labels = false;
  double atom_scale = 0.22;  ///< of the van der Waals radius

  /// A slice through the middle of O2 across its bond would show next to nothing.
  ViewParameters() { slice_axis = SliceAxis::widest; }
};
const parameters::Schema<ViewParameters>& view_schema();

}  // namespace isolume::labs::orbitals
