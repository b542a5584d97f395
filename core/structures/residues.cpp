#include "core/structures/residues.h"

#include <map>
#include <set>

#include <fmt/format.h>

namespace isolume::structures {

namespace {

bool of_like_residues(const AtomLabel& one, const AtomLabel& other) {
  return one.number == other.number && one.insertion == other.insertion && one.residue == other.residue &&
         one.chain == other.chain;
}

}  // namespace

Residues residues_of(const Charges& charges) {
  struct Named {
    std::uint32_t newest = 0;
    int count = 0;
    std::set<std::string> atoms;  ///< of the current residue
  };
  Residues residues;
  std::map<std::string, Named> named;
  const AtomLabel without;
  const AtomLabel* before = nullptr;
  std::string name;
  Named* likes = nullptr;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const AtomLabel& label = i < charges.labels.size() ? charges.labels[i] : without;
    // Names are made once per run of atoms: for millions of atoms, this takes most of the time.
    if (before == nullptr || !of_like_residues(*before, label)) {
      name = name_of_residue(label);
      likes = &named[name];
    }
    before = &label;
    Named& like = *likes;
    if (like.count == 0 || !like.atoms.insert(label.atom).second) {
      like.newest = static_cast<std::uint32_t>(residues.all.size());
      like.atoms = {label.atom};
      ++like.count;
      residues.all.push_back({like.count == 1 ? name : fmt::format("{} ({})", name, like.count), {}, false});
    }
    auto& residue = residues.all[like.newest];
    residue.atoms.push_back(static_cast<std::uint32_t>(i));
    residue.has_parameters = residue.has_parameters || charges.charge[i] != 0;
    residues.of_atom.push_back(like.newest);
  }
  return residues;
}

}  // namespace isolume::structures
