#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/labs/electrostatics/batch/batch_potential.h"
#include "app/labs/electrostatics/batch/batch_verbs.h"
#include "app/labs/electrostatics/batch/structure_input.h"
#include "app/labs/electrostatics/picture/pair_engines.h"
#include "core/base/clock.h"
#include "core/base/letter_case.h"
#include "core/base/suffix.h"
#include "core/electrostatics/potential/ions.h"
#include "core/electrostatics/potential/potential.h"
#include "core/electrostatics/surfaces/grid_around.h"
#include "core/molecules/element.h"
#include "core/structures/pdb.h"

namespace isolume::batch {
namespace {

namespace es = electrostatics;

struct IonsVerb {
  std::string file, output, ion;
  std::optional<int> count;
  double charge = 1, molar = 0, spacing = 0.5, margin = 10;
  es::IonDistances distances;
  bool neutralise = false, with_solute = false, json = false;
  StructureOptions structure;
  es::PotentialOptions how;
  parameters::StructParameters<es::PotentialOptions> set{es::potential_schema(), how};
  const CLI::App* command = nullptr;
};

void check_ion_words(const IonsVerb& verb) {
  if (verb.count && verb.neutralise)
    throw UsageError("--count and --neutralise both set the number of ions. Give one of them.");
  if (!verb.count && !verb.neutralise && !given(*verb.command, "molar"))
    throw UsageError("The number of ions is missing. Give --count, --neutralise or --molar.");
  for (const char* key : {"charge", "ion"}) {
    if (given(*verb.command, key) && !verb.count && !verb.neutralise)
      throw UsageError(
          fmt::format("--{} applies to --count or --neutralise only. Give one, or leave it out.", key));
  }
  if (verb.charge == 0)
    throw UsageError("--charge 0: an ion has a charge other than 0. Give one, e.g. 1 or -1.");
}

std::string usual_ion(double charge) {
  const auto name = es::usual_ion(charge);
  if (name.empty())
    throw UsageError(fmt::format("No usual ion has the charge {}. Give its element, e.g. --ion ZN.", charge));
  return std::string(name);
}

/// As PDB files have it.
std::string ion_name(const IonsVerb& verb, double charge) {
  if (verb.ion.empty()) return usual_ion(charge);
  const std::string name = upper_case(verb.ion);
  const bool letters = std::ranges::all_of(name, [](unsigned char c) { return std::isalpha(c) != 0; });
  if (name.size() > 2 || !letters || molecules::atomic_number(name) <= 0)
    throw UsageError(fmt::format("--ion {}: there is no element of this symbol. Give one, e.g. NA, K or CL.",
                                 isolume::quoted(verb.ion)));
  return name;
}

/// Ions that make up for the solute's charge, as well as ions of theirs can.
std::vector<double> neutralising(const IonsVerb& verb, double solute) {
  const bool is_given = given(*verb.command, "charge");
  try {
    return es::neutralising_ions(solute, is_given ? verb.charge : solute > 0 ? -1 : 1);
  } catch (const Error& error) {
    throw UsageError(fmt::format("--charge {}: {}", verb.charge, error.what()));
  }
}

struct NamedIons {
  std::vector<double> charges;
  std::vector<std::string> names;
};
NamedIons ions_asked_for(const IonsVerb& verb, double solute, const grid::Grid& grid) {
  NamedIons ions;
  ions.charges = verb.neutralise
                     ? neutralising(verb, solute)
                     : std::vector<double>(static_cast<std::size_t>(verb.count.value_or(0)), verb.charge);
  for (const double charge : ions.charges) ions.names.push_back(ion_name(verb, charge));
  // Sodium and chloride by turns.
  for (std::size_t units = es::salt_units(verb.molar, grid); units > 0; --units) {
    for (const double charge : {1.0, -1.0}) {
      ions.charges.push_back(charge);
      ions.names.push_back(usual_ion(charge));
    }
  }
  return ions;
}

void tell_ions(Context& context, const IonsVerb& verb, const ChargesInput& input,
               const std::vector<es::PlacedIon>& ions, const std::vector<std::string>& names,
               std::size_t points, double seconds) {
  const double solute = structures::total_charge(input.charges);
  double all = solute;
  for (const auto& ion : ions) all += ion.charge;
  // No minus in front of what rounds to 0.
  if (std::abs(all) < 5e-5) all = 0;
  if (!verb.json) {
    context.out << fmt::format(
        "{}: {} ions around {} atoms of charge {:.4f} e, total charge {:.4f} e, {} points: {:.3f} s\n",
        verb.output, ions.size(), input.charges.size(), solute, all, points, seconds);
    return;
  }
  auto placed = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < ions.size(); ++i) {
    const auto& ion = ions[i];
    placed.push_back({{"name", names[i]},
                      {"charge", ion.charge},
                      {"place", {ion.place.x(), ion.place.y(), ion.place.z()}},
                      {"potential", ion.potential}});
  }
  nlohmann::ordered_json told{{"file", verb.file},
                              {"output", verb.output},
                              {"method", parameters::to_text(verb.set.get("method"))},
                              {"unit", parameters::to_text(verb.set.get("unit"))},
                              {"atoms", input.charges.size()},
                              {"charge", solute},
                              {"charge_with_ions", all},
                              {"without_parameters", input.without_parameters()},
                              {"atoms_without_parameters", input.atoms_without_parameters()},
                              {"remarks", json_of(input.charges.remarks)},
                              {"points", points},
                              {"ions", placed},
                              {"seconds", seconds}};
  if (input.preparation) told["preparation"] = to_json(*input.preparation);
  print(context.out, told);
}

void put_ions(Context& context, const IonsVerb& verb) {
  check_ion_words(verb);
  check_outputs(context, std::vector{verb.output}, files_of(verb.file, verb.structure));
  if (!has_suffix(verb.output, ".pdb"))
    throw UsageError(
        fmt::format("{}: ions are written as a PDB file. Give a name that ends with .pdb.", verb.output));
  const auto input = read_charges(context, verb.file, verb.structure, context.progress.part(0, 0.1));
  const auto start = std::chrono::steady_clock::now();
  structures::check(input.charges);
  const auto grid = es::grid_around(input.charges, verb.spacing, verb.margin);
  const auto asked = ions_asked_for(verb, structures::total_charge(input.charges), grid);
  // Beside the field, each ion's own, and what is taken.
  tell_memory(
      context, verb.output, grid.point_count(),
      es::bytes_of_map(grid, input.charges, verb.how) + grid.point_count() * (sizeof(float) + sizeof(char)));
  const auto ions = es::place_ions(grid, input.charges, asked.charges, verb.how, verb.distances,
                                   context.progress.part(0.1, 0.9));
  const auto written =
      es::with_ions(verb.with_solute ? input.charges : structures::Charges(), ions, asked.names);
  const double seconds = seconds_since(start);
  structures::write_pdb(written, {}, verb.output, context.progress.part(0.9, 1));
  tell_ions(context, verb, input, ions, asked.names, grid.point_count(), seconds);
}

commands::Argument in_angstrom(std::string name, std::string help, double low, double high) {
  return commands::number(std::move(name), std::move(help)).group("Where").unit("angstrom").range(low, high);
}

}  // namespace

void add_electrostatics_ions(CLI::App& lab, Context& context) {
  auto verb = std::make_shared<IonsVerb>();
  auto& command = add_verb(
      lab, "ions",
      "Place ions around a molecule one after the other, each where the potential is most favourable. The "
      "PDB file holds the ions alone, as that of cionize does, or the molecule and the ions.");
  verb->command = &command;
  add_option(command, context, &verb->file,
             commands::path("FILE", fmt::format("Charges: {}; plain or .gz", charge_files)));
  add_option(command, context, &verb->output, commands::path("output", "The PDB file to write"));
  add_option(command, context, &verb->count,
             commands::integer("count", "Number of ions").group("Ions").range(1, 1e6).optional());
  add_option(command, context, &verb->charge,
             commands::number("charge", "Charge of each ion; with --neutralise 1 or -1 by default")
                 .group("Ions")
                 .unit("e")
                 .range(-100, 100));
  add_option(command, context, &verb->ion,
             commands::text("ion", "Element of the ions; by default NA, CL or MG according to the charge")
                 .group("Ions")
                 .optional());
  add_flag(command, "neutralise", verb->neutralise, "Place as many ions as neutralise the molecule");
  add_option(command, context, &verb->molar,
             commands::number(
                 "molar", "Concentration of additional salt in the box of the grid, NA and CL alternating")
                 .group("Ions")
                 .unit("mol/l")
                 .range(0, 10));
  add_flag(command, "with-solute", verb->with_solute, "Write the molecule's atoms before the ions");
  add_option(command, context, &verb->distances.to_solute,
             in_angstrom("distance", "Least distance from an ion to the centre of an atom", 0.1, 1000));
  add_option(command, context, &verb->distances.to_ions,
             in_angstrom("ion-distance", "Least distance between two ions", 0.1, 1000));
  add_grid_options(command, context, verb->spacing, verb->margin);
  add_structure_options(command, context, verb->structure);
  add_flag(command, "json", verb->json, "Print the ions as JSON");
  add_parameter_flags(command, verb->set, context);
  on_call(command, context, [verb, &context] {
    verb->how.engines = engines_for(verb->how);
    put_ions(context, *verb);
  });
}

}  // namespace isolume::batch
