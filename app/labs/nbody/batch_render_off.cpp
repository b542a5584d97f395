#include "app/batch/context.h"
#include "app/labs/nbody/batch_verbs.h"

namespace isolume::batch {

void add_nbody_render(CLI::App& lab, Context& context) {
  add_missing_verb(
      lab, context, "render", "Draw bodies as a PNG or a movie, with or without a display.",
      "nbody render: this program was built without pictures (ISOLUME_GUI=OFF). Build the preset release.");
}

}  // namespace isolume::batch
