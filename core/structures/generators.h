#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/units.h"
#include "core/jobs/progress.h"
#include "core/structures/charges.h"

// Generated charges, without a file: for trials, benchmarks and comparisons with formulas. All lie in a box from 0
// on, which is their cell, except for the helix, which has none. Charges and radii of AMBER.
namespace isolume::structures {

/// Edges of the cubic cells of rock salt and caesium chloride in angstrom at room temperature (Wyckoff, Crystal
/// Structures, 2nd ed., 1963). Nearest ions are half an edge apart, and half the diagonal of a cube, respectively.
inline constexpr double sodium_chloride_edge = 5.64056, caesium_chloride_edge = 4.123;

/// cells^3 cells of 8 ions. Throws Error where they are too many, Cancelled.
Charges sodium_chloride(int cells, const jobs::Progress& progress = {});
/// cells^3 cells of 2 ions.
Charges caesium_chloride(int cells, const jobs::Progress& progress = {});

/// Molecules per cubic angstrom in water of 997 kg/m^3 (25 degrees Celsius) and 18.01528 g/mol.
inline constexpr double water_density = 997 * units::avogadro / 18.01528e-3 * 1e-30;
/// Minimum distance of atoms of different water molecules of `water_box`, in angstrom.
inline constexpr double least_water_distance = 1;

/// TIP3P water (O-H 0.9572 angstrom, 104.52 degrees) of that density: one molecule with a random orientation in each
/// cell of a cubic lattice, displaced at random from its centre by up to 0.25 angstrom along each axis, or less if
/// the lattice has empty cells. Not an equilibrated liquid: nothing was minimised or simulated. The same seed gives
/// the same box on all machines. Throws Cancelled.
Charges water_box(std::size_t molecules, std::uint64_t seed, const jobs::Progress& progress = {});

/// An alpha helix of L-alanines with ideal lengths and angles (Engh and Huber, Acta Cryst. A 47, 392 (1991)), phi =
/// -57.8 and psi = -47.0 degrees, from NH3+ to COO-, with hydrogens as `prepare` places them. Throws Error for fewer
/// than 2 residues.
Charges alanine_helix(int residues, const jobs::Progress& progress = {});

/// Alternating charges of +1 and -1 e at independent random positions in a cube; radii of 1 angstrom. Throws Error
/// for an odd number of them.
Charges neutral_gas(std::size_t charges, double edge_angstrom, std::uint64_t seed);

}  // namespace isolume::structures
