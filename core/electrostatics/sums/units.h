#pragma once

#include <optional>
#include <string_view>

namespace isolume::electrostatics {

enum class PotentialUnit { kt_per_e, millivolt, kcal_per_mol_e, hartree_per_e };
/// "kT/e", "mV", "kcal/mol/e", "Eh/e".
std::string_view to_text(PotentialUnit unit);
/// Finds a unit in the brackets of a text, as "potential (kT/e)": the first brackets count.
std::optional<PotentialUnit> unit_in_brackets(std::string_view text);
/// Parses the text that `to_text` gives; nothing for others.
std::optional<PotentialUnit> potential_unit_of(std::string_view text);

/// The potential of one e at 1 angstrom in vacuum, e^2 / (4 pi epsilon_0 1 angstrom), in this unit per e; kT is that
/// of the temperature in kelvin. 560.459 kT/e at 298.15 K. From CODATA 2018.
double coulomb_constant(PotentialUnit unit, double temperature_kelvin);

/// The inverse Debye length in 1/angstrom of a solvent of this relative permittivity with salt of this ionic strength
/// in mol/l: kappa^2 = 2 N_A I e^2 / (epsilon_0 epsilon k T). Debye and Hueckel, Phys. Z. 24, 185 (1923).
double inverse_debye_length(double ionic_strength_molar, double permittivity, double temperature_kelvin);

}  // namespace isolume::electrostatics
