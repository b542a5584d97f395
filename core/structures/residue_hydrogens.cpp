#include "core/structures/residue_hydrogens.h"

#include <algorithm>
#include <numbers>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "core/structures/hydrogens.h"

namespace isolume::structures {
namespace {

using Eigen::Vector3d;

constexpr double acceptor_reach = 2.4;  // angstrom

class HydrogenPlacement {
 public:
  HydrogenPlacement(const HydrogenTable& rules, const Surroundings& surroundings, HydrogenCounts& counts)
      : rules_(rules), surroundings_(surroundings), counts_(counts) {}

  void place_missing(Site& site) {
    std::vector<StructureAtom> added;
    std::set<std::size_t> kept, replaced;
    std::set<std::string_view> ruled;
    const bool has_hydrogens = std::ranges::any_of(site.atoms, is_hydrogen);
    for (const auto* rule : rules_for(site)) {
      ruled.insert(rule->hydrogens.begin(), rule->hydrogens.end());
      const auto found = hydrogens_at(site, rule->atom, rule->hydrogens);
      if (found.size() == rule->hydrogens.size()) {
        keep_hydrogens(site, *rule, found);
        kept.insert(found.begin(), found.end());
        continue;
      }
      replaced.insert(found.begin(), found.end());
      const auto places = ideal_places(site, *rule);
      for (std::size_t i = 0; i < places.size(); ++i) {
        added.push_back({rule->hydrogens[i], 1, places[i]});
        if (has_hydrogens && found.empty() && rule->atom.front() != 'C')
          counts_.completed.push_back(fmt::format("{} of {}", rule->hydrogens[i], name_of(*site.source)));
      }
    }
    if (site.base == "HOH") place_on_water(site, kept, replaced, added);
    std::vector<StructureAtom> atoms;
    for (std::size_t i = 0; i < site.atoms.size(); ++i) {
      const auto& atom = site.atoms[i];
      // Those of an atom that is bonded to another residue have no rule.
      const bool has_no_rule = site.parameters->contains(atom.name) && !ruled.contains(atom.name);
      if (is_hydrogen(atom) && has_no_rule && !replaced.contains(i)) kept.insert(i);
      if (!is_hydrogen(atom) || kept.contains(i)) {
        atoms.push_back(atom);
      } else if (!replaced.contains(i)) {
        counts_.dropped.push_back(fmt::format("{} of {}", atom.name, name_of(*site.source)));
      }
    }
    counts_.replaced += static_cast<int>(replaced.size());
    counts_.kept += static_cast<int>(kept.size());
    counts_.added += static_cast<int>(added.size());
    site.atoms = std::move(atoms);
    site.atoms.insert(site.atoms.end(), added.begin(), added.end());
  }

 private:
  std::optional<Vector3d> place_in(const Site& site, std::string_view name) const {
    const auto place = [](const StructureAtom* atom) {
      return atom == nullptr ? std::nullopt : std::optional(atom->place);
    };
    if (const auto replaced = site.linked.replaced.find(name); replaced != site.linked.replaced.end())
      return replaced->second;
    if (!name.starts_with('-')) return place(site.find(name));
    if (site.before != nullptr) return place(site.before->find(name.substr(1)));
    // After a chain break: its position for phi = -60 degrees.
    const auto *n = site.find("N"), *ca = site.find("CA"), *c = site.find("C");
    if (name != "-C" || n == nullptr || ca == nullptr || c == nullptr) return std::nullopt;
    return at_angles(n->place, ca->place, c->place, 1.33, 122 * radians_per_degree, -60 * radians_per_degree);
  }

  /// Score of a position for the hydrogen of a hydroxyl group.
  double room(const Site& site, const HydrogenRule& rule, const Vector3d& place) const {
    double acceptor = acceptor_reach, nearest = 3.5;
    surroundings_.near(place, [&](const HeavyAtom& other, double apart) {
      if (other.site == &site && other.name == rule.atom) return;
      if (other.atomic_number == 8) acceptor = std::min(acceptor, apart);
      nearest = std::min(nearest, apart);
    });
    return acceptor < acceptor_reach ? 10 - acceptor : nearest;
  }

  /// All rules that may apply to a residue; its parameters decide which do.
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

  /// Complete sets of hydrogens keep their positions and are renamed as in the table: by their names, or else by the
  /// nearest ideal position, since CHARMM's HB1 and HB2 are HB2 and HB3.
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

  /// One hydrogen towards the nearest oxygen, the other one in the plane with the second nearest; at a metal both
  /// point away from it.
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
    if (const auto metal = surroundings_.nearest_metal(oxygen->place, metal_water_reach, is_metal)) {
      const Vector3d away = oxygen->place - metal->atom->place;
      for (const double turn : {0.0, 180 * radians_per_degree})
        added.push_back(
            {turn == 0 ? "H1" : "H2", 1,
             at_angles(oxygen->place, metal->atom->place, metal->atom->place + away.unitOrthogonal(), length,
                       std::numbers::pi - angle / 2, turn)});
      return;
    }
    std::vector<std::pair<double, Vector3d>> near;
    surroundings_.near(oxygen->place, [&](const HeavyAtom& other, double apart) {
      if (apart > 0 && other.atomic_number == 8) near.emplace_back(apart, other.place);
    });
    std::ranges::sort(near, {}, &std::pair<double, Vector3d>::first);
    const Vector3d first = near.empty() ? Vector3d(oxygen->place + Vector3d::UnitX()) : near[0].second;
    const Vector3d second = near.size() < 2 ? Vector3d(first + Vector3d::UnitY()) : near[1].second;
    added.push_back({"H1", 1, oxygen->place + length * (first - oxygen->place).normalized()});
    added.push_back({"H2", 1, at_angles(oxygen->place, first, second, length, angle, 0)});
  }

  const HydrogenTable& rules_;
  const Surroundings& surroundings_;
  HydrogenCounts& counts_;
};

}  // namespace

void place_missing_hydrogens(Site& site, const HydrogenTable& rules, const Surroundings& surroundings,
                             HydrogenCounts& counts) {
  HydrogenPlacement(rules, surroundings, counts).place_missing(site);
}

}  // namespace isolume::structures
