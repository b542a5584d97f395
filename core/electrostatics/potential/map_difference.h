#pragma once

#include <memory>
#include <optional>

#include "core/electrostatics/sums/options.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

class SolventSurfaces;

/// Reference for a map, to show its error or the effect of the model.
/// `map`: another program's map, see map_comparison.h.
enum class Compared { nothing, half_spacing, direct, debye_hueckel, pb_linear, pb_nonlinear, map };
/// Nothing if the reference is not another method.
std::optional<Method> compared_method(Compared with);

/// The map computed with the options minus its reference: by the same options on a grid of half the spacing, at
/// the common points; or by another method with otherwise the same options. `surfaces`: as in PoissonBoltzmann.
/// Throws as potential_on, and Error for `map`.
grid::ScalarField less_compared(grid::ScalarField map, const structures::Charges& charges,
                                const PotentialOptions& options, Compared with,
                                std::shared_ptr<SolventSurfaces> surfaces = nullptr,
                                const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
