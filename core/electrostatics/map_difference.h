#pragma once

#include <memory>
#include <optional>

#include "core/electrostatics/options.h"
#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

class SolventSurfaces;

/// What a map is compared with, so that its error, or what a model leaves out, is seen.
/// `map`: another program's, which map_comparison.h has.
enum class Compared { nothing, half_spacing, direct, debye_hueckel, pb_linear, pb_nonlinear, map };
/// Nothing where it is no other method.
std::optional<Method> compared_method(Compared with);

/// The map that the options give, less the one it is compared with: by the same options on a lattice of half the spacing,
/// at the points of both; or by another method with the rest of the options. `surfaces`: as PoissonBoltzmann takes them. Throws
/// as potential_on, and Error for `map`.
lattice::ScalarField less_compared(lattice::ScalarField map, const structures::Charges& charges,
                                   const PotentialOptions& options, Compared with,
                                   std::shared_ptr<SolventSurfaces> surfaces = nullptr,
                                   const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
