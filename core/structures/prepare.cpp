#include "core/structures/prepare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/molecules/element.h"
#include "core/structures/chain_ends.h"
#include "core/structures/hydrogens.h"
#include "core/structures/links.h"
#include "core/structures/neighbourhood.h"
#include "core/structures/residue_tables.h"
#include "core/structures/site.h"
#include "core/structures/unknown_residues.h"

namespace isolume::structures {
namespace {

using Eigen::Vector3d;
using molecules::ResidueKind;

constexpr double disulphide_reach = 2.5, hydrogen_bond_reach = 3.5, acceptor_reach = 2.4, link_reach = 2.0;
/// Sulphur is 2.3 angstrom from Zn, Fe, Cu, Ni and Co, and 2.5 from Cd; water's oxygen about 2.1 from all.
constexpr double thiolate_reach = 2.9, metal_water_reach = 2.6;

/// What options call force fields, and their tables.
constexpr std::array<std::string_view, 3> force_field_words{"amber", "charmm", "parse"};

/// What hydrogens and histidines look at.
struct HeavyAtom {
  const Site* site = nullptr;
  std::string name;
  int atomic_number = 0;
  Vector3d place;
};

bool is_metal(int atomic_number) {
  static const std::set<int> others{5,  6,  7,  8,  9,  10, 14, 15, 16, 17,
                                    18, 33, 34, 35, 36, 52, 53, 54, 85, 86};
  return atomic_number > 2 && !others.contains(atomic_number);
}
/// Those that take the proton of a thiol: not the alkali metals and alkaline earths.
bool binds_thiolates(int atomic_number) {
  static const std::set<int> others{3, 4, 11, 12, 19, 20, 37, 38, 55, 56, 87, 88};
  return is_metal(atomic_number) && !others.contains(atomic_number);
}

/// Does the steps in turn; each leaves what the next needs.
class Preparing {
 public:
  Preparing(const PrepareOptions& options, const jobs::Progress& progress)
      : options_(options),
        progress_(progress),
        table_(read_parameters(resource(fmt::format("charges/{}.csv", word_of(options.force_field))))),
        rules_(read_hydrogen_rules(resource("charges/hydrogens.csv"))) {
    ends_added_ = add_missing_ends(table_);
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
    note_metals(structure);
    take_residues(structure);
    note_neighbours();
    find_disulphides();
    for (auto& site : sites_) find_state(site);
    made_.ends = find_chain_ends(sites_, table_, ends_added_);
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
  void note_metals(const Structure& structure) {
    for (const auto& residue : structure.residues) {
      for (const auto& atom : residue.atoms) {
        if (!is_metal(atom.atomic_number)) continue;
        near_metals_.add(atom.place, metals_.size());
        metals_.push_back({&residue, &atom});
      }
    }
  }
  struct Metal {
    const Residue* residue = nullptr;
    const StructureAtom* atom = nullptr;
    double apart = 0;
  };
  template <class Test>
  std::optional<Metal> nearest_metal(const Vector3d& place, double reach, Test test) const {
    std::optional<Metal> nearest;
    near_metals_.near(place, [&](std::size_t item, double apart) {
      if (apart >= (nearest ? nearest->apart : reach) || !test(metals_[item].atom->atomic_number)) return;
      nearest = metals_[item];
      nearest->apart = apart;
    });
    return nearest;
  }

  void take_residues(const Structure& structure) {
    for (const auto& residue : structure.residues) {
      Site site{&residue, known_residue(residue)};
      site.atoms = residue.atoms;
      site.is_given = given_.contains(residue.name);
      site.base = site.known.name;
      if (site.known.kind == ResidueKind::water && !is_hydroxide(site) && !options_.keep_water) {
        leave_out_water(site);
        continue;
      }
      if (site.known.name == "MSE" && !site.is_given) take_for_methionine(site);
      if (site.known.kind == ResidueKind::ion && !site.is_given) name_as_in_table(site);
      sites_.push_back(std::move(site));
    }
    join_reducing_ends();
    if (sites_.empty())
      throw Error("Nothing but water is in the structure. Keep it with --keep-water, or give another one.");
    for (auto& site : sites_)
      if (is_hydroxide(site)) take_for_hydroxide(site);
  }
  /// GLYCAM's ROH, the hydroxyl group at the end of a sugar, is part of it.
  void join_reducing_ends() {
    for (auto& end : sites_) {
      const auto* oxygen = end.source->name == "ROH" ? end.find("O1") : nullptr;
      if (oxygen == nullptr) continue;
      const auto sugar = std::ranges::find_if(sites_, [&](const auto& site) {
        const auto* carbon = site.known.kind == ResidueKind::sugar ? site.find("C1") : nullptr;
        return carbon != nullptr && (carbon->place - oxygen->place).norm() < link_reach;
      });
      if (sugar == sites_.end()) continue;
      decide(*sugar, sugar->base, "ROH is its reducing end");
      sugar->atoms.insert(sugar->atoms.end(), end.atoms.begin(), end.atoms.end());
      end.atoms.clear();
    }
    std::erase_if(sites_, [](const auto& site) { return site.atoms.empty(); });
  }
  void leave_out_water(const Site& site) {
    ++made_.waters_left_out;
    made_.water_atoms_left_out += static_cast<int>(site.atoms.size());
    const auto* oxygen = site.find("O");
    if (oxygen != nullptr && nearest_metal(oxygen->place, metal_water_reach, is_metal))
      ++made_.metal_waters_left_out;
  }
  /// Water of one hydrogen at a metal.
  bool is_hydroxide(const Site& site) const {
    const auto* oxygen = site.find("O");
    return site.known.kind == ResidueKind::water && oxygen != nullptr && protons(site, "O", {}) == 1 &&
           nearest_metal(oxygen->place, metal_water_reach, is_metal).has_value();
  }
  void take_for_hydroxide(Site& site) {
    site.base = "OH";
    decide(site, "OH", "it has one hydrogen and is bound to a metal");
  }
  void take_for_methionine(Site& site) {
    site.base = "MET";
    for (auto& atom : site.atoms)
      if (atom.name == "SE") atom.name = "SD";
    decide(site, "MET", "selenomethionine has the charges of methionine");
  }
  /// "SOD" of CHARMM is NA in the table.
  void name_as_in_table(Site& site) const {
    const auto* parameters = parameters_of(site.base);
    if (parameters != nullptr && parameters->size() == 1)
      site.atoms.front().name = parameters->begin()->first;
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
    if (site.is_given || site.known.kind != ResidueKind::amino_acid) return;
    if (site.base == "HIS" || site.base == "HID" || site.base == "HIE" || site.base == "HIP")
      return find_histidine(site);
    if (site.base == "CYX" && !is_bridged(site))
      decide(site, "CYX", "its name says so, but no other sulphur is near");
    if (site.base == "CYS") return find_cysteine(site);
    find_acid(site, "ASP", "ASH", "OD1", "OD2", "HD");
    find_acid(site, "GLU", "GLH", "OE1", "OE2", "HE");
    if (site.base == "LYS" && protons(site, "NZ", {"HZ1", "HZ2", "HZ3"}) == 2) {
      site.base = "LYN";
      return decide(site, "LYN", "its hydrogens say so");
    }
    if (site.base == "LYN" || site.base == "CYM") decide(site, site.base, "its name says so");
  }

  /// The tables have the proton of an acid at its second oxygen.
  void find_acid(Site& site, std::string_view charged, std::string_view neutral, std::string_view first,
                 std::string_view second, const std::string& hydrogen) {
    if (site.base != charged && site.base != neutral) return;
    const bool at_first = protons(site, first, {hydrogen + "1"}) > 0,
               at_second = protons(site, second, {hydrogen + "2"}) > 0;
    if (at_first && !at_second) {
      for (auto& atom : site.atoms) {
        if (atom.name == first || atom.name == second) atom.name = atom.name == first ? second : first;
      }
    }
    if (at_first || at_second) {
      site.base = neutral;
      decide(site, site.base, "its hydrogens say so");
    } else if (site.base == neutral) {
      decide(site, site.base, "its name says so");
    }
  }

  void find_cysteine(Site& site) {
    const auto* sulphur = site.find("SG");
    if (sulphur == nullptr || protons(site, "SG", {"HG", "HG1"}) > 0) return;
    const auto metal = nearest_metal(sulphur->place, thiolate_reach, binds_thiolates);
    if (!metal) return;
    site.base = "CYM";
    decide(site, "CYM",
           fmt::format("SG is bound to {} of {}, {:.2f} angstrom away", metal->atom->name,
                       name_of(*metal->residue), metal->apart));
  }

  void find_histidine(Site& site) {
    const bool delta = protons(site, "ND1", {"HD1"}) > 0, epsilon = protons(site, "NE2", {"HE2"}) > 0;
    if (!delta && !epsilon && site.base != "HIS") return decide(site, site.base, "its name says so");
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
    return is_metal(atom.atomic_number) ? -1 : 0;
  }

  const ResidueParameters* parameters_of(const std::string& name) const {
    const auto found = table_.find(name);
    return found == table_.end() ? nullptr : &found->second;
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
    if (site.parameters == nullptr && site.known.kind == ResidueKind::ion) {
      site.linked.parameters = {{site.atoms.front().name, {static_cast<double>(site.known.charge), -1}}};
      site.parameters = &site.linked.parameters;
      decide(site, fmt::format("{:+} e", site.known.charge),
             "its charge as an ion, with the radius of its element");
    }
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

  std::vector<Vector3d> ideal_places(const Site& site, const HydrogenRule& rule) const {
    return place_hydrogens(
        rule, [&](std::string_view name) { return place_in(site, name); },
        [&](const Vector3d& place) { return room(site, rule, place); });
  }

  /// Hydrogens that an atom has all of keep their places and get the table's names: as they are called, or else by the nearest
  /// ideal place, since CHARMM's HB1 and HB2 are HB2 and HB3.
  void keep_hydrogens(Site& site, const HydrogenRule& rule, std::vector<std::size_t> found) const {
    std::vector<std::string> names;
    for (const std::size_t at : found) names.push_back(hydrogen_name(site.atoms[at].name));
    if (std::ranges::is_permutation(names, rule.hydrogens)) {
      for (std::size_t i = 0; i < found.size(); ++i) site.atoms[found[i]].name = names[i];
      return;
    }
    const auto places = ideal_places(site, rule);
    for (std::size_t i = 0; i < rule.hydrogens.size(); ++i) {
      const auto apart = [&](std::size_t at) {
        return i < places.size() ? (site.atoms[at].place - places[i]).norm() : 0.0;
      };
      const auto nearest = std::ranges::min_element(found, {}, apart);
      site.atoms[*nearest].name = rule.hydrogens[i];
      found.erase(nearest);
    }
  }

  /// Hydrogens of the file stay or make room for those at ideal places; what the residue's state does not have goes.
  void place_missing(Site& site) {
    std::vector<StructureAtom> added;
    std::set<std::size_t> kept, replaced;
    for (const auto* rule : rules_for(site)) {
      const auto found = hydrogens_at(site, rule->atom, rule->hydrogens);
      if (found.size() == rule->hydrogens.size()) {
        keep_hydrogens(site, *rule, found);
        kept.insert(found.begin(), found.end());
        continue;
      }
      replaced.insert(found.begin(), found.end());
      const auto places = ideal_places(site, *rule);
      for (std::size_t i = 0; i < places.size(); ++i) added.push_back({rule->hydrogens[i], 1, places[i]});
    }
    if (site.base == "HOH") place_on_water(site, kept, replaced, added);
    std::vector<StructureAtom> atoms;
    for (std::size_t i = 0; i < site.atoms.size(); ++i) {
      const auto& atom = site.atoms[i];
      if (!is_hydrogen(atom) || kept.contains(i)) {
        atoms.push_back(atom);
      } else if (!replaced.contains(i)) {
        made_.hydrogens_dropped.push_back(fmt::format("{} of {}", atom.name, name_of(*site.source)));
      }
    }
    made_.hydrogens_replaced += static_cast<int>(replaced.size());
    made_.hydrogens_kept += static_cast<int>(kept.size());
    made_.hydrogens_added += static_cast<int>(added.size());
    site.atoms = std::move(atoms);
    site.atoms.insert(site.atoms.end(), added.begin(), added.end());
  }

  /// One towards the nearest oxygen, the other one in the plane with the second nearest; at a metal both away from it.
  void place_on_water(Site& site, std::set<std::size_t>& kept, std::set<std::size_t>& replaced,
                      std::vector<StructureAtom>& added) const {
    const auto found = hydrogens_at(site, "O", {"H1", "H2"});
    if (found.size() == 2) {
      site.atoms[found[0]].name = "H1";
      site.atoms[found[1]].name = "H2";
      kept.insert(found.begin(), found.end());
      return;
    }
    const auto* oxygen = site.find("O");
    if (oxygen == nullptr) return;
    replaced.insert(found.begin(), found.end());
    constexpr double length = 0.9572, angle = 104.52 * radians_per_degree;
    if (const auto metal = nearest_metal(oxygen->place, metal_water_reach, is_metal)) {
      const Vector3d away = oxygen->place - metal->atom->place;
      for (const double turn : {0.0, 180 * radians_per_degree})
        added.push_back(
            {turn == 0 ? "H1" : "H2", 1,
             at_angles(oxygen->place, metal->atom->place, metal->atom->place + away.unitOrthogonal(), length,
                       std::numbers::pi - angle / 2, turn)});
      return;
    }
    std::vector<std::pair<double, Vector3d>> near;
    near_.near(oxygen->place, [&](std::size_t item, double apart) {
      if (apart > 0 && heavy_[item].atomic_number == 8) near.emplace_back(apart, heavy_[item].place);
    });
    std::ranges::sort(near, {}, &std::pair<double, Vector3d>::first);
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
  std::set<std::string> ends_added_;  ///< to table_
  HydrogenTable rules_;
  std::vector<Site> sites_;
  std::vector<Metal> metals_;
  Neighbourhood near_metals_{thiolate_reach};  ///< of metals_
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
