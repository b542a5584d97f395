#include "core/electrostatics/potential/map_difference.h"

#include <utility>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/memory.h"
#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"
#include "core/electrostatics/potential/potential.h"
#include "core/grid/point_number.h"

namespace isolume::electrostatics {
namespace {

/// Every second point of it coincides with one of the original grid.
grid::Grid of_half_spacing(grid::Grid grid) {
  grid.step /= 2;
  for (int& count : grid.dimensions) count = 2 * count - 1;
  dispatch::require_memory("The map of half the spacing", grid::point_number(grid) * sizeof(float),
                           "Choose a larger spacing.");
  return grid;
}

}  // namespace

std::optional<Method> compared_method(Compared with) {
  switch (with) {
    case Compared::direct:
      return Method::direct;
    case Compared::debye_hueckel:
      return Method::debye_hueckel;
    case Compared::pb_linear:
      return Method::pb_linear;
    case Compared::pb_nonlinear:
      return Method::pb_nonlinear;
    default:
      return std::nullopt;
  }
}

grid::ScalarField less_compared(grid::ScalarField map, const structures::Charges& charges,
                                const PotentialOptions& options, Compared with,
                                std::shared_ptr<SolventSurfaces> surfaces, const jobs::Progress& progress) {
  if (with == Compared::nothing) return map;
  if (with == Compared::map) throw Error("A map of another program is no method: see map_comparison.h.");
  PotentialOptions others = by_method(options, compared_method(with).value_or(options.method));
  // The engine and the kernel may not support another method.
  if (others.method != options.method)
    static_cast<dispatch::ComputeOptions&>(others) = {.threads = options.threads};
  const int stride = with == Compared::half_spacing ? 2 : 1;
  const auto grid = stride == 2 ? of_half_spacing(map.grid) : map.grid;
  const auto other = is_poisson_boltzmann(others.method)
                         ? PoissonBoltzmann(charges, grid, std::move(surfaces))
                               .solve(others, {.energy = false}, progress)
                               .potential
                         : potential_on(grid, charges, others, progress).values;
  const auto& n = map.grid.dimensions;
  float* value = map.values.data();
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i) *value++ -= other.at(stride * i, stride * j, stride * k);
    }
  }
  return map;
}

}  // namespace isolume::electrostatics
