#include "core/electrostatics/sums/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/base/units.h"

namespace isolume::electrostatics {
namespace {

// CODATA 2018, in SI units.
constexpr double elementary_charge = 1.602176634e-19;
constexpr double vacuum_permittivity = 8.8541878128e-12;
constexpr double boltzmann = 1.380649e-23;
constexpr double hartree = 4.3597447222071e-18;
constexpr double angstrom = 1e-10;
constexpr double kilocalorie = 1000 * units::joule_per_calorie;
constexpr double per_litre = 1000;  ///< per cubic metre

}  // namespace

std::string_view to_text(PotentialUnit unit) {
  switch (unit) {
    case PotentialUnit::kt_per_e:
      return "kT/e";
    case PotentialUnit::millivolt:
      return "mV";
    case PotentialUnit::kcal_per_mol_e:
      return "kcal/mol/e";
    case PotentialUnit::hartree_per_e:
      break;
  }
  return "Eh/e";
}

std::optional<PotentialUnit> potential_unit_of(std::string_view text) {
  constexpr std::array known{PotentialUnit::kt_per_e, PotentialUnit::millivolt, PotentialUnit::kcal_per_mol_e,
                             PotentialUnit::hartree_per_e};
  const auto* const found = std::ranges::find(known, text, [](auto each) { return to_text(each); });
  return found == known.end() ? std::nullopt : std::optional(*found);
}

std::optional<PotentialUnit> unit_in_brackets(std::string_view text) {
  const std::size_t open = text.find('('), close = text.find(')', std::min(open, text.size()));
  if (close == std::string_view::npos) return std::nullopt;
  return potential_unit_of(text.substr(open + 1, close - open - 1));
}

double coulomb_constant(PotentialUnit unit, double temperature_kelvin) {
  const double volt = elementary_charge / (4 * std::numbers::pi * vacuum_permittivity * angstrom);
  switch (unit) {
    case PotentialUnit::kt_per_e:
      return volt * elementary_charge / (boltzmann * temperature_kelvin);
    case PotentialUnit::millivolt:
      return volt * 1000;
    case PotentialUnit::kcal_per_mol_e:
      return volt * elementary_charge * units::avogadro / kilocalorie;
    case PotentialUnit::hartree_per_e:
      break;
  }
  return volt * elementary_charge / hartree;
}

double inverse_debye_length(double ionic_strength_molar, double permittivity, double temperature_kelvin) {
  const double ions = units::avogadro * ionic_strength_molar * per_litre;
  const double squared = 2 * ions * elementary_charge * elementary_charge /
                         (vacuum_permittivity * permittivity * boltzmann * temperature_kelvin);
  return std::sqrt(squared) * angstrom;
}

}  // namespace isolume::electrostatics
