#include "core/structures/chain_ends.h"

#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/molecules/neighbourhood.h"

namespace isolume::structures {
namespace {

using molecules::Neighbourhood;

constexpr int carbon = 6;
constexpr double peptide_reach = 2.0, phosphate_reach = 2.2;  // angstrom

bool is_amino_acid(const ResidueParameters& parameters) {
  return parameters.contains("N") && parameters.contains("CA") && parameters.contains("C");
}
bool is_nucleotide(const ResidueParameters& parameters) {
  return parameters.contains("C1'") && parameters.contains("O3'");
}

bool says_that_it_begins(const Site& site) {
  if (site.known.end == 'N' || site.known.end == '5') return true;
  const std::size_t most = site.base == "PRO" || site.base == "HYP" ? 2 : 3;
  return protons(site, "N", {"H", "H1", "H2", "H3"}) >= most || protons(site, "O5'", {"HO5'"}) > 0;
}
bool says_that_it_ends(const Site& site) {
  if (site.known.end == 'C' || site.known.end == '3') return true;
  return site.find("OXT") != nullptr || protons(site, "O3'", {"HO3'"}) > 0;
}

/// The usual protonation state, for which tables have terminal variants.
std::string usual_state(const std::string& state) {
  static const std::map<std::string, std::string> usual{{"ASH", "ASP"}, {"GLH", "GLU"}, {"LYN", "LYS"},
                                                        {"CYM", "CYS"}, {"SEP", "SER"}, {"TPO", "THR"},
                                                        {"PTR", "TYR"}};
  const auto found = usual.find(state);
  return found == usual.end() ? std::string() : found->second;
}

/// The atoms of a terminal residue, modified in the same way as from `unchanged` to `changed`. Charges of atoms that
/// are removed go to `heir`, so that the total stays an integer.
ResidueParameters changed_at_end(ResidueParameters atoms, const ResidueParameters& unchanged,
                                 const ResidueParameters& changed, const std::string& heir) {
  for (const auto& [atom, parameters] : unchanged) {
    const auto at_end = atoms.find(atom);
    if (changed.contains(atom) || at_end == atoms.end()) continue;
    atoms.at(heir).charge += at_end->second.charge - parameters.charge;
    atoms.erase(at_end);
  }
  for (const auto& [atom, parameters] : changed) {
    const auto before = unchanged.find(atom);
    if (before == unchanged.end()) {
      atoms.emplace(atom, parameters);
    } else if (const auto at_end = atoms.find(atom); at_end != atoms.end()) {
      at_end->second.charge += parameters.charge - before->second.charge;
    } else {
      // H of the backbone, whose change in charge goes to N.
      atoms.at("N").charge += parameters.charge - before->second.charge;
    }
  }
  return atoms;
}

class ChainEnds {
 public:
  ChainEnds(std::vector<Site>& sites, const ParameterTable& table, const std::set<std::string>& added,
            const Surroundings& surroundings)
      : sites_(sites), table_(table), added_(added), surroundings_(surroundings) {}

  std::vector<Decision> run() {
    std::map<int, std::vector<Site*>> parts;
    for (auto& site : sites_) parts[site.source->part].push_back(&site);
    for (auto& [part, sites] : parts) join_all(sites);
    // A record TER may stand between residues that are bonded.
    std::vector<Site*> all;
    for (auto& site : sites_) all.push_back(&site);
    join_all(all);
    for (const auto& site : sites_)
      if (site.before != nullptr) leading_.insert(site.before);
    for (auto& [part, sites] : parts) {
      find_ends(sites, is_amino_acid, &ChainEnds::end_amino_acids);
      find_ends(sites, is_nucleotide, &ChainEnds::end_nucleotides);
    }
    return std::move(made_);
  }

 private:
  const ResidueParameters* parameters_of(const std::string& name) const {
    const auto found = table_.find(name);
    return found == table_.end() ? nullptr : &found->second;
  }

  static void join_all(const std::vector<Site*>& sites) {
    join(sites, "C", "N", peptide_reach);
    join(sites, "O3'", "P", phosphate_reach);
  }
  /// Joins those that are not joined yet.
  static void join(const std::vector<Site*>& sites, std::string_view last, std::string_view first,
                   double reach) {
    std::set<const Site*> joined;
    for (const auto* site : sites) joined.insert(site->before);
    Neighbourhood near(reach);
    for (std::size_t i = 0; i < sites.size(); ++i) {
      const auto* atom = joined.contains(sites[i]) ? nullptr : sites[i]->find(last);
      if (atom != nullptr) near.add(atom->place, i);
    }
    for (std::size_t i = 0; i < sites.size(); ++i) {
      const auto* atom = sites[i]->before == nullptr ? sites[i]->find(first) : nullptr;
      if (atom == nullptr) continue;
      double least = reach;
      near.near(atom->place, [&](std::size_t other, double apart) {
        if (other == i || apart >= least) return;
        sites[i]->before = sites[other];
        least = apart;
      });
    }
  }

  void find_ends(const std::vector<Site*>& sites, bool (*is_kind)(const ResidueParameters&),
                 void (ChainEnds::*end)(Site&, bool first, bool last)) {
    std::vector<Site*> chain;
    for (auto* site : sites) {
      const auto* parameters = site->is_given ? nullptr : parameters_of(site->base);
      if (parameters != nullptr && is_kind(*parameters)) chain.push_back(site);
    }
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const bool begins = chain[i]->before == nullptr && !is_blocked(*chain[i], "N"),
                 ends = !leading_.contains(chain[i]) && !is_blocked(*chain[i], "C");
      const bool first =
          begins && (i == 0 || says_that_it_begins(*chain[i]) || says_that_it_ends(*chain[i - 1]));
      const bool last = ends && (i + 1 == chain.size() || says_that_it_ends(*chain[i]) ||
                                 (chain[i + 1]->before == nullptr && says_that_it_begins(*chain[i + 1])));
      if (first || last) (this->*end)(*chain[i], first, last);
      if (begins && !first)
        made_.push_back({name_of(*chain[i]->source), "gap",
                         fmt::format("not bonded to {}; both are as in the middle of a chain",
                                     name_of(*chain[i - 1]->source))});
    }
  }

  /// Whether N is bonded to a carbon of another residue, such as a fatty acid's, or C to its N, O or S, such as a
  /// lysine's, or a cysteine's in a thioester.
  bool is_blocked(const Site& site, std::string_view end) {
    const auto* atom = site.find(end);
    if (atom == nullptr) return false;
    constexpr double longest = 1.7;  // angstrom
    const HeavyAtom* found = end == "C" ? surroundings_.acylated(site, *atom) : nullptr;
    if (end == "N") {
      surroundings_.near(atom->place, [&](const HeavyAtom& other, double apart) {
        if (other.site != &site && other.atomic_number == carbon && apart < longest) found = &other;
      });
    }
    if (found == nullptr) return false;
    made_.push_back({name_of(*site.source), "bonded",
                     fmt::format("{} is bonded to {} of {}: as in the middle of a chain", end, found->name,
                                 name_of(*found->site->source))});
    return true;
  }

  void end_amino_acids(Site& site, bool first, bool last) {
    if (first && last) return end_free_amino_acid(site);
    site.prefix = first ? "N" : "C";
    std::string why = first ? "NH3+ begins the chain" : "COO- ends the chain";
    if (first && site.base == "PRO") why = "NH2+ begins the chain";
    if (added_.contains(site.prefix + site.base))
      why += fmt::format("; charges are those of {0}{1}, changed as from {1} to {2}", site.prefix,
                         usual_state(site.base), site.base);
    if (parameters_of(site.prefix + site.base) == nullptr) {
      site.prefix.clear();
      why = fmt::format("as in the middle of a chain, because the table has no {} at its end", site.base);
    }
    made_.push_back({name_of(*site.source), site.prefix + site.base, why});
  }

  void end_free_amino_acid(Site& site) {
    if (parameters_of("NC" + site.base) == nullptr) {
      // Residues for which tables have no terminal variants: caps, and amino acids in unusual states.
      site.base = "";
      return;
    }
    site.prefix = "NC";
    made_.push_back({name_of(*site.source), site.base,
                     fmt::format("free amino acid, {0} and COO-: charges are those of N{1} and C{1}, changed "
                                 "together from {1}",
                                 site.base == "PRO" ? "NH2+" : "NH3+", site.base)});
  }

  void end_nucleotides(Site& site, bool first, bool last) {
    const bool phosphate = site.find("P") != nullptr;
    site.begins_with_phosphate = first && phosphate;
    if (first && last) {
      site.suffix = phosphate ? "3" : "N";
    } else if (last) {
      site.suffix = "3";
    } else if (!phosphate) {
      site.suffix = "5";
    }
    made_.push_back({name_of(*site.source), site.base + site.suffix,
                     first && phosphate ? "a phosphate begins the chain"
                     : first            ? "O5' begins the chain"
                                        : "O3' ends the chain"});
  }

  std::vector<Site>& sites_;
  const ParameterTable& table_;
  const std::set<std::string>& added_;
  const Surroundings& surroundings_;
  std::set<const Site*> leading_;  ///< followed by another residue
  std::vector<Decision> made_;
};

}  // namespace

std::set<std::string> add_missing_ends(ParameterTable& table) {
  std::set<std::string> added;
  for (const std::string state : {"ASH", "GLH", "LYN", "CYM", "SEP", "TPO", "PTR"}) {
    for (const std::string prefix : {"N", "C"}) {
      const std::string usual = usual_state(state);
      if (table.contains(prefix + state) || !table.contains(prefix + usual) || !table.contains(state))
        continue;
      table.emplace(prefix + state,
                    changed_at_end(table.at(prefix + usual), table.at(usual), table.at(state), "CB"));
      added.insert(prefix + state);
    }
  }
  std::vector<std::string> residues;
  for (const auto& [name, atoms] : table) residues.push_back(name);
  for (const auto& name : residues) {
    if (!table.contains("N" + name) || !table.contains("C" + name) || !is_amino_acid(table.at(name)))
      continue;
    table.emplace("NC" + name,
                  changed_at_end(table.at("N" + name), table.at(name), table.at("C" + name), "C"));
    added.insert("NC" + name);
  }
  return added;
}

std::vector<Decision> find_chain_ends(std::vector<Site>& sites, const ParameterTable& table,
                                      const std::set<std::string>& added, const Surroundings& surroundings) {
  return ChainEnds(sites, table, added, surroundings).run();
}

}  // namespace isolume::structures
