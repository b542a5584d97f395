#include "app/batch/batch_lab.h"

#include "app/labs/nbody/batch_verbs.h"
#include "app/labs/nbody/description.h"

namespace isolume::labs::nbody {

/// `isolume-batch nbody`.
batch::BatchLab batch_lab() {
  return {.description = description(),
          .help = "Gravity simulations of galaxies, clusters and planets.",
          .add_verbs =
              [](CLI::App& lab, batch::Context& context) {
                batch::add_nbody_run(lab, context);
                batch::add_nbody_render(lab, context);
                batch::add_nbody_forces(lab, context);
                batch::add_nbody_convert(lab, context);
              },
          .add_bench = batch::add_nbody_bench};
}

}  // namespace isolume::labs::nbody
