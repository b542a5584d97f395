#include "core/structures/links.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace isolume::structures {
namespace {

/// The hydrogen that an atom loses on linking: the last one of its rule; for a carbon, the one of its hydroxyl group.
std::vector<std::string> gone_for_link(const HydrogenTable& rules, const std::string& base,
                                       const std::string& atom) {
  std::vector<std::string> gone;
  std::string carrier = atom;
  if (atom.front() == 'C') {
    carrier.front() = 'O';
    gone.push_back(carrier);
  }
  const auto of_residue = rules.find(base);
  if (of_residue == rules.end()) return gone;
  const auto rule = std::ranges::find(of_residue->second, carrier, &HydrogenRule::atom);
  if (rule != of_residue->second.end()) gone.push_back(rule->hydrogens.back());
  return gone;
}

const ResidueParameters* changes_for(const ParameterTable& table, const std::string& name,
                                     const LinkedAtom& link) {
  for (const auto& key :
       {fmt::format("{}/{}-{}", name, link.atom, link.partner), fmt::format("{}/{}", name, link.atom)}) {
    if (const auto found = table.find(key); found != table.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace

bool is_sugar(const ParameterTable& table, std::string_view residue) {
  const std::string links = fmt::format("{}/C", residue);
  const auto found = table.lower_bound(links);
  return found != table.end() && found->first.starts_with(links);
}

std::optional<LinkedParameters> linked_parameters(const ParameterTable& table, const HydrogenTable& rules,
                                                  const std::string& name, const std::string& base,
                                                  std::span<const LinkedAtom> links) {
  const auto whole = table.find(name);
  if (whole == table.end()) return std::nullopt;
  LinkedParameters made{whole->second, {}};
  for (const auto& link : links) {
    const auto* changes = changes_for(table, name, link);
    if (changes == nullptr) return std::nullopt;
    for (const auto& gone : gone_for_link(rules, base, link.atom)) {
      made.parameters.erase(gone);
      made.replaced.emplace(gone, link.place);
    }
    for (const auto& [atom, parameters] : *changes) made.parameters.insert_or_assign(atom, parameters);
  }
  return made;
}

}  // namespace isolume::structures
