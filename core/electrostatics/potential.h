#pragma once

#include <functional>
#include <vector>

#include "core/dispatch/dispatch.h"
#include "core/electrostatics/map_parts.h"
#include "core/electrostatics/options.h"
#include "core/electrostatics/places.h"
#include "core/lattice/scalar_field.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// A potential, and how it was computed.
template <class Values>
struct Potential {
  Values values;
  double seconds_order = 0;  ///< charges into bins or cells
  double seconds_sums = 0;   ///< and what meshes carry
  dispatch::Report report = {};
};

/// The potential in options.unit at each point of a lattice, whose length unit may be any. Charges nearer than
/// `nearest` to a point (with fmm: at the point itself) add nothing to it. With debye-hueckel, a charge q in a sphere of radius s acts as
/// q exp(-kappa (r - s)) / ((1 + kappa s) permittivity r) everywhere: what APBS calls multiple Debye-Hueckel. In single
/// precision relative to the middle of small tiles where the lattice lies along x, y and z. With pme, charges and their
/// images in the box that options.box says, which the lattice may reach beyond; report.who tells of the background that
/// neutralises a charge.
///
/// Where has_engines, it is options.engine's, all else is the CPU's; report.who says whose. The same result on
/// any number of threads. Throws Error for charges or options that make no sense, ResourceError,
/// Cancelled.
Potential<lattice::ScalarField> potential_on(const lattice::Lattice& lattice,
                                             const structures::Charges& charges,
                                             const PotentialOptions& options,
                                             const jobs::Progress& progress = {});

/// What a map and computing it take; of multilevel and pme without their meshes.
std::size_t bytes_of_map(const lattice::Lattice& lattice, const structures::Charges& charges,
                         const PotentialOptions& options);

/// Parts of at most so many bytes. Throws Error for the Poisson-Boltzmann equation, ResourceError where the least part does not
/// fit.
Parts parts_of(const lattice::Lattice& lattice, const structures::Charges& charges,
               const PotentialOptions& options, std::size_t bytes);

/// The potential_on the lattice by the CPU, whose parts are handed over one after the other and have the same bits as in one
/// piece; each is a field on its own planes. `values` of what is returned is how many parts there were. Throws what potential_on
/// and `use` do.
Potential<int> potential_in_parts(
    const lattice::Lattice& lattice, const structures::Charges& charges, const PotentialOptions& options,
    const Parts& parts, const std::function<void(const lattice::ScalarField&, const jobs::Progress&)>& use,
    const jobs::Progress& progress = {}, KeptParts* kept = nullptr);

/// The same at places, in double precision; not by the Poisson-Boltzmann equation, which needs a lattice.
Potential<std::vector<double>> potential_at(const Places& places, const structures::Charges& charges,
                                            const PotentialOptions& options,
                                            const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
