#include "app/batch/context.h"
#include "app/labs/livewire/batch/batch_verbs.h"

namespace isolume::batch {

void add_livewire_render(CLI::App& lab, Context& context) {
  add_missing_verb(lab, context, "render",
                   "Draw a slice of an image as a PNG, with the contours of a session.",
                   "livewire render: this program was built without pictures (ISOLUME_GUI=OFF). Build the "
                   "preset release.");
}

}  // namespace isolume::batch
