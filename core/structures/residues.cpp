#include "core/structures/residues.h"

#include <map>
#include <ranges>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/molecules/residue_starts.h"

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
    std::set<std::string_view> atoms;  ///< of the newest residue
  };
  Residues residues;
  std::map<std::string, Named> named;
  const AtomLabel without;
  const auto label_of = [&](std::size_t atom) -> const AtomLabel& {
    return atom < charges.labels.size() ? charges.labels[atom] : without;
  };
  const auto take = [&](std::size_t first, std::size_t end, const std::string& name, Named& like,
                        bool is_new) {
    const auto is_repeated = [&](std::size_t atom) { return like.atoms.contains(label_of(atom).atom); };
    const auto range = std::views::iota(first, end);
    // Atoms of a residue that was before, such as hydrogens after all others.
    const bool is_known = !is_new && like.count > 0 && std::ranges::none_of(range, is_repeated);
    if (!is_known) {
      like.newest = static_cast<std::uint32_t>(residues.all.size());
      like.atoms.clear();
      ++like.count;
      residues.all.push_back({like.count == 1 ? name : fmt::format("{} ({})", name, like.count), {}, false});
    }
    auto& residue = residues.all[like.newest];
    for (const std::size_t atom : range) {
      like.atoms.insert(label_of(atom).atom);
      residue.atoms.push_back(static_cast<std::uint32_t>(atom));
      residue.has_parameters = residue.has_parameters || charges.charge[atom] != 0;
      residues.of_atom.push_back(like.newest);
    }
  };
  std::vector<molecules::RunAtom> run;
  for (std::size_t first = 0; first < charges.size(); first += run.size()) {
    const auto& label = label_of(first);
    run.clear();
    for (std::size_t i = first; i < charges.size() && of_like_residues(label, label_of(i)); ++i)
      run.push_back({label_of(i).atom, charges.place(i), label_of(i).atomic_number});
    auto starts = molecules::residue_starts(label.residue, run);
    starts.push_back(run.size());
    const std::string name = name_of_residue(label);
    auto& like = named[name];
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
      take(first + starts[i], first + starts[i + 1], name, like, i > 0);
  }
  return residues;
}

}  // namespace isolume::structures
