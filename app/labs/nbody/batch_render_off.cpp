#include "app/batch/context.h"
#include "app/labs/nbody/batch_verbs.h"
#include "core/base/error.h"

namespace isolume::batch {

void add_nbody_render(CLI::App& lab, Context& context) {
  auto* command = lab.add_subcommand("render", "Draw bodies as a PNG (not in this build).");
  command->allow_extras();
  command->callback([&context] {
    context.action = [] {
      throw Error(
          "nbody render: this program was built without pictures (ISOLUME_GUI=OFF). Build the preset "
          "release.");
    };
  });
}

}  // namespace isolume::batch
