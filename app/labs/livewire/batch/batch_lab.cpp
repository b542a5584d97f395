#include "app/batch/batch_lab.h"

#include "app/labs/livewire/batch/batch_verbs.h"
#include "app/labs/livewire/description.h"

namespace isolume::labs::livewire {

/// `isolume-batch livewire`.
batch::BatchLab batch_lab() {
  return {.description = description(),
          .help = "Contours in medical images.",
          .add_verbs =
              [](CLI::App& lab, batch::Context& context) {
                batch::add_livewire_trace(lab, context);
                batch::add_livewire_import(lab, context);
                batch::add_livewire_render(lab, context);
              },
          .add_bench = batch::add_livewire_bench,
          .short_forms = {{"livewire", "trace"}}};
}

}  // namespace isolume::labs::livewire
