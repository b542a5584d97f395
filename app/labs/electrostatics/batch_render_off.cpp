#include "app/batch/context.h"
#include "app/labs/electrostatics/batch_verbs.h"

namespace isolume::batch {

void add_electrostatics_render(CLI::App& lab, Context& context) {
  add_missing_verb(lab, context, "render",
                   "Draw a molecule in the colours of its potential (not in this build).",
                   "electrostatics render: this program was built without pictures (ISOLUME_GUI=OFF). Build "
                   "the preset release.");
}

}  // namespace isolume::batch
