// The JSON files of orca_2json.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/units.h"
#include "core/molecules/element.h"
#include "core/molecules/json_values.h"
#include "core/molecules/outputs.h"

namespace isolume::molecules {
namespace {

Atom read_atom(const Json& json, double factor, const LineReader& reader) {
  const auto number = at(json, "ElementNumber").is_number() ? whole(at(json, "ElementNumber"))
                                                            : atomic_number(text_at(json, "ElementLabel"));
  if (!number || *number < 0 || *number > 118)
    reader.fail_at(0, "expected an atomic number between 0 and 118 (ElementNumber)");
  const std::vector<double> place = reals(json, "Coords", reader);
  if (place.size() != 3) reader.fail_at(0, "expected three coordinates of each atom (Coords)");
  Atom atom;
  atom.atomic_number = *number;
  const Json& charge = at(json, "NuclearCharge");
  atom.nuclear_charge = charge.is_number() ? std::clamp(charge.get<double>(), 0.0, 118.0) : *number;
  if (atom.nuclear_charge == 0) {
    atom.ghost_of = atom.atomic_number;
    atom.atomic_number = 0;
  }
  atom.position_bohr = Eigen::Vector3d(place[0], place[1], place[2]) * factor;
  return atom;
}

/// "Basis", of ORCA 5 "BasisFunctions".
PrintedBasis read_basis(const Json& atom, const LineReader& reader) {
  static constexpr std::string_view letters = "spdfgh";
  PrintedBasis basis;
  const Json& shells = at(atom, "Basis").is_array() ? at(atom, "Basis") : at(atom, "BasisFunctions");
  if (!shells.is_array()) return basis;
  for (const Json& each : shells) {
    const std::string letter = lower_case(text_at(each, "Shell"));
    Shell shell;
    const std::size_t l = letter.size() == 1 ? letters.find(letter) : std::string_view::npos;
    if (l == std::string_view::npos)
      reader.fail_at(0,
                     fmt::format("expected a shell (s, p, d, f, g or h), found {}", isolume::quoted(letter)),
                     "Use a basis set with functions up to h.");
    shell.angular_momentum = static_cast<int>(l);
    shell.exponents = reals(each, "Exponents", reader);
    shell.coefficients = reals(each, "Coefficients", reader);
    check_primitives(shell, reader);
    basis.shells.push_back(std::move(shell));
  }
  return basis;
}

/// Alpha before beta, half of the list each, where the calculation is unrestricted.
void read_orbitals(const Json& molecule, Output& output, const LineReader& reader) {
  const Json& orbitals = at(molecule, "MolecularOrbitals/MOs");
  const Json& labels = at(molecule, "MolecularOrbitals/OrbitalLabels");
  if (!orbitals.is_array() || orbitals.empty()) return;
  if (!labels.is_array()) reader.fail_at(0, "expected the names of the functions (OrbitalLabels)");
  std::vector<std::string> names;
  for (const Json& label : labels) {
    std::vector<std::string_view> words;
    const std::string text = label.is_string() ? label.get<std::string>() : std::string();
    split_words(text, words);
    names.push_back(words.empty() ? std::string() : lower_case(words.back()));
  }
  const bool unrestricted = lower_case(text_at(molecule, "HFTyp")).starts_with("u");
  for (std::size_t i = 0; i < orbitals.size(); ++i) {
    const bool beta = unrestricted && i >= (orbitals.size() + 1) / 2;
    Table& table = output.tables[beta ? 1 : 0];
    const std::vector<double> values = reals(orbitals[i], "MOCoefficients", reader);
    if (values.size() != names.size())
      reader.fail_at(0, fmt::format("orbital {} has {} coefficients, but there are {} functions", i + 1,
                                    values.size(), names.size()));
    Orbital orbital;
    orbital.spin = beta ? Spin::beta : Spin::alpha;
    if (const Json& energy = at(orbitals[i], "OrbitalEnergy"); energy.is_number())
      orbital.energy_hartree = energy.get<double>();
    if (const Json& occupancy = at(orbitals[i], "Occupancy"); occupancy.is_number())
      orbital.occupation = occupancy.get<double>();
    orbital.symmetry = text_at(orbitals[i], "OrbitalSymLabel");
    table.orbitals.push_back(std::move(orbital));
    table.values.insert(table.values.end(), values.begin(), values.end());
    if (table.names.empty()) table.names = names;
  }
}

}  // namespace

bool looks_like_orca_json(std::string_view text) {
  const auto has = [text](std::string_view key) { return text.find(key) != std::string_view::npos; };
  return trimmed(text).starts_with('{') && has("\"Molecule\"") && has("\"ElementLabel\"");
}

FileContents read_orca_json(const Source& source) {
  const LineReader reader(source.path, source.text, source.progress);
  const Json json = parse_json(source, reader);
  const Json& molecule = at(json, "Molecule");
  const Json& atoms = at(molecule, "Atoms");
  if (!atoms.is_array()) reader.fail_at(0, "expected the atoms (Molecule, Atoms)");
  const std::string unit = lower_case(text_at(molecule, "CoordinateUnits"));
  const bool bohr = unit.starts_with("bohr");
  Output output;
  if (!bohr && !unit.starts_with("ang"))
    output.remarks.assumed(
        "The file does not state the unit of its coordinates (CoordinateUnits): angstrom was assumed.");
  for (const Json& atom : atoms) {
    output.atoms.push_back(read_atom(atom, bohr ? 1 : units::bohr_per_angstrom, reader));
    output.basis.push_back(read_basis(atom, reader));
  }
  output.charge = whole(at(molecule, "Charge"));
  output.multiplicity = whole(at(molecule, "Multiplicity"));
  read_orbitals(molecule, output, reader);
  return finish(
      std::move(output),
      {"orca", 0, true,
       "Write {\"MOCoefficients\": true, \"Basisset\": true} into NAME.json.conf and run orca_2json "
       "NAME.gbw again."},
      reader);
}

}  // namespace isolume::molecules
