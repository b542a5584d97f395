#include "app/batch/context.h"
#include "app/labs/flames/batch_render.h"

void isolume::batch::add_flames_render(CLI::App& lab, Context& context) {
  add_missing_verb(
      lab, context, "render", "Draw a flame as a PNG.",
      "flames render: this program was built without pictures (ISOLUME_GUI=OFF). Build the preset release.");
}
