#include "app/labs/electrostatics/structure_input.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/molecules/line_reader.h"

namespace isolume::batch {

void add_structure_options(CLI::App& verb, Context& context, StructureOptions& options) {
  add_option(verb, context, &options.force_field,
             commands::choice("force-field", "Whose charges and radii a structure gets",
                              {"amber", "charmm", "parse"})
                 .group("Structure"));
  add_option(verb, context, &options.charges,
             commands::path("charges",
                            "Charges that come first, for ligands: a table with the columns "
                            "residue,atom,charge,radius, or a mol2 file")
                 .group("Structure")
                 .shown_as("TABLE")
                 .optional());
  add_option(verb, context, &options.model,
             commands::integer("model", "Which model of a structure; without it the first")
                 .group("Structure")
                 .range(0, 99999999)
                 .optional());
  add_option(verb, context, &options.unknown,
             commands::choice("unknown",
                              "Residues without parameters: no charges, or charges by electronegativity "
                              "equalisation (QEq), those that are bonded together",
                              {"uncharged", "equalise"})
                 .group("Structure"));
  add_option(verb, context, &options.unknown_charges,
             commands::text(
                 "unknown-charge",
                 "With --unknown equalise, what a residue's charges sum to, by its name, in e; 0 for others")
                 .group("Structure")
                 .shown_as("NAME=CHARGE")
                 .repeatable()
                 .optional());
  add_flag(verb, "keep-water", options.keep_water, "Keep a structure's water");
}

void add_lattice_options(CLI::App& verb, Context& context, double& spacing, double& margin) {
  add_option(verb, context, &spacing,
             commands::number("spacing", "Between points of a lattice around the molecule")
                 .group("Where")
                 .unit("angstrom")
                 .range(0.01, 100));
  add_option(verb, context, &margin,
             commands::number("margin", "From the outermost atoms to the edge of that lattice")
                 .group("Where")
                 .unit("angstrom")
                 .range(0, 1000));
}

namespace {

/// "NAP=-4".
std::pair<std::string, double> named_total(const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto charge =
      equals == std::string::npos ? std::nullopt : molecules::parse_real(text.substr(equals + 1));
  if (!charge || equals == 0 || std::abs(*charge) > 1000)
    throw UsageError(
        fmt::format("--unknown-charge {}: give the name of a residue and its charge in e, as NAP=-4.", text));
  return {text.substr(0, equals), *charge};
}

}  // namespace

structures::ChargedFileOptions options_for(const std::string& file, const StructureOptions& options) {
  using structures::ChargeFormat;
  const auto format = structures::charge_format_of(file);
  if (format != ChargeFormat::structure &&
      (options.keep_water || options.model || !options.charges.empty() || options.unknown == "equalise")) {
    throw UsageError(
        fmt::format("{}: this file has its charges already. Give --model, --keep-water, --charges and "
                    "--unknown with a structure (.pdb, .ent, .cif, .mmcif, or these and .gz).",
                    file));
  }
  if (format != ChargeFormat::gro && !options.topology.empty())
    throw UsageError(fmt::format("{}: --topology goes with a GRO file, which has no charges.", file));
  structures::ChargedFileOptions how;
  how.prepare.force_field = structures::force_field_of(options.force_field);
  how.prepare.keep_water = options.keep_water;
  how.prepare.given_charges = options.charges;
  how.prepare.equalise_unknown = options.unknown == "equalise";
  if (!options.unknown_charges.empty() && !how.prepare.equalise_unknown)
    throw UsageError("--unknown-charge goes with --unknown equalise.");
  for (const auto& each : options.unknown_charges) how.prepare.equalised_totals.insert(named_total(each));
  how.model = options.model;
  how.topology = options.topology;
  return how;
}

ChargesInput read_charges(const std::string& file, const StructureOptions& options,
                          const jobs::Progress& progress) {
  return {structures::read_charged_file(file, options_for(file, options), progress)};
}

std::vector<std::string> ChargesInput::without_parameters() const {
  return preparation ? preparation->without_parameters : structures::residues_without_parameters(charges);
}

std::vector<std::string> decisions(const structures::Preparation& made) {
  std::vector<std::string> lines{fmt::format("model {} of {}; charges and radii: {}", made.model, made.models,
                                             structures::name_of(made.force_field)),
                                 fmt::format("hydrogens: {} kept, {} added, {} replaced", made.hydrogens_kept,
                                             made.hydrogens_added, made.hydrogens_replaced)};
  if (made.waters_left_out > 0) lines.push_back(fmt::format("water left out: {}", made.waters_left_out));
  if (made.alternatives_left_out > 0)
    lines.push_back(fmt::format("alternative places of atoms left out: {}", made.alternatives_left_out));
  for (const auto* each : {&made.states, &made.ends})
    for (const auto& [residue, state, why] : *each)
      lines.push_back(fmt::format("{}: {} ({})", residue, state, why));
  for (const auto& [first, second, distance] : made.disulphides)
    lines.push_back(fmt::format("disulphide: {} and {}, {:.2f} angstrom", first, second, distance));
  for (const auto& [first_atom, first, second_atom, second, distance] : made.sugar_links)
    lines.push_back(fmt::format("link: {} of {} and {} of {}, {:.2f} angstrom", first_atom, first,
                                second_atom, second, distance));
  for (const auto& each : made.added_atoms) lines.push_back("added: " + each);
  for (const auto& each : made.incomplete)
    lines.push_back(fmt::format("{} lacks {}: charge {:.4f} e instead of {:.4f}", each.residue,
                                fmt::join(each.atoms, " "), each.charge, each.expected));
  if (!made.given.empty()) lines.push_back(fmt::format("charges given: {}", fmt::join(made.given, ", ")));
  for (const auto& each : made.equalised)
    lines.push_back(fmt::format("charges by electronegativity equalisation, {:.4g} e in all{}: {}",
                                each.charge, each.has_hydrogens ? "" : ", without hydrogens",
                                fmt::join(each.residues, ", ")));
  if (!made.unknown_atoms.empty())
    lines.push_back(fmt::format("atoms without charge: {}", fmt::join(made.unknown_atoms, ", ")));
  if (!made.without_parameters.empty())
    lines.push_back(
        fmt::format("without charge, with radii of elements: {}", fmt::join(made.without_parameters, ", ")));
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
          {"waters_left_out", made.waters_left_out},
          {"hydrogens",
           {{"kept", made.hydrogens_kept},
            {"added", made.hydrogens_added},
            {"replaced", made.hydrogens_replaced}}},
          {"states", list(made.states)},
          {"ends", list(made.ends)},
          {"disulphides", disulphides},
          {"sugar_links", links},
          {"added_atoms", made.added_atoms},
          {"missing_atoms", incomplete},
          {"atoms_without_charge", made.unknown_atoms},
          {"charges_given", made.given},
          {"charges_equalised", equalised}};
}

void warn(Context& context, const ChargesInput& input) {
  const auto unknown = input.without_parameters();
  if (!input.preparation) {
    if (!unknown.empty()) complain(context.err, fmt::format("without charge: {}", fmt::join(unknown, ", ")));
    return;
  }
  const auto& made = *input.preparation;
  if (!unknown.empty())
    complain(context.err,
             fmt::format("without charge, with radii of elements: {}; --charges or --unknown equalise gives "
                         "them some",
                         fmt::join(unknown, ", ")));
  for (const auto& each : made.incomplete)
    complain(context.err, fmt::format("{} lacks {}: charge {:.4f} e instead of {:.4f}", each.residue,
                                      fmt::join(each.atoms, " "), each.charge, each.expected));
  for (const auto& each : made.equalised)
    if (!each.has_hydrogens)
      complain(context.err,
               fmt::format("{}: charges were equalised without hydrogens, which the structure lacks",
                           fmt::join(each.residues, ", ")));
  if (!made.unknown_atoms.empty())
    complain(context.err, fmt::format("atoms without charge: {}", fmt::join(made.unknown_atoms, ", ")));
}

}  // namespace isolume::batch
