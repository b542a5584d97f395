#include <memory>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "app/labs/electrostatics/batch/batch_verbs.h"
#include "app/labs/electrostatics/batch/structure_input.h"
#include "core/structures/pqr.h"

namespace isolume::batch {
namespace {

struct PrepareVerb {
  std::string file, output;
  StructureOptions structure;
  bool json = false;
};

void prepare_structure(Context& context, const PrepareVerb& options) {
  if (structures::charge_format_of(options.file) != structures::ChargeFormat::structure) {
    throw UsageError(
        fmt::format("{}: the suffix names no structure format. Give a file that ends with .pdb, .pdb1, .ent, "
                    ".cif, .mmcif or .pdbx, optionally with .gz.",
                    options.file));
  }
  check_outputs(context, std::vector{options.output}, files_of(options.file, options.structure));
  const auto input = read_charges(context, options.file, options.structure, context.progress.part(0, 0.8));
  const auto lines = decisions(input);
  structures::write_pqr(input.charges, lines, options.output, context.progress.part(0.8, 1));
  const double charge = structures::total_charge(input.charges);
  if (options.json) {
    print(context.out, {{"file", options.file},
                        {"output", options.output},
                        {"atoms", input.charges.size()},
                        {"charge", charge},
                        {"without_parameters", input.without_parameters()},
                        {"atoms_without_parameters", input.atoms_without_parameters()},
                        {"remarks", json_of(input.charges.remarks)},
                        {"preparation", to_json(*input.preparation)}});
    return;
  }
  context.out << fmt::format("{}: {} atoms, charge {:.4f} e\n", options.output, input.charges.size(), charge);
  for (const auto& line : lines) context.out << "  " << line << '\n';
}

}  // namespace

void add_electrostatics_prepare(CLI::App& lab, Context& context) {
  auto options = std::make_shared<PrepareVerb>();
  auto& command =
      add_verb(lab, "prepare", "Add hydrogens, charges and radii to a structure and write it as a PQR file.");
  add_option(command, context, &options->file,
             commands::path("FILE", "A structure in PDB format or mmCIF, plain or .gz"));
  add_option(command, context, &options->output, commands::path("output", "The PQR file to write"));
  add_structure_options(command, context, options->structure);
  add_flag(command, "json", options->json, "Print the preparation report as JSON");
  on_call(command, context, [options, &context] { prepare_structure(context, *options); });
}

}  // namespace isolume::batch
