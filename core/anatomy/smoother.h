#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/anatomy/parameters.h"
#include "core/volumes/transform.h"

namespace isolume::anatomy {

using volumes::Counts;
using volumes::VectorField;

/// Makes velocities of forces on one grid, both in mm.
class Smoother {
 public:
  Smoother(const Counts& counts, const std::array<double, 3>& spacing_mm, const FluidParameters& parameters);

  void smooth(VectorField& field);

 private:
  void solve_modes(const volumes::ModePlane& plane) const;

  Counts counts_;
  std::array<double, 3> spacing_;
  FluidParameters parameters_;
  std::optional<volumes::Transform> transform_;
  /// Of each component that is solved at once: all three where they are coupled, else one, which stays in the cache.
  std::vector<volumes::Modes> modes_;
  std::vector<FieldValues> padded_;  ///< with zeros, to lengths that suit the transform; empty where they do
  /// For each axis and wave number: (2 - 2 cos w) / h^2 and sin w / h, the symbols of differences on the grid.
  std::array<std::vector<float>, 3> laplacian_, slope_;
};

}  // namespace isolume::anatomy
