#include "app/batch/batch_lab.h"

#include "app/batch/context.h"
#include "app/labs/electrostatics/batch/batch_verbs.h"
#include "app/labs/electrostatics/description.h"

namespace isolume::labs::electrostatics {

/// `isolume-batch electrostatics`.
batch::BatchLab batch_lab() {
  return {.description = description(),
          .help = "Electrostatic potentials of molecules.",
          .add_verbs =
              [](CLI::App& lab, batch::Context& context) {
                batch::add_electrostatics_potential(lab, context);
                batch::add_electrostatics_ions(lab, context);
                batch::add_electrostatics_charges(lab, context);
                batch::add_electrostatics_prepare(lab, context);
                batch::add_electrostatics_make(lab, context);
                batch::add_electrostatics_residues(lab, context);
                batch::add_electrostatics_difference(lab, context);
                batch::add_electrostatics_render(lab, context);
              },
          .add_bench = batch::add_electrostatics_bench};
}

}  // namespace isolume::labs::electrostatics
