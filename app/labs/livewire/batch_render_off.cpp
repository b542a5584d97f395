#include <CLI/CLI.hpp>

#include "app/batch/context.h"
#include "app/labs/livewire/batch_verbs.h"
#include "core/base/error.h"

namespace isolume::batch {

void add_livewire_render(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand("render", "Draw a file into a PNG (not in this build).");
  command->allow_extras();
  command->callback([&context] {
    context.action = [] {
      throw Error(
          "render: this program was built without pictures (ISOLUME_GUI=OFF). Build the preset release.");
    };
  });
}

}  // namespace isolume::batch
