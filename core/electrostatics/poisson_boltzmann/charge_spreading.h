#pragma once

#include <vector>

#include "core/electrostatics/poisson_boltzmann/grid_equation.h"
#include "core/grid/grid.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// B-spline by which a charge is spread over grid points, and the potential at it is interpolated: over 2, 3 or 5
/// points along each axis. `quadratic` is APBS's spl2.
enum class ChargeSpline { linear, quadratic, quartic };
/// Upper limit of the distance, in steps, of points that receive part of a charge.
inline constexpr int most_charge_reach = 3;

/// Throws Error where a charge reaches the grid boundary.
void require_inside(const structures::Charges& charges, const grid::Grid& grid, ChargeSpline spline);

/// Charges in e at points of a grid in angstrom along x, y and z, in the order of points, with one sum per point.
/// Their total is that of all charges. Throws as require_inside. Uses all threads of the calling arena.
std::vector<PointCharge> spread_charges(const structures::Charges& charges, const grid::Grid& grid,
                                        ChargeSpline spline);

}  // namespace isolume::electrostatics
