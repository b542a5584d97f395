#include "core/structures/unknown_residues.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/base/disjoint_sets.h"
#include "core/base/error.h"
#include "core/molecules/element.h"
#include "core/molecules/neighbourhood.h"
#include "core/structures/equalise.h"
#include "core/structures/known_charges.h"

namespace isolume::structures {
namespace {

using molecules::Neighbourhood;

bool takes_part(const Charges& charges, const UnknownResidue& residue) {
  const auto labels = std::span(charges.labels).subspan(residue.first, residue.count);
  const std::string& name = residue.name;
  return (residue.count > 1 || known_charge(name)) && std::ranges::all_of(labels, [&](const auto& label) {
           return can_equalise(label.atomic_number) || known_charge(name, label.atomic_number);
         });
}

/// Whether they are closer than 1.2 times the sum of their covalent radii.
bool are_bonded(const Charges& charges, std::size_t a, std::size_t b, double apart) {
  const auto radius = [&](std::size_t atom) {
    return molecules::element(charges.labels[atom].atomic_number).covalent_radius_angstrom;
  };
  return apart < 1.2 * (radius(a) + radius(b));
}

/// Keyed by the first residue of each set.
std::map<std::size_t, std::vector<std::size_t>> joined(const Charges& charges,
                                                       std::span<const UnknownResidue> residues) {
  constexpr double longest_bond = 6;  // between two atoms of caesium
  Neighbourhood near(longest_bond);
  std::vector<std::pair<std::size_t, std::size_t>> atoms;  // and their residues
  DisjointSets groups(residues.size());
  for (std::size_t i = 0; i < residues.size(); ++i) {
    for (std::size_t at = residues[i].first; at < residues[i].first + residues[i].count; ++at) {
      near.near(charges.place(at), [&](std::size_t item, double apart) {
        if (are_bonded(charges, at, atoms[item].first, apart)) groups.join(i, atoms[item].second);
      });
      near.add(charges.place(at), atoms.size());
      atoms.emplace_back(at, i);
    }
  }
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < residues.size(); ++i) members[groups.first(i)].push_back(i);
  return members;
}

void check_totals(std::span<const UnknownResidue> residues, const PrepareOptions& options) {
  for (const auto& [name, charge] : options.equalised_totals) {
    const bool known =
        std::ranges::any_of(residues, [&](const auto& each) { return each.source->name == name; });
    if (!known)
      throw Error(
          fmt::format("{} is not a residue whose charges are equalised. Name one that has no parameters, of "
                      "elements that equalisation knows (no metals).",
                      name));
  }
}

/// The charge of a residue: that of the options, else the known one, else the sum of formal charges in the file.
double total_of(const UnknownResidue& residue, const PrepareOptions& options, Equalised& group) {
  const auto given = options.equalised_totals.find(residue.source->name);
  if (given != options.equalised_totals.end()) return given->second;
  const std::string name = name_of(*residue.source);
  int stated = 0;
  bool is_stated = false;
  for (const auto& atom : residue.source->atoms) {
    stated += atom.formal_charge;
    is_stated = is_stated || atom.formal_charge != 0;
  }
  const auto known = known_charge(residue.name);
  if (!is_stated && !known) group.assumed_neutral.push_back(name);
  if (is_stated && !known) group.formal_charges.push_back(fmt::format("{} ({:+} e)", name, stated));
  if (is_stated && known && *known != stated)
    group.other_formal_charges.push_back(fmt::format("{} ({:+g} e instead of {:+} e)", name, *known, stated));
  return known.value_or(stated);
}

}  // namespace

std::vector<Equalised> equalise_unknown(Charges& charges, std::span<const UnknownResidue> unknown,
                                        const PrepareOptions& options, const jobs::Progress& progress) {
  std::vector<UnknownResidue> residues;
  for (const auto& each : unknown)
    if (takes_part(charges, each)) residues.push_back(each);
  check_totals(residues, options);
  std::vector<Equalised> made;
  for (const auto& [first, members] : joined(charges, residues)) {
    Equalised group;
    std::vector<int> elements;
    std::vector<Eigen::Vector3d> places;
    std::vector<std::size_t> atoms;
    double shared = 0;  // charge left for the other atoms, in addition to the group's charge
    for (const std::size_t member : members) {
      const auto& residue = residues[member];
      const std::string& name = residue.name;
      group.residues.push_back(name_of(*residue.source));
      group.charge += total_of(residue, options, group);
      for (std::size_t at = residue.first; at < residue.first + residue.count; ++at) {
        if (const auto fixed = known_charge(name, charges.labels[at].atomic_number)) {
          charges.charge[at] = *fixed;
          shared -= *fixed;
          continue;
        }
        atoms.push_back(at);
        elements.push_back(charges.labels[at].atomic_number);
        places.push_back(charges.place(at));
      }
    }
    group.has_hydrogens = std::ranges::find(elements, 1) != elements.end();
    group.lacks_hydrogens = !group.has_hydrogens && std::ranges::any_of(members, [&](std::size_t member) {
      return can_have_hydrogens(residues[member].name);
    });
    const auto found = equalised_charges(elements, places, group.charge + shared, progress);
    for (std::size_t i = 0; i < atoms.size(); ++i) charges.charge[atoms[i]] = found[i];
    made.push_back(std::move(group));
  }
  return made;
}

}  // namespace isolume::structures
