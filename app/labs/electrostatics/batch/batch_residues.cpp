#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/labs/electrostatics/batch/batch_potential.h"
#include "app/labs/electrostatics/batch/batch_verbs.h"
#include "app/labs/electrostatics/batch/structure_input.h"
#include "app/labs/electrostatics/picture/first_choices.h"
#include "app/labs/electrostatics/picture/pair_engines.h"
#include "core/base/suffix.h"
#include "core/electrostatics/poisson_boltzmann/solvent_surfaces.h"
#include "core/electrostatics/potential/map_difference.h"
#include "core/electrostatics/potential/potential.h"
#include "core/electrostatics/surfaces/grid_around.h"
#include "core/electrostatics/surfaces/residue_values.h"
#include "core/electrostatics/surfaces/surface_patches.h"
#include "core/electrostatics/surfaces/surface_samples.h"
#include "core/structures/selection.h"

namespace isolume::batch {
namespace {

namespace es = electrostatics;

struct ResiduesVerb {
  std::string file, output, patches, atoms, selection, form = "ses";
  es::PatchOptions patch;
  double sample_height = 0, spacing = 0.5, margin = 10;
  StructureOptions structure;
  bool json = false;
  es::PotentialOptions how = labs::electrostatics::usual_options();
  parameters::StructParameters<es::PotentialOptions> set{es::potential_schema(), how};
};

es::SampledSurface sampled_surface(const ResiduesVerb& options) {
  return {labs::electrostatics::surface_form(options.form), options.sample_height};
}

nlohmann::ordered_json json_of(const es::ResidueValues& values) {
  const auto known = [](double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  return {{"residue", values.name},
          {"atoms", values.atoms},
          {"charge", values.charge},
          {"area_square_angstrom", values.area},
          {"mean", known(values.mean)},
          {"lowest", known(values.lowest)},
          {"highest", known(values.highest)},
          {"energy_kj_per_mol", values.energy_kj_per_mol},
          {"has_parameters", values.has_parameters}};
}

nlohmann::ordered_json json_of(const std::vector<es::SurfacePatch>& patches, const es::Residues& residues) {
  auto all = nlohmann::ordered_json::array();
  for (const auto& each : patches) {
    auto parts = nlohmann::ordered_json::array();
    for (const auto& [residue, area] : each.residues)
      parts.push_back({{"residue", residues.all[residue].name}, {"area_square_angstrom", area}});
    all.push_back({{"area_square_angstrom", each.area},
                   {"mean", each.mean},
                   {"extreme", each.extreme},
                   {"place_angstrom", {each.place.x(), each.place.y(), each.place.z()}},
                   {"residues", parts}});
  }
  return all;
}

double charge_of(const std::vector<es::ResidueValues>& values) {
  double sum = 0;
  for (const auto& each : values) sum += each.charge;
  return std::abs(sum) < 5e-5 ? 0 : sum;  // no minus in front of what rounds to 0
}

void tell_residues(Context& context, const ResiduesVerb& options, const ChargesInput& input,
                   const std::vector<es::ResidueValues>& values,
                   const std::vector<es::SurfacePatch>& patches) {
  if (!options.json) {
    context.out << fmt::format("{}: {} residues, charge {:.4f} e\n", options.output, values.size(),
                               charge_of(values));
    if (!options.patches.empty())
      context.out << fmt::format("{}: {} patches\n", options.patches, patches.size());
    if (!options.atoms.empty()) context.out << fmt::format("{}: atoms\n", options.atoms);
    return;
  }
  auto all = nlohmann::ordered_json::array();
  for (const auto& each : values) all.push_back(json_of(each));
  nlohmann::ordered_json told = {{"file", options.file},
                                 {"output", options.output},
                                 {"method", parameters::to_text(options.set.get("method"))},
                                 {"unit", parameters::to_text(options.set.get("unit"))},
                                 {"charge", structures::total_charge(input.charges)},
                                 {"without_parameters", input.without_parameters()},
                                 {"atoms_without_parameters", input.atoms_without_parameters()},
                                 {"remarks", json_of(input.charges.remarks)},
                                 {"residues", all}};
  if (!options.patches.empty()) told["patches"] = json_of(patches, es::residues_of(input.charges));
  print(context.out, told);
}

/// Rows of residues that have a selected atom; all without an expression.
std::vector<es::ResidueValues> selected_rows(std::vector<es::ResidueValues> values,
                                             const structures::Charges& charges,
                                             const std::string& selection) {
  if (selection.empty()) return values;
  const auto atoms = structures::select_atoms(charges, selection);
  const auto residues = es::residues_of(charges);
  std::vector<es::ResidueValues> kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::ranges::any_of(residues.all[i].atoms, [&](std::uint32_t atom) { return atoms[atom]; }))
      kept.push_back(std::move(values[i]));
  }
  return kept;
}

std::vector<es::SurfacePatch> write_patches(const ResiduesVerb& options, const structures::Charges& charges,
                                            const grid::ScalarField& map, es::SolventSurfaces& known,
                                            const jobs::Progress& progress) {
  if (options.patches.empty()) return {};
  const auto residues = es::residues_of(charges);
  auto patches = es::surface_patches(
      es::sample_surface(charges, map, sampled_surface(options), options.how, known, progress), residues,
      options.patch);
  es::write_surface_patches(patches, residues, options.patch, es::to_text(options.how.unit), options.patches);
  return patches;
}

void write_residues(Context& context, const ResiduesVerb& options) {
  std::vector<std::string> outputs{options.output};
  for (const auto& table : {options.patches, options.atoms}) {
    if (!table.empty()) outputs.push_back(table);
  }
  for (const std::string& each : outputs) {
    if (!has_suffix(each, ".csv"))
      throw UsageError(fmt::format("{}: this is a table. Give a name that ends with .csv.", each));
  }
  check_outputs(context, outputs, files_of(options.file, options.structure));
  if (!options.selection.empty()) structures::check_selection(options.selection);  // before the long work
  const auto input = read_charges(context, options.file, options.structure, context.progress.part(0, 0.1));
  const auto grid = es::grid_around(input.charges, options.spacing, options.margin);
  tell_memory(context, options.output, grid.point_count(),
              es::bytes_of_map(grid, input.charges, options.how));
  const auto map = es::potential_on(grid, input.charges, options.how, context.progress.part(0.1, 0.5)).values;
  const auto at_atoms =
      es::potential_at_atoms(input.charges, map, options.how, context.progress.part(0.5, 0.8));
  es::SolventSurfaces known;
  const auto values =
      selected_rows(es::residue_values(input.charges, map, at_atoms, options.how, sampled_surface(options),
                                       known, context.progress.part(0.8, 0.9)),
                    input.charges, options.selection);
  if (values.empty() && !options.selection.empty())
    complain(context.err, structures::no_atom_matches(options.selection));
  es::write_residue_values(values, es::to_text(options.how.unit), options.output);
  if (!options.atoms.empty()) {
    const auto selected = options.selection.empty()
                              ? std::vector<bool>()
                              : structures::select_atoms(input.charges, options.selection);
    es::write_atom_values(input.charges, at_atoms, options.how, options.atoms, selected);
  }
  const auto patches = write_patches(options, input.charges, map, known, context.progress.part(0.9, 1));
  tell_residues(context, options, input, values, patches);
}

}  // namespace

void add_electrostatics_residues(CLI::App& lab, Context& context) {
  auto options = std::make_shared<ResiduesVerb>();
  auto& command = add_verb(
      lab, "residues", "Write a table of a molecule's residues: charge, potential on the surface, energy.");
  add_option(command, context, &options->file,
             commands::path("FILE", fmt::format("Charges: {}; plain or .gz", charge_files)));
  add_option(command, context, &options->output, commands::path("output", "The table to write, .csv"));
  add_option(command, context, &options->patches,
             commands::path("patches",
                            "Second table, .csv: connected patches of the molecular surface with a strong "
                            "potential, and their residues")
                 .optional());
  add_option(command, context, &options->atoms,
             commands::path("atoms",
                            "Table of atoms, .csv: charge, radius, potential of all other charges and the "
                            "solvent reaction field, energy in kJ/mol")
                 .optional());
  add_option(command, context, &options->patch.threshold,
             commands::number("patch-threshold", "Least magnitude of the potential on a patch")
                 .range(1e-6, 1e6)
                 .optional(options->patch.threshold));
  add_option(command, context, &options->patch.least_area,
             commands::number("patch-area", "Smallest area of a patch; smaller ones are left out")
                 .unit("Å²")
                 .range(0, 1e6)
                 .optional(options->patch.least_area));
  add_option(command, context, &options->selection,
             commands::text("selection", fmt::format("List only residues with a selected atom: {}",
                                                     structures::selection_words))
                 .optional());
  std::vector<std::string> names;
  for (const auto& each : labs::electrostatics::surface_forms()) names.push_back(each.key);
  add_option(command, context, &options->form,
             commands::choice("form", "Molecular surface on which the potential is sampled", names));
  add_option(
      command, context, &options->sample_height,
      commands::number("sample-height",
                       "Distance above the surface, along its normals, at which the potential is sampled")
          .unit("Å")
          .range(0, 10)
          .optional(options->sample_height));
  add_grid_options(command, context, options->spacing, options->margin);
  add_structure_options(command, context, options->structure);
  add_flag(command, "json", options->json, "Print the table as JSON, too");
  add_parameter_flags(command, options->set, context);
  on_call(command, context, [options, &command, &context] {
    for (const char* key : {"patch-threshold", "patch-area"}) {
      if (given(command, key) && options->patches.empty())
        throw UsageError(
            fmt::format("--{} applies to the table of --patches only. Give that, or leave it out.", key));
    }
    options->how.engines = engines_for(options->how);
    write_residues(context, *options);
  });
}

}  // namespace isolume::batch
