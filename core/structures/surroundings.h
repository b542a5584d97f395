#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/molecules/neighbourhood.h"
#include "core/structures/site.h"

namespace isolume::structures {

using molecules::Neighbourhood;

bool is_metal(int atomic_number);
/// Whether a metal deprotonates a bound thiol: false for alkali metals and alkaline earths.
bool binds_thiolates(int atomic_number);

/// A neighbour considered in placing hydrogens and protonating histidines.
struct HeavyAtom {
  const Site* site = nullptr;
  std::string name;
  int atomic_number = 0;
  Eigen::Vector3d place;
};

/// A metal near an atom; distance in angstrom.
struct NearMetal {
  const Residue* residue = nullptr;
  const StructureAtom* atom = nullptr;
  double apart = 0;
};

/// Spatial index of the heavy atoms of a structure in preparation, and of its metals.
class Surroundings {
 public:
  /// Search limits, in angstrom.
  static constexpr double heavy_reach = 3.5, metal_reach = 2.9;

  /// Contains the metals of the structure, which must outlive this object, and no heavy atoms yet.
  explicit Surroundings(const Structure& structure);

  void note(const Site& site, const StructureAtom& atom);
  /// Calls visit(heavy atom, distance) for all neighbours.
  template <class Visit>
  void near(const Eigen::Vector3d& place, Visit visit) const {
    near_.near(place, [&](std::size_t item, double apart) { visit(heavy_[item], apart); });
  }
  /// The nearest B, C, P or S of another residue at the distance of a covalent bond; null if there is none: an N
  /// or O as near overlaps rather. Valid until the next `note`.
  const HeavyAtom* bonded(const Site& site, const StructureAtom& atom) const;
  /// The nearest N, O or S of another residue, other than water, at the distance of a covalent bond from a carbonyl
  /// carbon, which makes it an amide, ester or thioester; null if there is none. Valid until the next `note`.
  const HeavyAtom* acylated(const Site& site, const StructureAtom& carbon) const;
  std::optional<NearMetal> nearest_metal(const Eigen::Vector3d& place, double reach,
                                         bool (*test)(int atomic_number)) const;

 private:
  std::vector<HeavyAtom> heavy_;
  Neighbourhood near_{heavy_reach};
  std::vector<NearMetal> metals_;
  Neighbourhood near_metals_{metal_reach};
};

}  // namespace isolume::structures
