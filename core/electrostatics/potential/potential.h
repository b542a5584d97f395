#pragma once

#include <functional>
#include <vector>

#include "core/dispatch/dispatch.h"
#include "core/electrostatics/sums/map_parts.h"
#include "core/electrostatics/sums/options.h"
#include "core/electrostatics/sums/places.h"
#include "core/grid/scalar_field.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// A potential, and how it was computed.
template <class Values>
struct Potential {
  Values values;
  double seconds_order = 0;  ///< sorting charges into bins or cells
  double seconds_sums = 0;   ///< including mesh contributions
  dispatch::Report report = {};
};

/// The potential in options.unit at each point of a grid, whose length unit may be any. Charges closer than
/// `nearest` to a point (with fmm: at the point itself) do not contribute there. With debye-hueckel, a charge q in a
/// sphere of radius s contributes q exp(-kappa (r - s)) / ((1 + kappa s) permittivity r) everywhere: what APBS calls
/// multiple Debye-Hueckel. In single precision relative to the centre of small tiles where the grid lies along x,
/// y and z. With pme, charges have periodic images by options.box, and the grid may extend beyond the box;
/// report.who mentions the background that neutralises a net charge.
///
/// Where has_engines, options.engine computes, everything else the CPU; see report.who. The result does not depend on
/// the number of threads. Throws Error for invalid charges or options, ResourceError, Cancelled.
Potential<grid::ScalarField> potential_on(const grid::Grid& grid, const structures::Charges& charges,
                                          const PotentialOptions& options,
                                          const jobs::Progress& progress = {});

/// Memory for a map and its computation; for multilevel and pme without their meshes.
std::size_t bytes_of_map(const grid::Grid& grid, const structures::Charges& charges,
                         const PotentialOptions& options);

/// Parts of at most this many bytes. Throws Error for the Poisson-Boltzmann equation, ResourceError where the
/// smallest part does not fit.
Parts parts_of(const grid::Grid& grid, const structures::Charges& charges, const PotentialOptions& options,
               std::size_t bytes);

/// The result of potential_on by the CPU, passed to `use` part by part, bitwise the same as in one piece; each part
/// is a field on its own planes. The returned `values` is the number of parts. Throws what potential_on and `use`
/// throw.
Potential<int> potential_in_parts(
    const grid::Grid& grid, const structures::Charges& charges, const PotentialOptions& options,
    const Parts& parts, const std::function<void(const grid::ScalarField&, const jobs::Progress&)>& use,
    const jobs::Progress& progress = {}, KeptParts* kept = nullptr);

/// The same at given points, in double precision; not for the Poisson-Boltzmann equation, which needs a grid.
Potential<std::vector<double>> potential_at(const Places& places, const structures::Charges& charges,
                                            const PotentialOptions& options,
                                            const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
