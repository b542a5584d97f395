#include "core/molecules/residue_starts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "core/molecules/element.h"
#include "core/molecules/neighbourhood.h"
#include "core/molecules/residue_names.h"

namespace isolume::molecules {
namespace {

using Starts = std::vector<std::size_t>;

bool is_named_as_element(const RunAtom& atom) {
  const bool is_letters = std::ranges::none_of(atom.name, [](char c) { return c >= '0' && c <= '9'; });
  const int element = is_letters ? atomic_number(atom.name) : -1;
  return element > 0 && (atom.element == 0 || atom.element == element);
}

/// Several ions of a residue ION are called by their atoms' names alone.
bool are_unnamed_ions(std::string_view residue, std::span<const RunAtom> run) {
  return !is_listed_residue(residue) && std::ranges::all_of(run, [&](const auto& atom) {
    const std::string name(atom.name);
    const auto kind = known_residue(residue, std::span(&name, 1)).kind;
    return kind == ResidueKind::water || kind == ResidueKind::ion;
  });
}

class Run {
 public:
  Run(std::string_view residue, std::span<const RunAtom> atoms)
      : residue_(residue),
        atoms_(atoms),
        is_monomer_(is_monomer_name(residue)),
        is_listed_(is_listed_residue(residue)) {}

  Starts starts() const {
    if (atoms_.size() == 1) return {0};
    if (are_unnamed_ions(residue_, atoms_)) {
      Starts all(atoms_.size());
      std::iota(all.begin(), all.end(), 0U);
      return all;
    }
    if (!is_listed_ && is_named_as_element(atoms_[0])) {
      if (auto copies = starts_of_copies(); copies.size() > 1) return copies;
    }
    return starts_by_names();
  }

 private:
  Starts starts_by_names() const {
    Starts found{0};
    std::map<std::string_view, std::size_t> names;
    bool are_elements = true;  // all names since the residue began
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      const auto before = atoms_[i].is_alternative ? names.end() : names.find(atoms_[i].name);
      if (before != names.end() && begins_again(i, before->second, found.back(), are_elements)) {
        found.push_back(i);
        names.clear();
        are_elements = true;
      }
      are_elements = are_elements && is_named_as_element(atoms_[i]);
      if (!atoms_[i].is_alternative) names.emplace(atoms_[i].name, i);
    }
    return found;
  }

  /// Whether an atom that repeats a name begins a residue. A monomer begins where its first atom or its backbone is
  /// repeated; other repetitions, and those at nearly the same place, are further places of one atom whose letters of
  /// alternate locations are lost. In water, ions and sugars only hydrogens may have the same name. Other residues
  /// begin with the name of their first atom, unless all atoms are called by their elements, as in Open Babel's files.
  bool begins_again(std::size_t atom, std::size_t before, std::size_t first, bool are_elements) const {
    const auto name = atoms_[atom].name;
    const bool is_first_name = name == atoms_[first].name;
    if (is_monomer_) {
      static const std::set<std::string_view> backbone{"N", "CA", "P", "C1'", "C1*"};
      constexpr double near = 1.2;  // angstrom; no atoms of two molecules are as near as this
      return (is_first_name || backbone.contains(name)) && !is_hydrogen_name(name) &&
             (atoms_[atom].place - atoms_[before].place).norm() > near;
    }
    if (is_listed_) {
      if (!is_hydrogen_name(name)) return true;
      const auto residue = atoms_.subspan(first, atom - first);
      const bool has_others =
          std::ranges::any_of(residue, [](const auto& each) { return !is_hydrogen_name(each.name); });
      return is_first_name && has_others && !is_bonded_to_any(atom, first);
    }
    if (!is_first_name) return false;
    return !is_named_as_element(atoms_[first]) || (!are_elements && !is_bonded_to_any(atom, first));
  }

  int element_of(const RunAtom& atom) const {
    return atom.element > 0 ? atom.element : element_of_name(atom.name, residue_);
  }
  bool are_bonded(std::size_t one, std::size_t other) const {
    const auto radius = [&](std::size_t atom) {
      return element(element_of(atoms_[atom])).covalent_radius_angstrom;
    };
    return (atoms_[one].place - atoms_[other].place).norm() < 1.2 * (radius(one) + radius(other));
  }
  bool is_bonded_to_any(std::size_t atom, std::size_t first) const {
    for (std::size_t i = first; i < atom; ++i)
      if (are_bonded(i, atom)) return true;
    return false;
  }

  /// The molecules that bonds make, if they have the same names in the same order: "S O O O O" twice. Otherwise none.
  Starts starts_of_copies() const {
    const auto of_atom = molecules_by_bonds();
    Starts found;
    for (std::size_t i = 0; i < atoms_.size(); ++i)
      if (i == 0 || of_atom[i] != of_atom[i - 1]) found.push_back(i);
    const std::size_t length = found.size() > 1 ? found[1] : atoms_.size();
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      const bool is_copy = of_atom[i] == i - i % length && atoms_[i].name == atoms_[i % length].name;
      if (!is_copy) return {};
    }
    return atoms_.size() % length == 0 ? found : Starts{};
  }
  /// The first atom of the molecule of each atom.
  std::vector<std::size_t> molecules_by_bonds() const {
    constexpr double longest_bond = 4;  // angstrom; between heavy metals
    std::vector<std::size_t> first(atoms_.size());
    std::iota(first.begin(), first.end(), 0U);
    const auto root = [&](std::size_t atom) {
      while (first[atom] != atom) atom = first[atom] = first[first[atom]];
      return atom;
    };
    Neighbourhood near(longest_bond);
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      near.near(atoms_[i].place, [&](std::size_t other, double) {
        if (!are_bonded(i, other)) return;
        const std::size_t one = root(i), another = root(other);
        first[std::max(one, another)] = std::min(one, another);
      });
      near.add(atoms_[i].place, i);
    }
    for (std::size_t i = 0; i < atoms_.size(); ++i) first[i] = root(i);
    return first;
  }

  std::string_view residue_;
  std::span<const RunAtom> atoms_;
  bool is_monomer_, is_listed_;
};

}  // namespace

std::vector<std::size_t> residue_starts(std::string_view residue, std::span<const RunAtom> run) {
  return Run(residue, run).starts();
}

}  // namespace isolume::molecules
