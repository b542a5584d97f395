#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/structures/charges.h"
#include "core/structures/residues.h"

namespace isolume::electrostatics {

using structures::Residues;
using structures::residues_of;

/// Distance from an atom's sphere within which a surface still belongs to it, in angstrom: large enough for deep
/// crevices and large probes.
inline constexpr double reach_of_atoms = 4;

/// Finds the sphere nearest to a point; immutable.
class NearestAtoms {
 public:
  static constexpr std::int32_t none = -1;

  NearestAtoms() = default;
  /// Finds spheres no farther away than `reach`, in angstrom.
  NearestAtoms(const structures::Charges& charges, double reach);

  /// The nearest atom to a point in angstrom; none where all are farther away.
  std::int32_t at(const Eigen::Vector3d& place) const;
  /// For many points, three floats each. Uses all threads of the calling arena.
  std::vector<std::int32_t> at(std::span<const float> places) const;

 private:
  struct Ball {
    Eigen::Vector3d centre;
    double radius;
    std::int32_t atom;
  };
  std::size_t cell(const Eigen::Vector3i& at) const;

  double reach_ = 0, side_ = 1;
  Eigen::Vector3d low_ = Eigen::Vector3d::Zero();
  Eigen::Vector3i counts_ = Eigen::Vector3i::Ones();
  std::vector<std::size_t> first_{0, 0};  ///< index of a cell's first ball
  std::vector<Ball> balls_;
};

}  // namespace isolume::electrostatics
