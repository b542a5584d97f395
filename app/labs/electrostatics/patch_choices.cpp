#include "app/labs/electrostatics/patch_choices.h"

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
          .help("The potential's magnitude everywhere on a patch of the molecular surface."),
      field("patch-area", static_cast<double P::*>(&P::least_area), "Least area")
          .unit("angstrom^2")
          .range(0, 1e6)
          .usual(0, 200)
          .group("Patches")
          .help("Smaller patches are left out."),
      field("patch", &P::outlined, "Outlined patch")
          .range(0, 1e6)
          .group("Patches")
          .help("By its number in the table of patches, the largest first; 0 for none."),
  });
  return schema;
}

}  // namespace isolume::labs::electrostatics
