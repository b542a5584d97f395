#pragma once

/// Conversion factors, CODATA 2018. Internally lengths are in bohr and energies in hartree.
namespace isolume::units {

inline constexpr double angstrom_per_bohr = 0.529177210903;
inline constexpr double bohr_per_angstrom = 1.0 / angstrom_per_bohr;
inline constexpr double ev_per_hartree = 27.211386245988;
inline constexpr double avogadro = 6.02214076e23;   ///< particles in a mole, exact
inline constexpr double joule_per_calorie = 4.184;  ///< thermochemical, exact

}  // namespace isolume::units
