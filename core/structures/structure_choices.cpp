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
    all.push_back(
        field("unknown", &C::unknown, "Unknown residues",
              {{"uncharged", "No charge"}, {"equalise", "Electronegativity equalisation"}})
            .group("Structure")
            .help("Residues without parameters: no charges, or charges by electronegativity equalisation "
                  "(QEq), those that are bonded together."));
    auto& totals = all.emplace_back(
        field("unknown-charge", &C::unknown_charges, "Charges of unknown residues")
            .unit("e")
            .group("Structure")
            .only_when("unknown", {"equalise"})
            .help("Total charge of each such residue by name, as in NAP=-4 TES=0; all others are neutral."));
    totals.set = [set = totals.set](C& choices, const parameters::Value& value) {
      charges_by_residue(std::get<std::string>(value));
      set(choices, value);
    };
    all.push_back(field("keep-water", &C::keep_water, "Keep water")
                      .group("Structure")
                      .help("Keep a structure's water; without it, water is left out."));
    all.push_back(field("model", &C::model, "Model")
                      .range(0, most_model)
                      .group("Structure")
                      .help("Which model of a structure, by its number in the file; 0 for the first, or all "
                            "of them where frames are shown."));
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
    totals.insert(named_total(text.substr(start, at - start)));
  }
  return totals;
}

ChargedFileOptions charged_file_options(const StructureChoices& choices) {
  ChargedFileOptions options;
  options.prepare.force_field = choices.force_field;
  options.prepare.keep_water = choices.keep_water;
  options.prepare.equalise_unknown = choices.unknown == UnknownResidues::equalise;
  if (options.prepare.equalise_unknown)
    options.prepare.equalised_totals = charges_by_residue(choices.unknown_charges);
  if (choices.model > 0) options.model = choices.model;
  return options;
}

}  // namespace isolume::structures
