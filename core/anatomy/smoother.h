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
  void solve(VectorField& field);
  void solve_modes(const volumes::ModePlane& plane) const;

  Counts counts_;
  std::array<double, 3> spacing_;
  FluidParameters parameters_;
  /// Fields are padded with zeros to lengths that suit a Fourier transform.
  std::optional<volumes::Transform> transform_;
  std::optional<VectorField> padded_;
  std::vector<volumes::Modes> modes_;
  /// For each axis and wave number: (2 - 2 cos w) / h^2 and sin w / h, the symbols of differences on the grid.
  std::array<std::vector<float>, 3> laplacian_, slope_;
};

}  // namespace isolume::anatomy
