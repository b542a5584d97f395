#include "app/labs/electrostatics/batch/structure_input.h"

#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/batch/parameter_flags.h"
#include "core/structures/decisions.h"

namespace isolume::batch {

void add_structure_options(CLI::App& verb, Context& context, StructureOptions& options) {
  add_option(
      verb, context, &options.charges,
      commands::path("charges",
                     "Charges that take precedence, e.g. for ligands: a table with the columns "
                     "residue,atom,charge,radius, a mol2 file, or a CIF component with partial charges")
          .group("Structure")
          .shown_as("TABLE")
          .optional());
  add_parameter_flags(verb, options.set, context);
  verb.get_option("--unknown-charge")->join(' ');  // for each residue one, or all in one
  verb.get_option("--states")->join(',');
}

void add_grid_options(CLI::App& verb, Context& context, double& spacing, double& margin) {
  add_option(verb, context, &spacing,
             commands::number("spacing", "Spacing of the grid around the molecule")
                 .group("Where")
                 .unit("angstrom")
                 .range(0.01, 100));
  add_option(verb, context, &margin,
             commands::number("margin", "Distance from the outermost atoms to the edge of the grid")
                 .group("Where")
                 .unit("angstrom")
                 .range(0, 1000));
}

structures::ChargedFileOptions options_for(const std::string& file, const StructureOptions& options) {
  using structures::ChargeFormat;
  const auto format = structures::charge_format_of(file);
  const auto& choices = options.choices;
  const structures::StructureChoices usual;
  const bool equalise = choices.unknown == structures::UnknownResidues::equalise;
  if (format != ChargeFormat::structure &&
      (choices.keep_water || choices.model > 0 || choices.assembly > 0 || choices.ph != usual.ph ||
       choices.pka != usual.pka || !choices.states.empty() || !choices.ligands.empty() ||
       !options.charges.empty() || equalise)) {
    throw UsageError(fmt::format(
        "{}: this file has its charges already. Give --model, --assembly, --ph, --pka, --states, "
        "--keep-water, --charges, --ligands and --unknown with a structure (.pdb, .pdb1, .ent, .cif, "
        ".mmcif, .pdbx, or these and .gz).",
        file));
  }
  if (format != ChargeFormat::gro && !options.topology.empty())
    throw UsageError(fmt::format("{}: --topology supplies the charges of a GRO file. Leave it out.", file));
  auto how = structures::charged_file_options(choices);
  how.prepare.given_charges = options.charges;
  how.topology = options.topology;
  return how;
}

std::vector<std::string> files_of(const std::string& file, const StructureOptions& options) {
  std::vector<std::string> files{file};
  for (const auto& each : {options.charges, options.topology}) {
    if (!each.empty()) files.push_back(each);
  }
  for (const auto& [name, charges] : structures::ligands_of(options.choices.ligands)) {
    if (!charges.file.empty()) files.push_back(charges.file.string());
  }
  return files;
}

ChargesInput read_charges(Context& context, const std::string& file, const StructureOptions& options,
                          const jobs::Progress& progress) {
  ChargesInput input{structures::read_charged_file(file, options_for(file, options), progress)};
  if (const auto& made = input.preparation; made && made->models > 1 && options.choices.model == 0)
    input.charges.remarks.dropped(
        fmt::format("The file has {} models; only model {} is used.", made->models, made->model),
        static_cast<std::size_t>(made->models - 1));
  add_inputs(context, input.charges.files);
  report(context, file, input.charges.remarks);
  return input;
}

std::vector<std::string> ChargesInput::without_parameters() const {
  return preparation ? preparation->without_parameters : structures::residues_without_parameters(charges);
}

nlohmann::ordered_json ChargesInput::atoms_without_parameters() const {
  auto counts = nlohmann::ordered_json::object();
  const auto residues = structures::residues_of(charges);
  for (const auto& [residue, atoms] : structures::atom_counts(without_parameters(), residues))
    counts[residue] = atoms;
  return counts;
}

std::vector<std::string> decisions(const ChargesInput& input) {
  std::vector<std::string> lines;
  for (const auto& row : structures::decisions_of(*input.preparation, structures::residues_of(input.charges)))
    lines.push_back(structures::line_of(row));
  return lines;
}

nlohmann::ordered_json to_json(const structures::Preparation& made) {
  using Json = nlohmann::ordered_json;
  const auto list = [](const std::vector<structures::Decision>& those) {
    auto all = Json::array();
    for (const auto& [residue, state, why] : those)
      all.push_back({{"residue", residue}, {"state", state}, {"why", why}});
    return all;
  };
  auto disulphides = Json::array(), incomplete = Json::array();
  for (const auto& each : made.disulphides)
    disulphides.push_back({{"residues", {each.first, each.second}}, {"distance_angstrom", each.distance}});
  for (const auto& each : made.incomplete)
    incomplete.push_back({{"residue", each.residue},
                          {"atoms", each.atoms},
                          {"charge", each.charge},
                          {"charge_of_whole_residue", each.expected}});
  auto alternatives = Json::array();
  for (const auto& [residue, places] : made.alternatives)
    alternatives.push_back({{"residue", residue}, {"left_out", places}});
  auto links = Json::array();
  for (const auto& each : made.sugar_links)
    links.push_back({{"residues", {each.first, each.second}},
                     {"atoms", {each.first_atom, each.second_atom}},
                     {"distance_angstrom", each.distance}});
  auto equalised = Json::array();
  for (const auto& each : made.equalised)
    equalised.push_back(
        {{"residues", each.residues}, {"charge", each.charge}, {"has_hydrogens", each.has_hydrogens}});
  return {{"force_field", structures::name_of(made.force_field)},
          {"model", made.model},
          {"models", made.models},
          {"alternatives_left_out", made.alternatives_left_out},
          {"alternatives", alternatives},
          {"waters_left_out", made.waters_left_out},
          {"water_atoms_left_out", made.water_atoms_left_out},
          {"hydrogens",
           {{"kept", made.hydrogens_kept},
            {"added", made.hydrogens_added},
            {"replaced", made.hydrogens_replaced},
            {"left_out", made.hydrogens_dropped}}},
          {"states", list(made.states)},
          {"ends", list(made.ends)},
          {"disulphides", disulphides},
          {"sugar_links", links},
          {"added_atoms", made.added_atoms},
          {"missing_atoms", incomplete},
          {"atoms_without_charge", made.unknown_atoms},
          {"ph", made.ph},
          {"pka_values", made.pka_program.empty() ? "standard" : made.pka_program},
          {"titrated_by_ph", made.titrated},
          {"charges_composed", made.composed},
          {"charges_given", made.given},
          {"charges_equalised", equalised}};
}

}  // namespace isolume::batch
