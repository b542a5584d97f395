#include "app/batch/context.h"
#include "app/labs/electrostatics/batch/batch_verbs.h"

namespace isolume::batch {

void add_electrostatics_render(CLI::App& lab, Context& context) {
  add_missing_verb(lab, context, "render",
                   "Draw a molecular surface coloured by the potential, or isosurfaces or a slice of "
                   "the potential, as a PNG, with or without a display.",
                   "electrostatics render: this program was built without pictures (ISOLUME_GUI=OFF). Build "
                   "the preset release.");
}

}  // namespace isolume::batch
