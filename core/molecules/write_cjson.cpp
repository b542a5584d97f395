#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/units.h"
#include "core/molecules/angular_order.h"
#include "core/molecules/writers.h"

namespace isolume::molecules {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson places_of(const Molecule& molecule) {
  OrderedJson places = OrderedJson::array();
  for (const Atom& atom : molecule.atoms) {
    for (const double x : atom.position_bohr) places.push_back(x * units::angstrom_per_bohr);
  }
  return places;
}

OrderedJson basis_of(const BasisSet& basis) {
  std::vector<int> types, counts, atoms;
  std::vector<double> exponents, coefficients;
  for (const Shell& shell : basis.shells) {
    types.push_back(shell.spherical ? -shell.angular_momentum : shell.angular_momentum);
    counts.push_back(static_cast<int>(shell.exponents.size()));
    atoms.push_back(shell.atom);
    exponents.insert(exponents.end(), shell.exponents.begin(), shell.exponents.end());
    coefficients.insert(coefficients.end(), shell.coefficients.begin(), shell.coefficients.end());
  }
  return {{"shellTypes", types},
          {"primitivesPerShell", counts},
          {"shellToAtomMap", atoms},
          {"exponents", exponents},
          {"coefficients", coefficients}};
}

OrderedJson orbitals_of(const Wavefunction& wavefunction, const OrbitalSet& set) {
  Eigen::MatrixXd rows = set.coefficients;
  rearrange_rows(rearrangement(wavefunction.basis, isolume_order, molden_order), rows);
  const ElectronCount electrons = electrons_from_occupations(set);
  OrderedJson json = OrderedJson::object();
  if (set.occupations_known) json["electronCount"] = std::lround(electrons.alpha + electrons.beta);
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    const std::vector<int> positions = set.of_spin(spin);
    if (positions.empty()) continue;
    std::vector<double> coefficients, energies, occupations;
    std::vector<std::string> symmetries;
    bool known = true, symmetric = false;
    for (const int i : positions) {
      const Orbital& orbital = set.orbitals[static_cast<std::size_t>(i)];
      const auto column = rows.col(i);
      coefficients.insert(coefficients.end(), column.begin(), column.end());
      energies.push_back(orbital.energy_hartree * units::ev_per_hartree);
      occupations.push_back(orbital.occupation);
      symmetries.push_back(orbital.symmetry);
      known = known && std::isfinite(orbital.energy_hartree);
      symmetric = symmetric || !orbital.symmetry.empty();
    }
    const bool unrestricted = set.unrestricted();
    const std::string prefix = !unrestricted ? "" : spin == Spin::alpha ? "alpha" : "beta";
    const auto key = [&prefix](std::string name) {
      if (!prefix.empty()) name.front() = static_cast<char>(name.front() - 'a' + 'A');
      return prefix + name;
    };
    json[unrestricted ? key("coefficients") : "moCoefficients"] = coefficients;
    if (known) json[key("energies")] = energies;
    if (set.occupations_known) json[key("occupations")] = occupations;
    if (symmetric && !unrestricted) json["symmetries"] = symmetries;
  }
  return json;
}

}  // namespace

void write_cjson(const Molecule& molecule, const Wavefunction* wavefunction, const OrbitalSet* set,
                 const std::filesystem::path& path, const StatedResults& results) {
  std::vector<int> numbers;
  for (const Atom& atom : molecule.atoms) numbers.push_back(atom.atomic_number);
  OrderedJson json{{"chemicalJson", 1}, {"name", molecule.title}};
  json["atoms"] = {{"elements", {{"number", numbers}}}, {"coords", {{"3d", places_of(molecule)}}}};
  json["properties"] = OrderedJson::object();
  if (molecule.charge) json["properties"]["totalCharge"] = *molecule.charge;
  if (molecule.multiplicity) json["properties"]["totalSpinMultiplicity"] = *molecule.multiplicity;
  if (results.energy_hartree) json["properties"]["totalEnergy"] = *results.energy_hartree;
  if (const auto& dipole = results.dipole_debye)
    json["properties"]["dipoleMoment"] = {dipole->x(), dipole->y(), dipole->z()};
  if (wavefunction != nullptr && set != nullptr) {
    json["basisSet"] = basis_of(wavefunction->basis);
    json["orbitals"] = orbitals_of(*wavefunction, *set);
  }
  AtomicFile file(path);
  // Titles of old files may be in any encoding.
  file.stream() << json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) << '\n';
  file.commit();
}

}  // namespace isolume::molecules
