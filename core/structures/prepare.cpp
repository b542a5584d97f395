#include "core/structures/prepare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/molecules/element.h"
#include "core/structures/hydrogens.h"
#include "core/structures/links.h"
#include "core/structures/neighbourhood.h"
#include "core/structures/residue_tables.h"
#include "core/structures/unknown_residues.h"

namespace isolume::structures {
namespace {

using Eigen::Vector3d;

constexpr double disulphide_reach = 2.5, peptide_reach = 2.0, phosphate_reach = 2.2,
                 hydrogen_bond_reach = 3.5, acceptor_reach = 2.4, link_reach = 2.0;

/// What options call force fields, and their tables.
constexpr std::array<std::string_view, 3> force_field_words{"amber", "charmm", "parse"};

/// A residue on its way: what it is, and how it hangs together with others.
struct Site {
  const Residue* source = nullptr;
  std::string base;    ///< name in the tables, without what the end of a chain adds: "HID"
  std::string prefix;  ///< N or C
  std::string suffix;  ///< 5, 3 or N
  const ResidueParameters* parameters = nullptr;
  bool is_given = false;
  const Site* before = nullptr;  ///< bonded to its N
  std::vector<StructureAtom> atoms;
  std::vector<LinkedAtom> links = {};
  LinkedParameters linked = {};  ///< with links

  const StructureAtom* find(std::string_view name) const {
    const auto found = std::ranges::find(atoms, name, &StructureAtom::name);
    return found == atoms.end() ? nullptr : &*found;
  }
};

/// What hydrogens and histidines look at.
struct HeavyAtom {
  const Site* site = nullptr;
  std::string name;
  int atomic_number = 0;
  Vector3d place;
};

bool is_water(const std::string& name) {
  return name == "HOH" || name == "WAT" || name == "DOD" || name == "H2O";
}

bool is_hydrogen(const StructureAtom& atom) {
  return atom.atomic_number == 1;
}

std::string base_name(const Residue& residue) {
  static const std::map<std::string, std::string, std::less<>> names{
      {"HSD", "HID"}, {"HSE", "HIE"}, {"HSP", "HIP"}, {"MSE", "MET"},
      {"WAT", "HOH"}, {"DOD", "HOH"}, {"H2O", "HOH"}};
  const auto found = names.find(residue.name);
  return found == names.end() ? residue.name : found->second;
}

bool is_amino_acid(const ResidueParameters& parameters) {
  return parameters.contains("N") && parameters.contains("CA") && parameters.contains("C");
}
bool is_nucleotide(const ResidueParameters& parameters) {
  return parameters.contains("C1'") && parameters.contains("O3'");
}

double distance(const StructureAtom* a, const StructureAtom* b) {
  return a == nullptr || b == nullptr ? std::numeric_limits<double>::infinity()
                                      : (a->place - b->place).norm();
}

/// Does the steps in turn; each leaves what the next needs.
class Preparing {
 public:
  Preparing(const PrepareOptions& options, const jobs::Progress& progress)
      : options_(options),
        progress_(progress),
        table_(read_parameters(resource(fmt::format("charges/{}.csv", word_of(options.force_field))))),
        rules_(read_hydrogen_rules(resource("charges/hydrogens.csv"))) {
    if (!options.given_charges.empty()) given_ = read_given_charges(options.given_charges);
  }

  Preparation run(const Structure& structure) {
    made_.force_field = options_.force_field;
    made_.model = structure.model;
    made_.models = structure.models;
    made_.alternatives_left_out = structure.alternatives;
    for (const auto& residue : structure.residues) {
      if (residue.alternatives > 0) made_.alternatives.emplace_back(name_of(residue), residue.alternatives);
    }
    made_.charges.cell = structure.cell;
    take_residues(structure);
    note_neighbours();
    find_disulphides();
    for (auto& site : sites_) find_state(site);
    find_ends();
    find_links();
    for (auto& site : sites_) {
      progress_.check();
      find_parameters(site);
      complete(site);
    }
    // Hydroxyls look at the atoms of all residues, hydrogens but for theirs.
    for (auto& site : sites_) {
      progress_.check();
      finish(site);
    }
    check_given();
    if (options_.equalise_unknown) equalise();
    check(made_.charges);
    return std::move(made_);
  }

 private:
  void take_residues(const Structure& structure) {
    for (const auto& residue : structure.residues) {
      if (is_water(residue.name) && !options_.keep_water) {
        ++made_.waters_left_out;
        continue;
      }
      sites_.push_back({&residue,
                        base_name(residue),
                        {},
                        {},
                        nullptr,
                        given_.contains(residue.name),
                        nullptr,
                        residue.atoms});
      auto& site = sites_.back();
      if (residue.name == "MSE" && !site.is_given) {
        for (auto& atom : site.atoms)
          if (atom.name == "SE") atom.name = "SD";
        decide(site, "MET", "selenomethionine has the charges of methionine");
      }
    }
    if (sites_.empty())
      throw Error("Nothing but water is in the structure. Keep it with --keep-water, or give another one.");
  }

  void note_neighbours() {
    for (const auto& site : sites_) {
      for (const auto& atom : site.atoms)
        if (!is_hydrogen(atom)) note(site, atom);
    }
  }
  void note(const Site& site, const StructureAtom& atom) {
    near_.add(atom.place, heavy_.size());
    heavy_.push_back({&site, atom.name, atom.atomic_number, atom.place});
  }

  void decide(const Site& site, std::string state, std::string why) {
    made_.states.push_back({name_of(*site.source), std::move(state), std::move(why)});
  }

  void find_disulphides() {
    for (auto& site : sites_) {
      const auto* sulphur = site.find("SG");
      if (sulphur == nullptr || !is_cysteine(site) || is_bridged(site)) continue;
      const Site* partner = nullptr;
      double nearest = disulphide_reach;
      near_.near(sulphur->place, [&](std::size_t item, double apart) {
        const auto& other = heavy_[item];
        if (other.site == &site || other.name != "SG" || !is_cysteine(*other.site) || apart >= nearest)
          return;
        if (is_bridged(*other.site)) return;
        partner = other.site;
        nearest = apart;
      });
      if (partner == nullptr) continue;
      site.base = "CYX";
      sites_[static_cast<std::size_t>(partner - sites_.data())].base = "CYX";
      bridged_.insert({&site, partner});
      made_.disulphides.push_back({name_of(*site.source), name_of(*partner->source), nearest});
    }
  }
  static bool is_cysteine(const Site& site) {
    return !site.is_given && (site.base == "CYS" || site.base == "CYX");
  }
  bool is_bridged(const Site& site) const { return bridged_.contains(&site); }

  void find_state(Site& site) {
    if (site.is_given) return;
    const std::string& name = site.source->name;
    if (name == "HIS") return find_histidine(site);
    // Entries before 2008 call both kinds of nucleotides alike.
    const bool was_dna = (name == "A" || name == "C" || name == "G") && site.find("O2'") == nullptr &&
                         site.find("C2'") != nullptr;
    if (was_dna) site.base = "D" + name;
    if (name == "CYX" && !is_bridged(site))
      decide(site, "CYX", "its name says so, but no other sulphur is near");
    if (name == "ASP" && site.find("HD2") != nullptr) site.base = "ASH";
    if (name == "GLU" && site.find("HE2") != nullptr) site.base = "GLH";
    if (site.base == "ASH" || site.base == "GLH")
      decide(site, site.base, name == site.base ? "its name says so" : "its hydrogens say so");
    const std::array<std::string_view, 5> named{"HID", "HIE", "HIP", "LYN", "CYM"};
    if (std::ranges::find(named, site.base) != named.end()) decide(site, site.base, "its name says so");
  }

  void find_histidine(Site& site) {
    const bool delta = site.find("HD1") != nullptr, epsilon = site.find("HE2") != nullptr;
    if (delta || epsilon) {
      site.base = delta && epsilon ? "HIP" : delta ? "HID" : "HIE";
      return decide(site, site.base, "its hydrogens say so");
    }
    const auto at_delta = partner(site, "ND1", "CG", "CE1"), at_epsilon = partner(site, "NE2", "CE1", "CD2");
    const double for_delta = at_delta.second - at_epsilon.second;
    site.base = for_delta > 0 ? "HID" : "HIE";
    const auto& told = std::abs(at_delta.second) > std::abs(at_epsilon.second) ? at_delta : at_epsilon;
    decide(
        site, site.base,
        told.first.empty() ? "neither nitrogen has a partner" : "partner in a hydrogen bond: " + told.first);
  }

  /// The nearest atom within 60 degrees of where a nitrogen of histidine, between two neighbours in the ring, has its proton,
  /// and how much it asks for a proton between: more the nearer an acceptor is, less than 0 for donors and metals.
  std::pair<std::string, double> partner(const Site& site, std::string_view nitrogen, std::string_view first,
                                         std::string_view second) const {
    const auto *atom = site.find(nitrogen), *left = site.find(first), *right = site.find(second);
    std::pair<std::string, double> found{"", 0};
    if (atom == nullptr || left == nullptr || right == nullptr) return found;
    const Vector3d outwards = (2 * atom->place - left->place - right->place).normalized();
    near_.near(atom->place, [&](std::size_t item, double apart) {
      const auto& other = heavy_[item];
      const double weight = hydrogen_bond_reach - apart + 0.1;
      const int role = role_of(other);
      const bool in_front = (other.place - atom->place).dot(outwards) > 0.5 * apart;
      if (other.site == &site || !in_front || role == 0 || weight < std::abs(found.second)) return;
      found = {fmt::format("{} of {}, {:.2f} angstrom from {}", other.name, name_of(*other.site->source),
                           apart, nitrogen),
               role * weight};
    });
    return found;
  }
  /// 1: takes protons, -1: has one or is a metal, 0: neither, or either.
  static int role_of(const HeavyAtom& atom) {
    static const std::set<std::string, std::less<>> acceptors{"O",   "OXT", "OD1", "OD2",
                                                              "OE1", "OE2", "OP1", "OP2"};
    static const std::set<std::string, std::less<>> donors{"N", "NE", "NH1", "NH2", "NZ", "ND2", "NE1"};
    if (atom.atomic_number == 8) return acceptors.contains(atom.name) ? 1 : 0;
    if (atom.atomic_number == 7) return donors.contains(atom.name) ? -1 : 0;
    const std::set<int> others{6, 9, 15, 16, 17, 34, 35, 53};
    return atom.atomic_number < 3 || others.contains(atom.atomic_number) ? 0 : -1;
  }

  const ResidueParameters* parameters_of(const std::string& name) const {
    const auto found = table_.find(name);
    return found == table_.end() ? nullptr : &found->second;
  }

  void find_ends() {
    std::map<int, std::vector<Site*>> parts;
    for (auto& site : sites_) parts[site.source->part].push_back(&site);
    for (auto& [part, sites] : parts) {
      join(sites);
      find_ends_of(sites, is_amino_acid, &Preparing::end_amino_acids);
      find_ends_of(sites, is_nucleotide, &Preparing::end_nucleotides);
    }
  }

  static void join(const std::vector<Site*>& sites) {
    for (std::size_t i = 0; i < sites.size(); ++i) {
      // A ring closes with the last one.
      auto* before = sites[(i + sites.size() - 1) % sites.size()];
      const bool peptide = distance(before->find("C"), sites[i]->find("N")) < peptide_reach;
      const bool phosphate = distance(before->find("O3'"), sites[i]->find("P")) < phosphate_reach;
      if (before != sites[i] && (peptide || phosphate)) sites[i]->before = before;
    }
  }

  void find_ends_of(const std::vector<Site*>& sites, bool (*is_kind)(const ResidueParameters&),
                    void (Preparing::*end)(Site&, bool first, bool last)) {
    std::vector<Site*> chain;
    std::set<const Site*> leading;  // to another residue
    for (auto* site : sites) {
      if (site->before != nullptr) leading.insert(site->before);
      const auto* parameters = site->is_given ? nullptr : parameters_of(site->base);
      if (parameters != nullptr && is_kind(*parameters)) chain.push_back(site);
    }
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const bool leads_on = leading.contains(chain[i]);
      const bool first = i == 0 && chain[i]->before == nullptr, last = i + 1 == chain.size() && !leads_on;
      if (first || last) (this->*end)(*chain[i], first, last);
      if (i > 0 && chain[i]->before == nullptr)
        made_.ends.push_back({name_of(*chain[i]->source), "gap",
                              fmt::format("not bonded to {}; both are as in the middle of a chain",
                                          name_of(*chain[i - 1]->source))});
    }
  }

  void end_amino_acids(Site& site, bool first, bool last) {
    if (first && last) {
      site.base = "";  // a free amino acid, which the tables lack
      return;
    }
    site.prefix = first ? "N" : "C";
    static const std::map<std::string, std::string, std::less<>> usual{
        {"ASH", "ASP"}, {"GLH", "GLU"}, {"LYN", "LYS"}, {"CYM", "CYS"}};
    std::string why = first ? "NH3+ begins the chain" : "COO- ends the chain";
    if (first && site.base == "PRO") why = "NH2+ begins the chain";
    if (const auto other = usual.find(site.base);
        other != usual.end() && parameters_of(site.prefix + site.base) == nullptr) {
      why +=
          fmt::format("; {} as {}, because the table has no {} there", site.base, other->second, site.base);
      site.base = other->second;
    }
    if (parameters_of(site.prefix + site.base) == nullptr) {
      site.prefix.clear();
      why = fmt::format("as in the middle of a chain, because the table has no {} at its end", site.base);
    }
    made_.ends.push_back({name_of(*site.source), site.prefix + site.base, why});
  }

  void end_nucleotides(Site& site, bool first, bool last) {
    const bool phosphate = site.find("P") != nullptr;
    if (first && last) {
      site.suffix = phosphate ? "3" : "N";
    } else if (last) {
      site.suffix = "3";
    } else if (!phosphate) {
      site.suffix = "5";
    }
    made_.ends.push_back({name_of(*site.source), site.base + site.suffix,
                          first && phosphate
                              ? "the chain begins with a phosphate, as in its middle: its charge is not whole"
                          : first ? "O5' begins the chain"
                                  : "O3' ends the chain"});
  }

  bool can_be_sugar(const Site& site) const { return !site.is_given && is_sugar(table_, site.base); }
  /// Elements whose bonds are short enough to be told from neighbourhood.
  static bool bonds_covalently(int atomic_number) {
    return (atomic_number >= 6 && atomic_number <= 8) || atomic_number == 15 || atomic_number == 16;
  }

  void find_links() {
    for (auto& site : sites_) {
      if (!can_be_sugar(site)) continue;
      for (const auto& atom : site.atoms) {
        if (!bonds_covalently(atom.atomic_number)) continue;
        near_.near(atom.place, [&](std::size_t item, double apart) {
          const auto& other = heavy_[item];
          if (other.site != &site && apart < link_reach && bonds_covalently(other.atomic_number))
            link(site, atom, sites_[static_cast<std::size_t>(other.site - sites_.data())], other, apart);
        });
      }
    }
  }

  void link(Site& site, const StructureAtom& atom, Site& partner, const HeavyAtom& other, double apart) {
    site.links.push_back({atom.name, other.name, other.place});
    const bool finds_this = can_be_sugar(partner);
    if (!finds_this) partner.links.push_back({other.name, atom.name, atom.place});
    // Of two sugars that find each other the one whose carbon it is tells.
    if (!finds_this || atom.name.front() == 'C')
      made_.sugar_links.push_back(
          {atom.name, name_of(*site.source), other.name, name_of(*partner.source), apart});
  }

  void find_linked_parameters(Site& site) {
    auto linked =
        linked_parameters(table_, rules_, site.prefix + site.base + site.suffix, site.base, site.links);
    if (linked) {
      site.linked = std::move(*linked);
      site.parameters = &site.linked.parameters;
    } else if (site.parameters != nullptr) {
      std::vector<std::string> atoms;
      for (const auto& each : site.links) atoms.push_back(each.atom);
      decide(site, can_be_sugar(site) ? "without charges" : site.base,
             fmt::format("the table lacks its bond to another residue at {}", fmt::join(atoms, ", ")));
      if (can_be_sugar(site)) site.parameters = nullptr;
    }
  }

  void find_parameters(Site& site) {
    if (site.is_given) {
      site.parameters = &given_.find(site.source->name)->second;
      made_.given.push_back(name_of(*site.source));
      return;
    }
    site.parameters = parameters_of(site.prefix + site.base + site.suffix);
    if (!site.links.empty()) find_linked_parameters(site);
    if (site.parameters == nullptr) made_.without_parameters.push_back(name_of(*site.source));
  }

  /// Heavy atoms that a rule can add.
  void complete(Site& site) {
    if (site.parameters == nullptr || site.is_given) return;
    const auto *c = site.find("C"), *o = site.find("O"), *ca = site.find("CA");
    const bool wanted = site.prefix == "C" && site.find("OXT") == nullptr;
    if (!wanted || c == nullptr || o == nullptr || ca == nullptr) return;
    const Vector3d away = -((o->place - c->place).normalized() + (ca->place - c->place).normalized());
    if (away.norm() < 1e-3) return;
    const Vector3d place = c->place + 1.25 * away.normalized();
    site.atoms.push_back({"OXT", 8, place});
    note(site, site.atoms.back());
    made_.added_atoms.push_back("OXT of " + name_of(*site.source));
  }

  std::optional<Vector3d> place_in(const Site& site, std::string_view name) const {
    const auto place = [](const StructureAtom* atom) {
      return atom == nullptr ? std::nullopt : std::optional(atom->place);
    };
    if (const auto replaced = site.linked.replaced.find(name); replaced != site.linked.replaced.end())
      return replaced->second;
    if (!name.starts_with('-')) return place(site.find(name));
    if (site.before != nullptr) return place(site.before->find(name.substr(1)));
    // Behind a gap: where it would be at phi = -60 degrees.
    const auto *n = site.find("N"), *ca = site.find("CA"), *c = site.find("C");
    if (name != "-C" || n == nullptr || ca == nullptr || c == nullptr) return std::nullopt;
    return at_angles(n->place, ca->place, c->place, 1.33, 122 * radians_per_degree, -60 * radians_per_degree);
  }

  /// Of a place for the hydrogen of a hydroxyl group.
  double room(const Site& site, const HydrogenRule& rule, const Vector3d& place) const {
    double acceptor = acceptor_reach, nearest = 3.5;
    near_.near(place, [&](std::size_t item, double apart) {
      const auto& other = heavy_[item];
      if (other.site == &site && other.name == rule.atom) return;
      if (other.atomic_number == 8) acceptor = std::min(acceptor, apart);
      nearest = std::min(nearest, apart);
    });
    return acceptor < acceptor_reach ? 10 - acceptor : nearest;
  }

  /// All that may hold for a residue; which does, its parameters decide.
  std::vector<const HydrogenRule*> rules_for(const Site& site) const {
    std::vector<const HydrogenRule*> rules;
    std::vector<std::string> names;
    for (const auto& link : site.links) names.push_back(site.base + "/" + link.atom);
    names.insert(names.end(), {site.base, "N" + site.base, "N*", "*", "5*", "3*"});
    for (const auto& name : names) {
      const auto found = rules_.find(name);
      if (found == rules_.end()) continue;
      for (const auto& rule : found->second) {
        const bool holds = std::ranges::all_of(
            rule.hydrogens, [&](const auto& each) { return site.parameters->contains(each); });
        const bool is_new =
            std::ranges::none_of(rules, [&](const auto* other) { return other->atom == rule.atom; });
        if (holds && is_new) rules.push_back(&rule);
      }
    }
    return rules;
  }

  /// Those of the file that can stay, and those that have to be added.
  void place_missing(Site& site) {
    if (const auto* h = site.find("H"); h != nullptr && site.prefix == "N" && site.find("H1") == nullptr)
      rename(site, "H",
             site.base == "PRO" && site.find("H3") == nullptr && site.find("H2") != nullptr ? "H3" : "H1");
    std::vector<StructureAtom> added;
    std::set<std::string> kept;
    for (const auto* rule : rules_for(site)) {
      if (std::ranges::all_of(rule->hydrogens,
                              [&](const auto& each) { return site.find(each) != nullptr; })) {
        kept.insert(rule->hydrogens.begin(), rule->hydrogens.end());
        continue;
      }
      const auto places = place_hydrogens(
          *rule, [&](std::string_view name) { return place_in(site, name); },
          [&](const Vector3d& place) { return room(site, *rule, place); });
      for (std::size_t i = 0; i < places.size(); ++i) added.push_back({rule->hydrogens[i], 1, places[i]});
    }
    if (site.base == "HOH") place_on_water(site, kept, added);
    const auto gone = std::erase_if(
        site.atoms, [&](const auto& atom) { return is_hydrogen(atom) && !kept.contains(atom.name); });
    made_.hydrogens_replaced += static_cast<int>(gone);
    made_.hydrogens_kept += static_cast<int>(kept.size());
    made_.hydrogens_added += static_cast<int>(added.size());
    site.atoms.insert(site.atoms.end(), added.begin(), added.end());
  }
  static void rename(Site& site, std::string_view from, const std::string& to) {
    std::ranges::find(site.atoms, from, &StructureAtom::name)->name = to;
  }

  /// One towards the nearest oxygen, the other one in the plane with the second nearest.
  void place_on_water(const Site& site, std::set<std::string>& kept,
                      std::vector<StructureAtom>& added) const {
    if (site.find("H1") != nullptr && site.find("H2") != nullptr) {
      kept = {"H1", "H2"};
      return;
    }
    const auto* oxygen = site.find("O");
    if (oxygen == nullptr) return;
    std::vector<std::pair<double, Vector3d>> near;
    near_.near(oxygen->place, [&](std::size_t item, double apart) {
      if (apart > 0 && heavy_[item].atomic_number == 8) near.emplace_back(apart, heavy_[item].place);
    });
    std::ranges::sort(near, {}, &std::pair<double, Vector3d>::first);
    constexpr double length = 0.9572, angle = 104.52 * radians_per_degree;
    const Vector3d first = near.empty() ? Vector3d(oxygen->place + Vector3d::UnitX()) : near[0].second;
    const Vector3d second = near.size() < 2 ? Vector3d(first + Vector3d::UnitY()) : near[1].second;
    added.push_back({"H1", 1, oxygen->place + length * (first - oxygen->place).normalized()});
    added.push_back({"H2", 1, at_angles(oxygen->place, first, second, length, angle, 0)});
  }

  void finish(Site& site) {
    if (site.parameters == nullptr) {
      unknown_.push_back({site.source, made_.charges.size(), site.atoms.size()});
      for (const auto& atom : site.atoms) add(site, atom, {0, -1});
      return;
    }
    if (!site.is_given) place_missing(site);
    Incomplete lacks{name_of(*site.source), {}, 0, 0};
    for (const auto& atom : site.atoms) {
      const auto found = site.parameters->find(atom.name);
      const bool known = found != site.parameters->end();
      if (!known) made_.unknown_atoms.push_back(fmt::format("{} of {}", atom.name, name_of(*site.source)));
      add(site, atom, known ? found->second : AtomParameters{0, -1});
      if (known) lacks.charge += found->second.charge;
    }
    for (const auto& [name, parameters] : *site.parameters) {
      lacks.expected += parameters.charge;
      if (site.find(name) == nullptr) lacks.atoms.push_back(name);
    }
    if (!lacks.atoms.empty()) made_.incomplete.push_back(std::move(lacks));
  }

  /// A radius below 0 is that of the element.
  void add(const Site& site, const StructureAtom& atom, AtomParameters parameters) {
    const auto& from = *site.source;
    add_atom(
        made_.charges, atom.place, parameters.charge,
        parameters.radius >= 0 ? parameters.radius
                               : molecules::element(atom.atomic_number).van_der_waals_radius_angstrom,
        {atom.name, from.name, from.chain, from.number, from.insertion, from.is_hetero, atom.atomic_number});
  }

  void check_given() const {
    if (options_.given_charges.empty() || !made_.given.empty()) return;
    std::vector<std::string> names;
    for (const auto& [name, parameters] : given_) names.push_back(name);
    if (names.size() > 5) names.resize(5);
    throw InputError(options_.given_charges, 0,
                     fmt::format("none of its residues ({}) is in the structure", fmt::join(names, ", ")),
                     "Call residues and atoms as the structure does.");
  }

  /// What has charges now is not without parameters any more.
  void equalise() {
    made_.equalised = equalise_unknown(made_.charges, unknown_, options_, progress_);
    for (const auto& group : made_.equalised)
      for (const auto& residue : group.residues) std::erase(made_.without_parameters, residue);
  }

  const PrepareOptions& options_;
  jobs::Progress progress_;
  ParameterTable table_, given_;
  HydrogenTable rules_;
  std::vector<Site> sites_;
  std::vector<UnknownResidue> unknown_;
  std::vector<HeavyAtom> heavy_;
  Neighbourhood near_{hydrogen_bond_reach};  ///< of heavy_
  std::set<const Site*> bridged_;
  Preparation made_;
};

}  // namespace

std::string_view name_of(ForceField force_field) {
  constexpr std::array<std::string_view, 3> names{"AMBER ff14SB", "CHARMM36", "PARSE"};
  return names.at(static_cast<std::size_t>(force_field));
}

std::string_view word_of(ForceField force_field) {
  return force_field_words.at(static_cast<std::size_t>(force_field));
}

ForceField force_field_of(std::string_view word) {
  const auto found = std::ranges::find(force_field_words, word);
  if (found == force_field_words.end())
    throw Error(fmt::format("{} is no force field. Name one of {}.", quoted(word),
                            fmt::join(force_field_words, ", ")));
  return static_cast<ForceField>(found - force_field_words.begin());
}

Preparation prepare(const Structure& structure, const PrepareOptions& options,
                    const jobs::Progress& progress) {
  return Preparing(options, progress).run(structure);
}

}  // namespace isolume::structures
