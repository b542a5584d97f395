#include "app/labs/electrostatics/picture/method_text.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/scene/fields/field_picture.h"
#include "core/base/language.h"
#include "core/base/shown_number.h"

namespace isolume::labs::electrostatics {
namespace {

using science::Method;

std::string name_of(Method method) {
  switch (method) {
    case Method::direct:
      return localised("electrostatics", "Direct sum");
    case Method::cutoff:
      return localised("electrostatics", "Cut-off");
    case Method::debye_hueckel:
      return localised("electrostatics", "Debye-Hückel");
    case Method::fmm:
      return localised("electrostatics", "Fast multipole method");
    case Method::multilevel:
      return localised("electrostatics", "Multilevel summation");
    case Method::pme:
      return localised("electrostatics", "Particle-mesh Ewald");
    case Method::pb_linear:
      return localised("electrostatics", "Poisson-Boltzmann, linear");
    case Method::pb_nonlinear:
      return localised("electrostatics", "Poisson-Boltzmann, non-linear");
  }
  return {};
}

/// Empty where there is nothing to subtract.
std::string subtracted(science::Compared compare) {
  switch (compare) {
    case science::Compared::half_spacing:
      return localised("electrostatics", "minus the same at half the spacing");
    case science::Compared::direct:
      return localised("electrostatics", "minus the direct sum");
    case science::Compared::debye_hueckel:
      return localised("electrostatics", "minus the Debye-Hückel sum");
    case science::Compared::pb_linear:
      return localised("electrostatics", "minus linear Poisson-Boltzmann");
    case science::Compared::pb_nonlinear:
      return localised("electrostatics", "minus non-linear Poisson-Boltzmann");
    default:
      return {};
  }
}

std::string permittivity_text(const science::PotentialOptions& how) {
  if (science::is_poisson_boltzmann(how.method))
    return fmt::format("ε {:g}/{:g}", how.solute_dielectric, how.solvent_dielectric);
  if (science::takes_dielectric(how.method) && how.dielectric == science::Dielectric::distance)
    return fmt::format("ε {:g} · r/Å", how.solute_dielectric);
  return fmt::format("ε {:g}",
                     how.method == Method::debye_hueckel ? how.solvent_dielectric : how.solute_dielectric);
}

}  // namespace

std::string spacing_text(const grid::Grid& grid) {
  return fmt::format("{} {}", shown_reading(scene::shown_spacing(grid), 3), grid::shown_unit(grid.unit));
}

std::string method_text(const ChargedMolecule& molecule, const science::PotentialOptions& how,
                        science::Compared compare, const grid::Grid& shown) {
  const auto method = how.method;
  const bool salted = science::is_poisson_boltzmann(method) || method == Method::debye_hueckel;
  std::vector<std::string> parts{name_of(method)};
  if (const auto less = subtracted(compare); !less.empty()) parts.back() += " " + less;
  if (method == Method::cutoff) parts.push_back(fmt::format("{:g} Å", how.cutoff_angstrom));
  if (salted) parts.push_back(fmt::format("{:g} mol/l", how.salt_molar));
  parts.push_back(permittivity_text(how));
  if (salted || how.unit == science::PotentialUnit::kt_per_e)
    parts.push_back(fmt::format("{:g} K", how.temperature_kelvin));
  parts.push_back(spacing_text(shown));
  if (molecule.preparation) {
    parts.emplace_back(structures::name_of(molecule.preparation->force_field));
    if (!molecule.preparation->equalised.empty())
      parts.push_back(localised("electrostatics", "equalised charges of ligands"));
    if (!molecule.preparation->given.empty())
      parts.push_back(localised("electrostatics", "given charges of ligands"));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace isolume::labs::electrostatics
