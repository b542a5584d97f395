#include "app/labs/electrostatics/picture/patch_choices.h"

namespace isolume::labs::electrostatics {

const parameters::Schema<PatchChoices>& patch_schema() {
  using P = PatchChoices;
  using parameters::field;
  static const parameters::Schema<P> schema({
      field("patch-threshold", static_cast<double P::*>(&P::threshold), "Threshold")
          .range(1e-6, 1e6)
          .usual(0.01, 20)
          .logarithmic()
          .group("Patches")
          .help("Least magnitude of the potential on a patch of the molecular surface."),
      field("patch-area", static_cast<double P::*>(&P::least_area), "Smallest area")
          .unit("angstrom^2")
          .range(0, 1e6)
          .usual(0, 200)
          .group("Patches")
          .help("Smallest area of a listed patch; smaller ones are left out."),
      field("patch", &P::outlined, "Outlined patch")
          .range(0, 1e6)
          .usual(0, 100)
          .special(0, "None")
          .group("Patches")
          .help("Patch to outline, by its number in the table: 1 is the largest."),
  });
  return schema;
}

}  // namespace isolume::labs::electrostatics
