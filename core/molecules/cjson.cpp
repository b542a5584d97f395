// Chemical JSON of Avogadro 2: https://github.com/OpenChemistry/chemicaljson.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/molecules/crystal_cell.h"
#include "core/molecules/json_values.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"
#include "core/molecules/shell_arrays.h"

namespace isolume::molecules {
namespace {

void place_atoms(const std::vector<double>& places, std::string_view path, Molecule& molecule,
                 const LineReader& reader) {
  if (places.size() != 3 * molecule.atoms.size()) {
    reader.fail_at(0, fmt::format("expected {} coordinates of {} atoms at {}, found {}",
                                  3 * molecule.atoms.size(), molecule.atoms.size(), path, places.size()));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    molecule.atoms[i / 3].position_bohr[static_cast<Eigen::Index>(i % 3)] =
        places[i] * units::bohr_per_angstrom;
  }
}

/// Edges of the cell as columns, in angstrom: as vectors, or as lengths and angles.
Eigen::Matrix3d unit_cell(const Json& json, const LineReader& reader) {
  const Json& cell = at(json, "unitCell").is_object() ? at(json, "unitCell") : at(json, "unit cell");
  std::optional<Eigen::Matrix3d> edges;
  if (at(cell, "cellVectors").is_array()) {
    const auto vectors = reals(cell, "cellVectors", reader);
    if (vectors.size() == 9) edges = Eigen::Map<const Eigen::Matrix3d>(vectors.data());
  } else if (cell.is_object()) {
    const auto value = [&](std::string_view key) {
      const Json& number = at(cell, key);
      return number.is_number() ? number.get<double>() : 0.0;
    };
    edges = cell_of({value("a"), value("b"), value("c")}, {value("alpha"), value("beta"), value("gamma")});
  }
  if (!edges)
    reader.fail_at(0, "fractional coordinates need the cell, but unitCell is missing or spans no volume");
  return *edges;
}

/// Cartesian, in angstrom.
std::vector<double> coordinates(const Json& json, const LineReader& reader) {
  constexpr std::string_view cartesian = "atoms/coords/3d", fractional = "atoms/coords/3dFractional";
  if (at(json, cartesian).is_array() || !at(json, fractional).is_array())
    return reals(json, cartesian, reader);
  auto values = reals(json, fractional, reader);
  const auto cell = unit_cell(json, reader);
  for (std::size_t i = 0; i + 3 <= values.size(); i += 3) {
    Eigen::Map<Eigen::Vector3d> place(&values[i]);
    place = cell * Eigen::Vector3d(place);
  }
  return values;
}

bool are_at_same_places(const Molecule& one, const Molecule& other) {
  constexpr double printed = 1e-4;  // bohr
  return std::ranges::equal(one.atoms, other.atoms, [](const Atom& a, const Atom& b) {
    return (a.position_bohr - b.position_bohr).norm() < printed;
  });
}

void read_molecule(const Json& json, bool has_orbitals, Document& document, const LineReader& reader) {
  Molecule& molecule = document.molecule;
  if (const Json& name = at(json, "name"); name.is_string()) molecule.title = name.get<std::string>();
  for (const long number : integers(json, "atoms/elements/number", reader)) {
    if (number < 0 || number > 118)
      reader.fail_at(0, fmt::format("the atomic number {} does not lie between 0 and 118", number));
    Atom atom;
    atom.atomic_number = static_cast<int>(number);
    atom.nuclear_charge = atom.atomic_number;
    molecule.atoms.push_back(atom);
  }
  if (molecule.atoms.empty()) reader.fail_at(0, "there are no atoms");
  molecule.charge = whole(json, "properties/totalCharge", document.remarks);
  molecule.multiplicity = whole(json, "properties/totalSpinMultiplicity", document.remarks);
  // Avogadro writes hartree and debye.
  if (const Json& energy = at(json, "properties/totalEnergy"); energy.is_number())
    document.energy = {energy.get<double>(), "total"};
  if (const Json& dipole = at(json, "properties/dipoleMoment"); dipole.is_array() && dipole.size() == 3) {
    const auto values = reals(json, "properties/dipoleMoment", reader);
    document.dipole_debye = Eigen::Vector3d(values[0], values[1], values[2]);
  }
  place_atoms(coordinates(json, reader), "atoms/coords", molecule, reader);
  const Json& sets = at(json, "atoms/coords/3dSets");
  if (!sets.is_array()) return;
  const Molecule current = molecule;
  bool is_a_set = sets.empty();
  std::size_t others = 0;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    Molecule frame = current;
    place_atoms(reals({{"set", sets[i]}}, "set", reader), "atoms/coords/3dSets", frame, reader);
    const bool is_current = are_at_same_places(frame, current);
    is_a_set = is_a_set || is_current;
    if (!is_current) ++others;
    if (has_orbitals) continue;  // they belong to one geometry
    if (i == 0) {
      molecule = std::move(frame);
    } else {
      document.frames.push_back(std::move(frame));
    }
  }
  if (has_orbitals && others > 0) {
    document.remarks.dropped(
        fmt::format(
            "Further geometries (atoms/coords/3dSets) were left out, because the orbitals belong to one: {}.",
            others),
        others);
  }
  if (!is_a_set && !has_orbitals)
    document.remarks.dropped(
        "The current positions (atoms/coords/3d) were left out, because they are none of the frames "
        "(3dSets).");
}

ShellArrays read_basis(const Json& json, const LineReader& reader) {
  ShellArrays arrays;
  arrays.types = integers(json, "basisSet/shellTypes", reader);
  arrays.atoms = integers(json, "basisSet/shellToAtomMap", reader);
  for (long& atom : arrays.atoms) ++atom;
  arrays.counts = integers(json, "basisSet/primitivesPerShell", reader);
  if (arrays.counts.size() == arrays.types.size() + 1 && arrays.counts.back() == 0)
    arrays.counts.pop_back();  // Avogadro up to 1.100 adds one
  arrays.exponents = reals(json, "basisSet/exponents", reader);
  arrays.coefficients = reals(json, "basisSet/coefficients", reader);
  return arrays;
}

/// Orbitals of one spin. Energies are in electronvolts.
void read_orbitals(const Json& orbitals, std::string_view prefix, Spin spin, std::size_t functions,
                   OrbitalSet& set, std::vector<double>& coefficients, Remarks& remarks,
                   const LineReader& reader) {
  const auto key = [prefix](std::string_view name) { return fmt::format("{}{}", prefix, name); };
  const std::vector<double> values =
      reals(orbitals, prefix.empty() ? "moCoefficients" : key("Coefficients"), reader);
  if (functions == 0 || values.empty() || values.size() % functions != 0) {
    reader.fail_at(0, fmt::format("{} orbital coefficients are not a multiple of the {} basis functions",
                                  values.size(), functions));
  }
  const std::size_t count = values.size() / functions;
  const auto optional = [&](const std::string& name) {
    const Json& found = at(orbitals, name);
    const std::vector<double> numbers =
        found.is_array() ? reals(orbitals, name, reader) : std::vector<double>();
    if (numbers.empty() || numbers.size() == count) return numbers;
    if (numbers.size() < count) {
      remarks.dropped(fmt::format("orbitals/{} was left out, because it has {} numbers for {} orbitals.",
                                  name, numbers.size(), count),
                      numbers.size());
      return std::vector<double>();
    }
    remarks.dropped(
        fmt::format("orbitals/{} has {} numbers for {} orbitals: those after the last orbital were left "
                    "out.",
                    name, numbers.size(), count),
        numbers.size() - count);
    return numbers;
  };
  const auto energies = optional(prefix.empty() ? "energies" : key("Energies"));
  const auto occupations = optional(prefix.empty() ? "occupations" : key("Occupations"));
  const Json& symmetries = at(orbitals, "symmetries");
  for (std::size_t i = 0; i < count; ++i) {
    Orbital orbital;
    orbital.spin = spin;
    if (!energies.empty()) orbital.energy_hartree = energies[i] / units::ev_per_hartree;
    if (!occupations.empty()) orbital.occupation = occupations[i];
    if (symmetries.is_array() && i < symmetries.size() && symmetries[i].is_string())
      orbital.symmetry = symmetries[i].get<std::string>();
    set.orbitals.push_back(std::move(orbital));
  }
  coefficients.insert(coefficients.end(), values.begin(), values.end());
}

OrbitalSet read_set(const Json& orbitals, const BasisSet& basis, FileContents& contents,
                    const LineReader& reader) {
  OrbitalSet set;
  std::vector<double> coefficients;
  const std::size_t functions = basis.function_count();
  Remarks& remarks = contents.document.remarks;
  const bool both = at(orbitals, "alphaCoefficients").is_array();
  if (both) {
    read_orbitals(orbitals, "alpha", Spin::alpha, functions, set, coefficients, remarks, reader);
    read_orbitals(orbitals, "beta", Spin::beta, functions, set, coefficients, remarks, reader);
  } else {
    read_orbitals(orbitals, "", Spin::alpha, functions, set, coefficients, remarks, reader);
  }
  const std::string_view unused = both ? "moCoefficients" : "betaCoefficients";
  if (at(orbitals, unused).is_array()) {
    remarks.dropped(fmt::format("The orbitals of {} were left out, because those of {} are read.", unused,
                                both ? "alphaCoefficients and betaCoefficients" : "moCoefficients"));
  }
  const bool told = std::any_of(set.orbitals.begin(), set.orbitals.end(),
                                [](const Orbital& o) { return o.occupation != 0; });
  const auto electrons = whole(orbitals, "electronCount", remarks);
  if (!told && electrons && *electrons > 0) {  // writers that do not know the number put zero
    int unpaired = contents.document.molecule.multiplicity.value_or(1 + *electrons % 2) - 1;
    // A multiplicity that this number of electrons cannot have; the comparison of the two names it.
    if (unpaired < 0 || unpaired > *electrons || (*electrons - unpaired) % 2 != 0) unpaired = *electrons % 2;
    fill_occupations(set, 0.5 * (*electrons + unpaired), 0.5 * (*electrons - unpaired));
  } else if (!told) {
    assume_neutral(set, contents.document);
  }
  set.name = name_by_occupations(set);
  set.coefficients =
      Eigen::Map<const Eigen::MatrixXd>(coefficients.data(), static_cast<Eigen::Index>(functions),
                                        static_cast<Eigen::Index>(set.orbitals.size()));
  rearrange_rows(rearrangement(basis, molden_order, isolume_order), set.coefficients);
  return set;
}

}  // namespace

bool looks_like_cjson(std::string_view text) {
  const std::string_view beginning = trimmed(text);
  // Keys are in alphabetical order, so that "chemicalJson" may come late.
  return beginning.starts_with('{') && (text.find("\"chemicalJson\"") != std::string_view::npos ||
                                        text.find("\"chemical json\"") != std::string_view::npos ||
                                        (text.find("\"atoms\"") != std::string_view::npos &&
                                         text.find("\"coords\"") != std::string_view::npos));
}

FileContents read_cjson(const Source& source) {
  const LineReader reader(source.path, source.text, source.progress);
  const Json json = parse_json(source, reader);
  FileContents contents;
  contents.order = &molden_order;
  const Json& orbitals = at(json, "orbitals");
  const bool has_orbitals =
      at(json, "basisSet").is_object() &&
      (at(orbitals, "moCoefficients").is_array() || at(orbitals, "alphaCoefficients").is_array());
  read_molecule(json, has_orbitals, contents.document, reader);
  if (const Json& values = at(json, "cube/scalars"); values.is_array() && !values.empty()) {
    contents.document.remarks.dropped(
        fmt::format("The field of the file (cube) is not read: {} values. Export it as a cube file.",
                    values.size()),
        values.size());
  }
  if (at(json, "atoms/partialCharges").is_object() || at(json, "partialCharges").is_object())
    contents.document.remarks.dropped("The partial charges of the file (partialCharges) are not read.");
  if (!has_orbitals) return contents;
  auto wavefunction = std::make_shared<Wavefunction>();
  wavefunction->basis = make_basis(read_basis(json, reader), contents.document.molecule.atoms.size(), reader);
  wavefunction->sets.push_back(read_set(orbitals, wavefunction->basis, contents, reader));
  contents.rounding.orbitals = 0.5e-6;  // Avogadro copies them from outputs
  contents.wavefunction = std::move(wavefunction);
  return contents;
}

}  // namespace isolume::molecules
