#pragma once

#include <vector>

#include "core/electrostatics/poisson_boltzmann/lattice_equation.h"
#include "core/lattice/lattice.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// By which B-spline a charge is spread over points of a lattice, and the potential at it is read from them: over 2, 3 or
/// 5 points along each axis. `quadratic` is what APBS calls spl2.
enum class ChargeSpline { linear, quadratic, quartic };
/// So many steps of a lattice from a charge, and less, are the points that have some of it.
inline constexpr int most_charge_reach = 3;

/// Throws Error where a charge reaches the lattice's faces.
void require_inside(const structures::Charges& charges, const lattice::Lattice& lattice, ChargeSpline spline);

/// Charges in e at points of a lattice in angstrom along x, y and z: in the order of points, those of one point added up.
/// Their sum is that of all charges. Throws as require_inside. Uses all threads of the arena it is called in.
std::vector<PointCharge> spread_charges(const structures::Charges& charges, const lattice::Lattice& lattice,
                                        ChargeSpline spline);

}  // namespace isolume::electrostatics
