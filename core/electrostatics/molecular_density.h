#pragma once

#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// A sum of Gaussians, exp(b (1 - r^2 / radius^2)) of each atom that has a radius, with b = 2.35 (Blinn, ACM Trans. Graph.
/// 1, 235 (1982)); without a unit. Where it is 1 is a molecule's smooth surface: the van der Waals sphere of a lone atom,
/// and a little outside of the spheres where atoms touch. Gaussians below 1e-4 are left out.
///
/// The same on any number of threads. Throws Cancelled.
lattice::ScalarField molecular_density(const lattice::Lattice& lattice, const structures::Charges& charges,
                                       const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
