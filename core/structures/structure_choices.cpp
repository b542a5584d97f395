#include "core/structures/structure_choices.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/molecules/line_reader.h"

namespace isolume::structures {
namespace {

constexpr double most_total = 1000;  ///< e
constexpr int most_assembly = 9999;
constexpr int most_model = 99'999'999;

[[noreturn]] void refuse(std::string_view word) {
  throw Error(quoted(word) + ": give the name of a residue and its charge in e, as NAP=-4.");
}

std::pair<std::string, double> named_total(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) refuse(word);
  const auto charge = molecules::parse_real(word.substr(equals + 1));
  if (!charge || !(std::abs(*charge) <= most_total)) refuse(word);
  return {std::string(word.substr(0, equals)), *charge};
}

}  // namespace

const parameters::Schema<StructureChoices>& structure_schema() {
  using C = StructureChoices;
  using parameters::field;
  static const parameters::Schema<C> schema([] {
    std::vector<parameters::Field<C>> all;
    all.push_back(field("force-field", &C::force_field, "Force field",
                        {{"amber", "AMBER ff14SB"}, {"charmm", "CHARMM36"}, {"parse", "PARSE"}})
                      .group("Structure")
                      .help("Force field that gives a structure its charges and radii."));
    all.push_back(field("ph", &C::ph, "pH")
                      .range(0, 14)
                      .usual(0, 14)
                      .group("Structure")
                      .help("pH for which amino acids without hydrogens are protonated."));
    all.push_back(
        field("pka", &C::pka, "pKa values",
              {{"standard", "Standard, in water"}, {"propka", "Computed by PROPKA"}})
            .group("Structure")
            .help("pKa values for the pH: standard ones in water (ASP 3.8, GLU 4.5, HIS 6.5, CYS 9, LYS "
                  "10.5), or computed from the structure by PROPKA 3 where that is installed."));
    auto& states = all.emplace_back(
        field("states", &C::states, "Protonation")
            .group("Structure")
            .help("Protonation states that override all rules, by residue: HIS A 57=HIP, ASP A 102=ASH."));
    states.set = [set = states.set](C& choices, const parameters::Value& value) {
      states_by_residue(std::get<std::string>(value));
      set(choices, value);
    };
    all.push_back(
        field("unknown", &C::unknown, "Unknown residues",
              {{"uncharged", "No charge"}, {"equalise", "Electronegativity equalisation"}})
            .group("Structure")
            .help("Residues without parameters: no charges, or charges by electronegativity equalisation "
                  "(QEq), those that are bonded together."));
    auto& totals =
        all.emplace_back(field("unknown-charge", &C::unknown_charges, "Charges of unknown residues")
                             .unit("e")
                             .group("Structure")
                             .only_when("unknown", {"equalise"})
                             .help("Total charge of each such residue by name, as in NAP=-4 TES=0. "
                                   "Others have their usual charge if it is known (SO4: -2), or 0."));
    totals.set = [set = totals.set](C& choices, const parameters::Value& value) {
      charges_by_residue(std::get<std::string>(value));
      set(choices, value);
    };
    auto& ligands = all.emplace_back(
        field("ligands", &C::ligands, "Ligand charges")
            .group("Structure")
            .help("Charges of residues by name: a net charge to equalise, a mol2, CIF component or PQR file, "
                  "or none. Example: NAP=-4; LIG=lig.mol2; GOL=none."));
    ligands.set = [set = ligands.set](C& choices, const parameters::Value& value) {
      ligands_of(std::get<std::string>(value));
      set(choices, value);
    };
    all.push_back(field("keep-water", &C::keep_water, "Keep water")
                      .group("Structure")
                      .help("Keep a structure's water; without it, water is left out."));
    all.push_back(field("assembly", &C::assembly, "Assembly")
                      .range(0, most_assembly)
                      .usual(0, 10)
                      .special(0, "As in the file")
                      .group("Structure")
                      .help("Number of the biological assembly to build from copies of chains (REMARK 350, "
                            "pdbx_struct_assembly_gen)."));
    all.push_back(field("model", &C::model, "Model")
                      .range(0, most_model)
                      .special(0, "All, or the first")
                      .group("Structure")
                      .help("Which model of a structure, by its number in the file: all of them where frames "
                            "are shown, otherwise the first, unless one is named."));
    return all;
  }());
  return schema;
}

std::map<std::string, double> charges_by_residue(std::string_view text) {
  std::map<std::string, double> totals;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = text.find_first_not_of(" ,\t\n", at);
    if (start == std::string_view::npos) break;
    at = std::min(text.find_first_of(" ,\t\n", start), text.size());
    const auto total = named_total(text.substr(start, at - start));
    if (!totals.insert(total).second)
      throw Error(isolume::quoted(total.first) + " is given a charge twice. Give each residue once.");
  }
  return totals;
}

std::map<std::string, std::string> states_by_residue(std::string_view text) {
  std::map<std::string, std::string> states;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(",;\n"), text.size());
    const auto entry = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
    if (entry.empty()) continue;
    const auto equals = entry.find('=');
    const auto residue = trimmed(entry.substr(0, equals));
    const auto state = equals == entry.npos ? std::string_view() : trimmed(entry.substr(equals + 1));
    if (residue.empty() || state.empty())
      throw Error(quoted(entry) + ": give a residue and its protonation state, such as HIS A 57=HIP.");
    if (!states.emplace(residue, state).second)
      throw Error(quoted(residue) + " is given a protonation state twice. Give each residue once.");
  }
  return states;
}

std::string text_of_states(const std::map<std::string, std::string>& states) {
  std::string text;
  for (const auto& [residue, state] : states) text += (text.empty() ? "" : ", ") + residue + "=" + state;
  return text;
}

ChargedFileOptions charged_file_options(const StructureChoices& choices) {
  ChargedFileOptions options;
  options.prepare.force_field = choices.force_field;
  options.prepare.keep_water = choices.keep_water;
  options.prepare.equalise_unknown = choices.unknown == UnknownResidues::equalise;
  if (options.prepare.equalise_unknown)
    options.prepare.equalised_totals = charges_by_residue(choices.unknown_charges);
  options.prepare.ligands = ligands_of(choices.ligands);
  options.prepare.ph = choices.ph;
  options.prepare.pka = choices.pka;
  options.prepare.states = states_by_residue(choices.states);
  options.assembly = choices.assembly;
  if (choices.model > 0) options.model = choices.model;
  return options;
}

}  // namespace isolume::structures
