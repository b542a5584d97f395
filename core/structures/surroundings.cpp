#include "core/structures/surroundings.h"

#include <set>

namespace isolume::structures {

bool is_metal(int atomic_number) {
  static const std::set<int> others{5,  6,  7,  8,  9,  10, 14, 15, 16, 17,
                                    18, 33, 34, 35, 36, 52, 53, 54, 85, 86};
  return atomic_number > 2 && !others.contains(atomic_number);
}
bool binds_thiolates(int atomic_number) {
  static const std::set<int> others{3, 4, 11, 12, 19, 20, 37, 38, 55, 56, 87, 88};
  return is_metal(atomic_number) && !others.contains(atomic_number);
}

Surroundings::Surroundings(const Structure& structure) {
  for (const auto& residue : structure.residues) {
    for (const auto& atom : residue.atoms) {
      if (!is_metal(atom.atomic_number)) continue;
      near_metals_.add(atom.place, metals_.size());
      metals_.push_back({&residue, &atom});
    }
  }
}

void Surroundings::note(const Site& site, const StructureAtom& atom) {
  near_.add(atom.place, heavy_.size());
  heavy_.push_back({&site, atom.name, atom.atomic_number, atom.place});
}

const HeavyAtom* Surroundings::bonded(const Site& site, const StructureAtom& atom) const {
  constexpr int boron = 5, carbon = 6, phosphorus = 15, sulphur = 16;
  const HeavyAtom* nearest = nullptr;
  double least = 2.1;  // angstrom
  near(atom.place, [&](const HeavyAtom& other, double apart) {
    const int element = other.atomic_number;
    const bool has_sulphur = atom.atomic_number == sulphur || element == sulphur;
    if (other.site == &site || apart >= least || (!has_sulphur && apart >= 1.7)) return;
    if (element != boron && element != carbon && element != phosphorus && element != sulphur) return;
    nearest = &other;
    least = apart;
  });
  return nearest;
}

const HeavyAtom* Surroundings::acylated(const Site& site, const StructureAtom& carbon) const {
  constexpr int nitrogen = 7, oxygen = 8, sulphur = 16;
  const HeavyAtom* nearest = nullptr;
  double least = 2.1;  // angstrom
  near(carbon.place, [&](const HeavyAtom& other, double apart) {
    const int element = other.atomic_number;
    if (other.site == &site || apart >= least || (element != sulphur && apart >= 1.7)) return;
    if (element != nitrogen && element != oxygen && element != sulphur) return;
    if (other.site->known.kind == molecules::ResidueKind::water) return;
    nearest = &other;
    least = apart;
  });
  return nearest;
}

std::optional<NearMetal> Surroundings::nearest_metal(const Eigen::Vector3d& place, double reach,
                                                     bool (*test)(int atomic_number)) const {
  std::optional<NearMetal> nearest;
  near_metals_.near(place, [&](std::size_t item, double apart) {
    if (apart >= (nearest ? nearest->apart : reach) || !test(metals_[item].atom->atomic_number)) return;
    nearest = metals_[item];
    nearest->apart = apart;
  });
  return nearest;
}

}  // namespace isolume::structures
