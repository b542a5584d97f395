#include "app/batch/context.h"
#include "app/labs/orbitals/batch_verbs.h"

namespace isolume::batch {

void add_orbitals_render(CLI::App& lab, Context& context) {
  add_missing_verb(lab, context, "render", "Draw a file as a PNG, with or without a display.",
                   "orbitals render: this program was built without pictures (ISOLUME_GUI=OFF). Build the "
                   "preset release.");
}

}  // namespace isolume::batch
