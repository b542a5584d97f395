#include "core/structures/protonation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/counted.h"
#include "core/base/error.h"

namespace isolume::structures {
namespace {

using Eigen::Vector3d;
using molecules::ResidueKind;

constexpr double disulphide_reach = 2.5;  // angstrom

struct Titrated {
  std::string_view residue;
  double pka;
  std::array<std::string_view, 3> states;
};
/// Values of amino acids in water used by PROPKA 3: Olsson et al., J. Chem. Theory Comput. 7, 525 (2011).
constexpr std::array<Titrated, 5> titrated_residues{{{"ASP", 3.80, {"ASP", "ASH"}},
                                                     {"GLU", 4.50, {"GLU", "GLH"}},
                                                     {"HIS", 6.50, {"HID", "HIE", "HIP"}},
                                                     {"CYS", 9.00, {"CYS", "CYM"}},
                                                     {"LYS", 10.50, {"LYS", "LYN"}}}};

class Protonation {
 public:
  Protonation(std::vector<Site>& sites, const Surroundings& surroundings, const PrepareOptions& options,
              const std::optional<ComputedPka>& computed)
      : sites_(sites),
        surroundings_(surroundings),
        ph_(options.ph),
        chosen_(options.states),
        computed_(computed) {}

  Protonated run() {
    find_disulphides();
    for (auto& site : sites_) find_state(site);
    check_chosen();
    return std::move(made_);
  }

 private:
  void decide(const Site& site, std::string state, std::string why) {
    made_.states.push_back({name_of(*site.source), std::move(state), std::move(why)});
  }

  void find_disulphides() {
    for (auto& site : sites_) {
      const auto* sulphur = site.find("SG");
      if (sulphur == nullptr || !is_cysteine(site) || is_bridged(site)) continue;
      const Site* partner = nullptr;
      double nearest = disulphide_reach;
      surroundings_.near(sulphur->place, [&](const HeavyAtom& other, double apart) {
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
    if (const auto* chosen = chosen_state(site)) return choose(site, *chosen);
    if (site.base == "HIS" || site.base == "HID" || site.base == "HIE" || site.base == "HIP")
      return find_histidine(site);
    if (site.base == "CYX" && !is_bridged(site))
      decide(site, "CYX", "its name says so, but no other sulphur is near");
    if (site.base == "CYS") return find_cysteine(site);
    if (site.base == "ASP" || site.base == "ASH")
      return find_acid(site, "ASP", "ASH", "CG", "OD1", "OD2", "HD");
    if (site.base == "GLU" || site.base == "GLH")
      return find_acid(site, "GLU", "GLH", "CD", "OE1", "OE2", "HE");
    if (site.base == "LYS") return find_lysine(site);
    if (site.base == "LYN" || site.base == "CYM") decide(site, site.base, "its name says so");
  }

  const std::string* chosen_state(const Site& site) {
    const std::string whole = name_of(*site.source);
    const auto found = std::ranges::find_if(chosen_, [&](const auto& each) {
      const std::string& wanted = each.first;
      return wanted == whole || site.source->name + " " + wanted == whole;
    });
    if (found == chosen_.end()) return nullptr;
    used_.insert(found->first);
    return &found->second;
  }
  void choose(Site& site, const std::string& state) {
    if (is_bridged(site))
      throw Error(fmt::format("{} is in a disulphide, and has no other state.", name_of(*site.source)));
    const auto states = states_of(site.base);
    if (std::ranges::find(states, state) == states.end())
      throw Error(fmt::format("{} cannot be {}. {}", name_of(*site.source), isolume::quoted(state),
                              states.empty() ? "It has one protonation state."
                                             : fmt::format("Give one of {}.", fmt::join(states, ", "))));
    if (state == "ASH") proton_to_second(site, "OD1", "OD2", "HD");
    if (state == "GLH") proton_to_second(site, "OE1", "OE2", "HE");
    site.base = state;
    decide(site, state, "chosen by hand");
  }
  void check_chosen() const {
    for (const auto& [residue, state] : chosen_) {
      if (!used_.contains(residue))
        throw Error(fmt::format(
            "{}={}: no amino acid of the structure is called {}. Give its name, chain and number, as in "
            "HIS A 57=HIP.",
            residue, state, isolume::quoted(residue)));
    }
  }

  /// A residue with hydrogens of its own already has a definite state.
  bool can_titrate(const Site& site) const { return std::ranges::none_of(site.atoms, is_hydrogen); }
  bool is_at_metal(const Site& site, std::initializer_list<std::string_view> names) const {
    return std::ranges::any_of(names, [&](std::string_view name) {
      const auto* atom = site.find(name);
      return atom != nullptr &&
             surroundings_.nearest_metal(atom->place, Surroundings::metal_reach, is_metal).has_value();
    });
  }
  struct Pka {
    double value = 0;
    std::string kind;  ///< "standard pKa"
  };
  /// Of its side chain without neighbours' charges where the program has computed none, as for residues that it does
  /// not know.
  Pka pka_of(const Site& site, std::string_view residue) {
    const auto in_water = standard_pka(residue).value_or(0);
    if (!computed_) return {in_water, "standard pKa"};
    const auto& computed = computed_->values[static_cast<std::size_t>(&site - sites_.data())];
    if (computed) {
      made_.pka.emplace_back(name_of(*site.source), *computed);
      return {*computed, "pKa by " + computed_->program};
    }
    made_.without_computed_pka.push_back(name_of(*site.source));
    return {in_water, "standard pKa"};
  }
  void titrate(Site& site, std::string state, const Pka& pka) {
    site.base = std::move(state);
    decide(site, site.base,
           fmt::format("pH {:.2f} is {} its {} of {:.2f}", ph_, ph_ < pka.value ? "below" : "above", pka.kind,
                       pka.value));
    made_.titrated.push_back(name_of(*site.source));
  }

  /// The tables have the proton of an acid at its second oxygen. Returns whether it has one.
  bool proton_to_second(Site& site, std::string_view first, std::string_view second,
                        const std::string& hydrogen) const {
    const bool at_first = protons(site, first, {hydrogen + "1"}) > 0,
               at_second = protons(site, second, {hydrogen + "2"}) > 0;
    if (at_first && !at_second) exchange(site, first, second);
    return at_first || at_second;
  }
  static void exchange(Site& site, std::string_view first, std::string_view second) {
    for (auto& atom : site.atoms) {
      if (atom.name == first || atom.name == second) atom.name = atom.name == first ? second : first;
    }
  }
  void find_acid(Site& site, std::string_view charged, std::string_view neutral, std::string_view carbon,
                 std::string_view first, std::string_view second, const std::string& hydrogen) {
    const auto* carbonyl = site.find(carbon);
    if (const auto* other = carbonyl == nullptr ? nullptr : surroundings_.acylated(site, *carbonyl)) {
      // An isopeptide or thioester, whose other oxygen left; the tables have the carbonyl's as the first.
      if (site.find(first) == nullptr) exchange(site, first, second);
      site.base = neutral;
      return decide(site, site.base, bond_to(*other, carbon) + ": a neutral acyl group");
    }
    const auto *at_first = bonded(site, first), *at_second = bonded(site, second);
    if (at_first != nullptr || at_second != nullptr) {
      // An ester: the tables have the other group at the second oxygen, as they have the proton.
      if (at_second == nullptr) exchange(site, first, second);
      site.base = neutral;
      decide(site, site.base, bond_to(*(at_second != nullptr ? at_second : at_first), second));
    } else if (proton_to_second(site, first, second, hydrogen)) {
      site.base = neutral;
      decide(site, site.base, "its hydrogens say so");
    } else if (site.base == neutral) {
      decide(site, site.base, "its name says so");
    } else if (can_titrate(site) && !is_at_metal(site, {first, second})) {
      if (const Pka pka = pka_of(site, charged); ph_ < pka.value) titrate(site, std::string(neutral), pka);
    }
  }

  /// Bonded to an atom of another residue that takes the place of a hydrogen; null if it is not.
  const HeavyAtom* bonded(const Site& site, std::string_view name) const {
    const auto* atom = site.find(name);
    return atom == nullptr ? nullptr : surroundings_.bonded(site, *atom);
  }
  static std::string bond_to(const HeavyAtom& other, std::string_view atom) {
    return fmt::format("{} is bonded to {} of {}", atom, other.name, name_of(*other.site->source));
  }

  void find_lysine(Site& site) {
    const std::size_t hydrogens = protons(site, "NZ", {"HZ1", "HZ2", "HZ3"});
    if (const auto* other = bonded(site, "NZ"); other != nullptr && hydrogens < 3)
      return find_bonded_lysine(site, hydrogens, *other);
    if (hydrogens == 2) {
      site.base = "LYN";
      return decide(site, "LYN", "its hydrogens say so");
    }
    if (!can_titrate(site)) return;
    if (const Pka pka = pka_of(site, "LYS"); ph_ > pka.value) titrate(site, "LYN", pka);
  }

  /// An amide has one hydrogen, a protonated imine (Schiff base) has one and a charge, an ammonium has two.
  void find_bonded_lysine(Site& site, std::size_t hydrogens, const HeavyAtom& other) {
    constexpr double longest_double_bond = 1.4, longest_carbonyl = 1.3;  // angstrom
    const bool is_imine =
        (other.place - site.find("NZ")->place).norm() < longest_double_bond &&
        std::ranges::none_of(other.site->atoms, [&](const auto& atom) {
          return atom.atomic_number == 8 && (atom.place - other.place).norm() < longest_carbonyl;
        });
    const bool is_charged = hydrogens == 2 || (hydrogens == 1 && is_imine);
    site.base = is_charged ? "LYS" : "LYN";
    decide(site, site.base,
           fmt::format("{}, and has {}: {}", bond_to(other, "NZ"), counted(hydrogens, "hydrogen"),
                       !is_charged      ? "neutral"
                       : hydrogens == 2 ? "an ammonium of +1 e"
                                        : "a protonated Schiff base of +1 e"));
  }

  void find_cysteine(Site& site) {
    const auto* sulphur = site.find("SG");
    if (sulphur == nullptr || protons(site, "SG", {"HG", "HG1"}) > 0) return;
    // A thioether has no proton to lose.
    if (surroundings_.bonded(site, *sulphur) != nullptr) return;
    const auto metal =
        surroundings_.nearest_metal(sulphur->place, Surroundings::metal_reach, binds_thiolates);
    if (!metal) {
      const bool has_others =
          protons(site, "CA", {"HA"}) > 0 || protons(site, "CB", {"HB1", "HB2", "HB3"}) > 0;
      if (has_others) {
        site.base = "CYM";
        return decide(site, "CYM", "its hydrogens say so");
      }
      if (!can_titrate(site)) return;
      if (const Pka pka = pka_of(site, "CYS"); ph_ > pka.value) titrate(site, "CYM", pka);
      return;
    }
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
    const auto *at_delta_bond = bonded(site, "ND1"), *at_epsilon_bond = bonded(site, "NE2");
    if (at_delta_bond != nullptr || at_epsilon_bond != nullptr) {
      site.base = at_epsilon_bond != nullptr ? "HID" : "HIE";
      return decide(
          site, site.base,
          at_epsilon_bond != nullptr ? bond_to(*at_epsilon_bond, "NE2") : bond_to(*at_delta_bond, "ND1"));
    }
    if (can_titrate(site) && !is_at_metal(site, {"ND1", "NE2"})) {
      if (const Pka pka = pka_of(site, "HIS"); ph_ < pka.value) return titrate(site, "HIP", pka);
    }
    const auto at_delta = partner(site, "ND1", "CG", "CE1"), at_epsilon = partner(site, "NE2", "CE1", "CD2");
    const double for_delta = at_delta.second - at_epsilon.second;
    site.base = for_delta > 0 ? "HID" : "HIE";
    const auto& told = std::abs(at_delta.second) > std::abs(at_epsilon.second) ? at_delta : at_epsilon;
    decide(
        site, site.base,
        told.first.empty() ? "neither nitrogen has a partner" : "partner in a hydrogen bond: " + told.first);
  }

  /// The nearest atom within 60 degrees of the direction of the proton at a nitrogen of histidine, between two ring
  /// neighbours, and how strongly it favours a proton there: higher the nearer an acceptor is, negative for donors
  /// and metals.
  std::pair<std::string, double> partner(const Site& site, std::string_view nitrogen, std::string_view first,
                                         std::string_view second) const {
    const auto *atom = site.find(nitrogen), *left = site.find(first), *right = site.find(second);
    std::pair<std::string, double> found{"", 0};
    if (atom == nullptr || left == nullptr || right == nullptr) return found;
    const Vector3d outwards = (2 * atom->place - left->place - right->place).normalized();
    surroundings_.near(atom->place, [&](const HeavyAtom& other, double apart) {
      const double weight = Surroundings::heavy_reach - apart + 0.1;
      const int role = role_of(other);
      const bool in_front = (other.place - atom->place).dot(outwards) > 0.5 * apart;
      if (other.site == &site || !in_front || role == 0 || weight < std::abs(found.second)) return;
      found = {fmt::format("{} of {}, {:.2f} angstrom from {}", other.name, name_of(*other.site->source),
                           apart, nitrogen),
               role * weight};
    });
    return found;
  }
  /// 1: acceptor, -1: donor or metal, 0: neither, or either.
  static int role_of(const HeavyAtom& atom) {
    static const std::set<std::string, std::less<>> acceptors{"O",   "OXT", "OD1", "OD2",
                                                              "OE1", "OE2", "OP1", "OP2"};
    static const std::set<std::string, std::less<>> donors{"N", "NE", "NH1", "NH2", "NZ", "ND2", "NE1"};
    if (atom.atomic_number == 8) return acceptors.contains(atom.name) ? 1 : 0;
    if (atom.atomic_number == 7) return donors.contains(atom.name) ? -1 : 0;
    return is_metal(atom.atomic_number) ? -1 : 0;
  }

  std::vector<Site>& sites_;
  const Surroundings& surroundings_;
  double ph_;
  const std::map<std::string, std::string>& chosen_;
  const std::optional<ComputedPka>& computed_;
  std::set<std::string> used_;  ///< entries of chosen_ in use
  std::set<const Site*> bridged_;
  Protonated made_;
};

}  // namespace

std::optional<double> standard_pka(std::string_view residue) {
  const auto found = std::ranges::find(titrated_residues, residue, &Titrated::residue);
  return found == titrated_residues.end() ? std::nullopt : std::optional(found->pka);
}

std::vector<std::string_view> states_of(std::string_view residue) {
  for (const auto& [name, pka, states] : titrated_residues) {
    if (residue != name && std::ranges::find(states, residue) == states.end()) continue;
    std::vector<std::string_view> all;
    for (const auto state : states)
      if (!state.empty()) all.push_back(state);
    return all;
  }
  return {};
}

Protonated protonate(std::vector<Site>& sites, const Surroundings& surroundings,
                     const PrepareOptions& options, const std::optional<ComputedPka>& computed) {
  return Protonation(sites, surroundings, options, computed).run();
}

}  // namespace isolume::structures
