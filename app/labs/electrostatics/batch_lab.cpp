#include "app/batch/batch_lab.h"

#include "app/labs/electrostatics/batch_verbs.h"
#include "app/labs/electrostatics/declared_commands.h"

namespace isolume::labs::electrostatics {

/// `isolume-batch electrostatics`.
batch::BatchLab batch_lab() {
  return {.name = "electrostatics",
          .help = "Electrostatic potentials of molecules.",
          .commands = declared_commands(),
          .add_verbs = batch::add_electrostatics_potential,
          .add_bench = batch::add_electrostatics_bench};
}

}  // namespace isolume::labs::electrostatics
