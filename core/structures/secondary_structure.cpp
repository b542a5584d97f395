#include "core/structures/secondary_structure.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "core/molecules/neighbourhood.h"
#include "core/structures/molecule_of.h"

namespace isolume::structures {
namespace {

using Eigen::Vector3d;
using molecules::Neighbourhood;

constexpr double longest_peptide_bond = 2.5;  // angstrom

/// Consecutive residues with a complete backbone, and the hydrogen bonds of their amides.
class HydrogenBonds {
 public:
  explicit HydrogenBonds(const std::vector<Backbone>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& each = all[i];
      if (each.nitrogen && each.alpha_carbon && each.carbon && each.oxygen) {
        residues_.push_back(&each);
        places_.push_back(i);
      }
    }
    number_pieces();
    find_bonds();
  }

  int size() const { return static_cast<int>(residues_.size()); }
  /// Index among all residues.
  std::size_t place(int residue) const { return places_[static_cast<std::size_t>(residue)]; }
  /// Whether both exist, and every peptide bond between them.
  bool connected(int first, int last) const {
    return first >= 0 && last < size() &&
           pieces_[static_cast<std::size_t>(first)] == pieces_[static_cast<std::size_t>(last)];
  }
  /// From the N-H of one to the C=O of the other.
  bool bonded(int donor, int acceptor) const {
    const auto& both = best_[static_cast<std::size_t>(donor)];
    return std::ranges::any_of(
        both, [&](const Bond& bond) { return bond.acceptor == acceptor && bond.energy < weakest; });
  }
  /// Calls visit(donor, acceptor) for all bonds.
  template <class Visit>
  void for_each(Visit visit) const {
    for (int donor = 0; donor < size(); ++donor) {
      for (const auto& [acceptor, energy] : best_[static_cast<std::size_t>(donor)]) {
        if (energy < weakest) visit(donor, acceptor);
      }
    }
  }

 private:
  static constexpr double weakest = -0.5;  ///< kcal/mol
  struct Bond {
    int acceptor = -1;
    double energy = 0;
  };

  void number_pieces() {
    pieces_.resize(residues_.size());
    for (std::size_t i = 1; i < residues_.size(); ++i)
      pieces_[i] = pieces_[i - 1] + (are_joined(*residues_[i - 1], *residues_[i]) ? 0 : 1);
  }

  void find_bonds() {
    constexpr double farthest_alpha_carbons = 9;  // angstrom: at larger distances no bond is strong enough
    best_.resize(residues_.size());
    Neighbourhood near(farthest_alpha_carbons);
    for (std::size_t i = 0; i < residues_.size(); ++i) near.add(*residues_[i]->alpha_carbon, i);
    for (int donor = 0; donor < size(); ++donor) {
      if (!connected(donor - 1, donor) || !residue(donor).has_amide_hydrogen) continue;
      std::vector<int> acceptors;
      near.near(*residue(donor).alpha_carbon, [&](std::size_t other, double) {
        const int acceptor = static_cast<int>(other);
        if (acceptor != donor && acceptor != donor - 1) acceptors.push_back(acceptor);
      });
      std::ranges::sort(acceptors);
      for (const int acceptor : acceptors) take(donor, {acceptor, energy(donor, acceptor)});
    }
  }

  const Backbone& residue(int i) const { return *residues_[static_cast<std::size_t>(i)]; }

  /// In kcal/mol: charges of 0.42 e on C and O, 0.20 e on N and H.
  double energy(int donor, int acceptor) const {
    constexpr double scale = 0.42 * 0.20 * 332, nearest = 0.5, strongest = -9.9;
    const auto& before = residue(donor - 1);
    const Vector3d& n = *residue(donor).nitrogen;
    const Vector3d h = n + (*before.carbon - *before.oxygen).normalized();
    const Vector3d& c = *residue(acceptor).carbon;
    const Vector3d& o = *residue(acceptor).oxygen;
    const double on = (o - n).norm(), ch = (c - h).norm(), oh = (o - h).norm(), cn = (c - n).norm();
    if (std::min({on, ch, oh, cn}) < nearest) return strongest;
    return std::max(strongest, scale * (1 / on + 1 / ch - 1 / oh - 1 / cn));
  }

  void take(int donor, const Bond& bond) {
    auto& [best, second] = best_[static_cast<std::size_t>(donor)];
    if (bond.energy < best.energy) {
      second = std::exchange(best, bond);
    } else if (bond.energy < second.energy) {
      second = bond;
    }
  }

  std::vector<const Backbone*> residues_;
  std::vector<std::size_t> places_;
  std::vector<int> pieces_;
  std::vector<std::array<Bond, 2>> best_;
};

/// Consecutive bridges of one kind: residues of one side, and of the other one.
struct Ladder {
  bool parallel = false;
  int first = 0, last = 0, other_first = 0, other_last = 0;
};

enum class Bridge { none, parallel, antiparallel };

Bridge bridge_between(const HydrogenBonds& bonds, int i, int j) {
  if (!bonds.connected(i - 1, i + 1) || !bonds.connected(j - 1, j + 1)) return Bridge::none;
  if ((bonds.bonded(i + 1, j) && bonds.bonded(j, i - 1)) ||
      (bonds.bonded(j + 1, i) && bonds.bonded(i, j - 1)))
    return Bridge::parallel;
  if ((bonds.bonded(i + 1, j - 1) && bonds.bonded(j + 1, i - 1)) ||
      (bonds.bonded(j, i) && bonds.bonded(i, j)))
    return Bridge::antiparallel;
  return Bridge::none;
}

void add_bridge(std::vector<Ladder>& ladders, bool parallel, int i, int j) {
  const auto goes_on = std::ranges::find_if(ladders, [&](const Ladder& each) {
    return each.parallel == parallel && each.last + 1 == i &&
           (parallel ? each.other_last + 1 == j : each.other_first - 1 == j);
  });
  if (goes_on == ladders.end()) return ladders.push_back({parallel, i, i, j, j});
  goes_on->last = i;
  (parallel ? goes_on->other_last : goes_on->other_first) = j;
}

/// A bulge: at most one further residue on one side, and four on the other.
bool bulge_joins(const HydrogenBonds& bonds, const Ladder& one, const Ladder& next) {
  if (one.parallel != next.parallel || next.first <= one.last) return false;
  if (!bonds.connected(one.first, next.last) || !bonds.connected(std::min(one.other_first, next.other_first),
                                                                 std::max(one.other_last, next.other_last)))
    return false;
  const int between = next.first - one.last - 1;
  const int other_between =
      (one.parallel ? next.other_first - one.other_last : one.other_first - next.other_last) - 1;
  const auto [fewer, more] = std::minmax(between, other_between);
  return fewer >= 0 && fewer <= 1 && more <= 4;
}

void join_ladders(const HydrogenBonds& bonds, std::vector<Ladder>& ladders) {
  constexpr int most_between = 4;
  for (std::size_t i = 0; i < ladders.size(); ++i) {
    // They are ordered by their first residues.
    for (std::size_t j = i + 1;
         j < ladders.size() && ladders[j].first <= ladders[i].last + most_between + 1;) {
      if (!bulge_joins(bonds, ladders[i], ladders[j])) {
        ++j;
        continue;
      }
      ladders[i].last = ladders[j].last;
      if (ladders[i].parallel) {
        ladders[i].other_last = ladders[j].other_last;
      } else {
        ladders[i].other_first = ladders[j].other_first;
      }
      ladders.erase(ladders.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

/// Candidates for bridges, found by the one bond that every kind requires; in order, the smaller index first.
std::vector<std::pair<int, int>> pairs_to_try(const HydrogenBonds& bonds) {
  constexpr int least_apart = 3;
  std::vector<std::pair<int, int>> pairs;
  bonds.for_each([&](int donor, int acceptor) {
    for (const int one : {donor - 1, donor}) {
      for (const int other : {acceptor, acceptor + 1}) {
        if (std::abs(one - other) >= least_apart) pairs.push_back(std::minmax(one, other));
      }
    }
  });
  std::ranges::sort(pairs);
  const auto repeated = std::ranges::unique(pairs);
  pairs.erase(repeated.begin(), repeated.end());
  return pairs;
}

std::vector<Ladder> ladders_of(const HydrogenBonds& bonds) {
  std::vector<Ladder> ladders;
  for (const auto& [i, j] : pairs_to_try(bonds)) {
    const Bridge bridge = bridge_between(bonds, i, j);
    if (bridge != Bridge::none) add_bridge(ladders, bridge == Bridge::parallel, i, j);
  }
  join_ladders(bonds, ladders);
  return ladders;
}

void mark_sheets(const HydrogenBonds& bonds, std::vector<Secondary>& found) {
  for (const auto& ladder : ladders_of(bonds)) {
    const auto kind = ladder.last > ladder.first ? Secondary::strand : Secondary::bridge;
    const auto mark = [&](int first, int last) {
      for (int i = first; i <= last; ++i) {
        auto& is = found[static_cast<std::size_t>(i)];
        if (is != Secondary::strand) is = kind;
      }
    };
    mark(ladder.first, ladder.last);
    mark(ladder.other_first, ladder.other_last);
  }
}

/// Two consecutive turns of this length. Only alpha helices override other assignments.
void mark_helices(const HydrogenBonds& bonds, int turn, Secondary kind, std::vector<Secondary>& found) {
  const auto turns_at = [&](int i) { return bonds.connected(i, i + turn) && bonds.bonded(i + turn, i); };
  for (int i = 1; i + turn < bonds.size(); ++i) {
    if (!turns_at(i - 1) || !turns_at(i)) continue;
    const auto from = found.begin() + i;
    const bool is_free = std::all_of(
        from, from + turn, [&](Secondary other) { return other == Secondary::none || other == kind; });
    if (is_free || kind == Secondary::alpha_helix) std::fill(from, from + turn, kind);
  }
}

std::optional<Vector3d> place_of(const Charges& charges, std::uint32_t atom, int element) {
  return element_of(charges.labels[atom]) == element ? std::optional(charges.place(atom)) : std::nullopt;
}

Backbone backbone_of(const Charges& charges, const std::vector<std::uint32_t>& atoms) {
  constexpr int carbon = 6, nitrogen = 7, oxygen = 8, phosphorus = 15;
  Backbone backbone;
  for (const auto atom : atoms) {
    if (atom >= charges.labels.size()) continue;
    const auto& label = charges.labels[atom];
    if (label.atom == "N") backbone.nitrogen = place_of(charges, atom, nitrogen);
    if (label.atom == "CA") backbone.alpha_carbon = place_of(charges, atom, carbon);
    if (label.atom == "C") backbone.carbon = place_of(charges, atom, carbon);
    if (label.atom == "O") backbone.oxygen = place_of(charges, atom, oxygen);
    if (label.atom == "P") backbone.phosphorus = place_of(charges, atom, phosphorus);
    if (label.atom == "O3'" || label.atom == "O3*") backbone.o3 = place_of(charges, atom, oxygen);
    if (label.residue == "PRO") backbone.has_amide_hydrogen = false;
  }
  return backbone;
}

}  // namespace

std::vector<Backbone> backbones_of(const Charges& charges, const Residues& residues) {
  std::vector<Backbone> all;
  for (const auto& residue : residues.all) all.push_back(backbone_of(charges, residue.atoms));
  return all;
}

bool are_joined(const Backbone& first, const Backbone& next) {
  constexpr double farthest_alpha_carbons = 4.5, farthest_phosphorus = 8;
  const auto within = [](const auto& one, const auto& other, double distance) {
    return one && other && (*one - *other).norm() <= distance;
  };
  if (first.carbon && next.nitrogen) return within(first.carbon, next.nitrogen, longest_peptide_bond);
  if (first.alpha_carbon && next.alpha_carbon)
    return within(first.alpha_carbon, next.alpha_carbon, farthest_alpha_carbons);
  if (first.o3 && next.phosphorus) return within(first.o3, next.phosphorus, longest_peptide_bond);
  return within(first.phosphorus, next.phosphorus, farthest_phosphorus);
}

std::vector<Secondary> assigned_secondary(const std::vector<Backbone>& backbones) {
  const HydrogenBonds bonds(backbones);
  std::vector<Secondary> found(static_cast<std::size_t>(bonds.size()));
  mark_sheets(bonds, found);
  mark_helices(bonds, 4, Secondary::alpha_helix, found);
  mark_helices(bonds, 3, Secondary::three_ten_helix, found);
  mark_helices(bonds, 5, Secondary::pi_helix, found);
  std::vector<Secondary> of_all(backbones.size());
  for (int i = 0; i < bonds.size(); ++i) of_all[bonds.place(i)] = found[static_cast<std::size_t>(i)];
  return of_all;
}

std::vector<Secondary> recorded_secondary(const Charges& charges, const Residues& residues,
                                          const std::vector<SecondaryRange>& recorded) {
  std::map<std::string, std::vector<const SecondaryRange*>> by_chain;
  for (const auto& each : recorded) by_chain[each.chain].push_back(&each);
  std::vector<Secondary> found(residues.all.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto atom = residues.all[i].atoms.front();
    if (atom >= charges.labels.size()) continue;
    const auto& label = charges.labels[atom];
    const auto its = by_chain.find(label.chain);
    if (its == by_chain.end()) continue;
    const SecondaryRange::End place{label.number, label.insertion};
    for (const auto* range : its->second) {
      if (place >= range->first && place <= range->last) found[i] = range->kind;
    }
  }
  return found;
}

}  // namespace isolume::structures
