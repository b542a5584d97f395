#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/structures/neighbourhood.h"
#include "core/structures/site.h"

namespace isolume::structures {

bool is_metal(int atomic_number);
/// Those that take the proton of a thiol: not the alkali metals and alkaline earths.
bool binds_thiolates(int atomic_number);

/// What hydrogens and histidines look at.
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

/// The heavy atoms of a structure that is prepared, and its metals, by where they are.
class Surroundings {
 public:
  /// Nothing farther away than this is found, in angstrom.
  static constexpr double heavy_reach = 3.5, metal_reach = 2.9;

  /// Metals are those of the structure, which must outlive this; heavy atoms are none yet.
  explicit Surroundings(const Structure& structure);

  void note(const Site& site, const StructureAtom& atom);
  /// Calls visit(heavy atom, distance) for all that are near.
  template <class Visit>
  void near(const Eigen::Vector3d& place, Visit visit) const {
    near_.near(place, [&](std::size_t item, double apart) { visit(heavy_[item], apart); });
  }
  std::optional<NearMetal> nearest_metal(const Eigen::Vector3d& place, double reach,
                                         bool (*test)(int atomic_number)) const;

 private:
  std::vector<HeavyAtom> heavy_;
  Neighbourhood near_{heavy_reach};
  std::vector<NearMetal> metals_;
  Neighbourhood near_metals_{metal_reach};
};

}  // namespace isolume::structures
