#include "app/batch/batch_lab.h"

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/labs/electrostatics/batch_verbs.h"
#include "app/labs/electrostatics/declared_commands.h"
#include "core/electrostatics/options.h"

namespace isolume::batch {

void check_dielectric(const CLI::App& command, const electrostatics::PotentialOptions& how) {
  using namespace electrostatics;
  if (how.dielectric == Dielectric::constant || takes_dielectric(how.method) || !given(command, "dielectric"))
    return;
  const auto& method =
      potential_schema().at("method").description.choices.at(static_cast<std::size_t>(how.method));
  throw UsageError(
      fmt::format("--dielectric distance: {} (--method {}) uses its own permittivity. Give --method direct "
                  "or cutoff, or leave out --dielectric.",
                  method.label, method.key));
}

}  // namespace isolume::batch

namespace isolume::labs::electrostatics {

/// `isolume-batch electrostatics`.
batch::BatchLab batch_lab() {
  return {.name = "electrostatics",
          .help = "Electrostatic potentials of molecules.",
          .commands = declared_commands(),
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
