#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/jobs/progress.h"

namespace isolume::structures {

/// Whether `equalised_charges` has parameters of the element: H, Li, C, N, O, F, Na, Si, P, S, Cl, K, Br, Rb, I and
/// Cs.
bool can_equalise(int atomic_number);

/// Charges in e of a molecule's atoms by electronegativity equalisation: QEq of Rappe and Goddard, J. Phys. Chem. 95,
/// 3358 (1991), with their parameters, Coulomb integrals between s-type Slater densities, and hydrogen's hardness and
/// exponent that increase with its charge. They sum to `total`. Positions in angstrom. Throws Error for elements
/// without parameters, for coincident atoms, for more than 4000 atoms, and where the charges do not converge;
/// Cancelled.
std::vector<double> equalised_charges(std::span<const int> atomic_numbers,
                                      std::span<const Eigen::Vector3d> places, double total,
                                      const jobs::Progress& progress = {});

}  // namespace isolume::structures
