// QCSchema of MolSSI, as QCEngine, Psi4 and others write it: https://molssi.github.io/QCSchema.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/molecules/element.h"
#include "core/molecules/json_values.h"
#include "core/molecules/outputs.h"

namespace isolume::molecules {
namespace {

void read_molecule(const Json& molecule, Output& output, const LineReader& reader) {
  const Json& symbols = at(molecule, "symbols");
  const std::vector<double> places = reals(molecule, "geometry", reader);  // bohr
  const Json& real = at(molecule, "real");
  if (!symbols.is_array() || places.size() != 3 * symbols.size())
    reader.fail_at(0, "expected three coordinates of each atom (molecule, symbols and geometry)");
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    Atom atom;
    atom.atomic_number = symbols[i].is_string() ? atomic_number(symbols[i].get<std::string>()) : -1;
    if (atom.atomic_number < 0) reader.fail_at(0, fmt::format("atom {} has no known symbol", i + 1));
    const bool ghost = real.is_array() && i < real.size() && real[i] == false;
    if (ghost) {
      atom.ghost_of = atom.atomic_number;
      atom.atomic_number = 0;
    }
    atom.nuclear_charge = atom.atomic_number;
    atom.position_bohr = Eigen::Vector3d(places[3 * i], places[3 * i + 1], places[3 * i + 2]);
    output.atoms.push_back(atom);
  }
  output.charge = whole(molecule, "molecular_charge", output.remarks).value_or(0);
  output.multiplicity = whole(molecule, "molecular_multiplicity", output.remarks).value_or(1);
}

/// The shells of one centre, one for each contraction, and the names of their functions.
void read_centre(const Json& centre, PrintedBasis& basis, std::vector<std::string>& names,
                 const LineReader& reader) {
  const Json& shells = at(centre, "electron_shells");
  if (!shells.is_array()) return;
  for (const Json& each : shells) {
    const std::vector<long> momenta = integers(each, "angular_momentum", reader);
    const Json& contractions = at(each, "coefficients");
    if (momenta.empty() || !contractions.is_array())
      reader.fail_at(0, "expected the angular momenta and coefficients of a shell (electron_shells)");
    for (std::size_t i = 0; i < contractions.size(); ++i) {
      const long l = momenta[std::min(i, momenta.size() - 1)];
      if (l < 0 || l > max_angular_momentum)
        reader.fail_at(0, fmt::format("angular momentum {} is not supported", l),
                       "Use a basis set with functions up to h.");
      Shell shell;
      shell.angular_momentum = static_cast<int>(l);
      shell.exponents = reals(each, "exponents", reader);
      shell.coefficients = reals({{"row", contractions[i]}}, "row", reader);
      check_primitives(shell, reader);
      basis.shells.push_back(std::move(shell));
      const auto functions =
          systematic_names(static_cast<int>(l), text_at(each, "harmonic_type") != "cartesian");
      names.insert(names.end(), functions.begin(), functions.end());
    }
  }
}

std::vector<std::string> read_basis(const Json& basis, Output& output, const LineReader& reader) {
  std::vector<std::string> names;
  const Json& map = at(basis, "atom_map");
  if (!map.is_array() || map.size() != output.atoms.size()) return names;
  for (std::size_t i = 0; i < map.size(); ++i) {
    const Json& centres = at(basis, "center_data");
    const std::string name = map[i].is_string() ? map[i].get<std::string>() : std::string();
    // By its key rather than as a path: names may contain slashes.
    const auto centre = centres.is_object() ? centres.find(name) : centres.end();
    if (centre == centres.end())
      reader.fail_at(0, fmt::format("the basis set has no centre {} (center_data)", isolume::quoted(name)));
    output.basis.emplace_back();
    read_centre(*centre, output.basis.back(), names, reader);
    Atom& atom = output.atoms[i];
    if (const Json& core = at(*centre, "ecp_electrons"); core.is_number())
      atom.nuclear_charge = std::max(0.0, atom.nuclear_charge - core.get<double>());
  }
  return names;
}

/// A list of numbers, or of lists of equal length.
std::vector<double> flat(const Json& json, const std::string& key, const LineReader& reader) {
  const Json& rows = at(json, key);
  if (!rows.is_array() || rows.empty() || !rows[0].is_array()) return reals(json, key, reader);
  std::vector<double> numbers;
  for (const Json& row : rows) {
    const auto more = reals({{key, row}}, key, reader);
    if (more.size() != rows[0].size()) reader.fail_at(0, fmt::format("the rows of {} differ in length", key));
    numbers.insert(numbers.end(), more.begin(), more.end());
  }
  return numbers;
}

/// "orbitals_a" contains the name of the list: "scf_orbitals_a", one row for each function.
Table read_orbitals(const Json& wavefunction, char spin, const std::vector<std::string>& names,
                    const LineReader& reader) {
  const auto list = [&](std::string_view what) {
    const std::string usual = fmt::format("scf_{}_{}", what, spin);
    const std::string told = text_at(wavefunction, fmt::format("{}_{}", what, spin));
    return told.empty() ? usual : told;
  };
  Table table;
  const std::string key = list("orbitals");
  if (!at(wavefunction, key).is_array()) return table;
  const std::vector<double> rows = flat(wavefunction, key, reader);
  if (names.empty() || rows.empty() || rows.size() % names.size() != 0)
    reader.fail_at(0, fmt::format("{} coefficients of {} are not a multiple of the {} basis functions",
                                  rows.size(), key, names.size()));
  const std::size_t count = rows.size() / names.size();
  const auto optional = [&](std::string_view what) {
    const std::string name = list(what);
    const auto numbers =
        at(wavefunction, name).is_array() ? flat(wavefunction, name, reader) : std::vector<double>();
    if (!numbers.empty() && numbers.size() != count)
      reader.fail_at(0, fmt::format("expected {} numbers of {}, found {}", count, name, numbers.size()));
    return numbers;
  };
  const auto energies = optional("eigenvalues");
  // Occupations of both spins together are written in several ways: charge and multiplicity are used as well.
  const auto occupations =
      at(wavefunction, "restricted") == true ? std::vector<double>() : optional("occupations");
  for (std::size_t i = 0; i < count; ++i) {
    Orbital orbital;
    orbital.spin = spin == 'b' ? Spin::beta : Spin::alpha;
    if (!energies.empty()) orbital.energy_hartree = energies[i];
    if (!occupations.empty()) orbital.occupation = occupations[i];
    table.orbitals.push_back(std::move(orbital));
    for (std::size_t row = 0; row < names.size(); ++row) table.values.push_back(rows[row * count + i]);
  }
  table.names = names;
  return table;
}

/// What the file states and nothing below reads.
void remark_on_rest(const Json& json, Remarks& remarks) {
  if (at(json, "success") == false) {
    const std::string type = text_at(json, "error/error_type"),
                      message = text_at(json, "error/error_message");
    remarks.warn(fmt::format(
        "The calculation failed{}{}: orbitals and energies may be those of a step before its end.",
        type.empty() ? "" : ", " + isolume::quoted(type),
        message.empty() ? "" : ", " + isolume::quoted(message)));
  }
  const Json& wavefunction = at(json, "wavefunction");
  std::vector<std::string> localised;
  for (const auto& [key, value] : wavefunction.items()) {
    if (key.starts_with("localized_orbitals")) localised.push_back(key);
  }
  if (!localised.empty())
    remarks.dropped(
        fmt::format("The localised orbitals of the file are not read: {}.", first_names(localised)));
}

void count_electrons(Output& output) {
  double electrons = -*output.charge;
  for (const Atom& atom : output.atoms) electrons += atom.nuclear_charge;
  const double unpaired = *output.multiplicity - 1;
  if (electrons < unpaired || unpaired < 0) return;
  output.electrons = ElectronCount{0.5 * (electrons + unpaired), 0.5 * (electrons - unpaired)};
}

}  // namespace

bool looks_like_qcschema(std::string_view text) {
  const auto has = [text](std::string_view key) { return text.find(key) != std::string_view::npos; };
  return trimmed(text).starts_with('{') &&
         (has("\"qcschema_") || has("\"qc_schema_") || has("\"scf_orbitals_a\"")) && has("\"symbols\"");
}

FileContents read_qcschema(const Source& source) {
  const LineReader reader(source.path, source.text, source.progress);
  const Json json = parse_json(source, reader);
  Output output;
  read_molecule(at(json, "molecule").is_object() ? at(json, "molecule") : json, output, reader);
  remark_on_rest(json, output.remarks);
  const Json& wavefunction = at(json, "wavefunction");
  const std::vector<std::string> names = read_basis(at(wavefunction, "basis"), output, reader);
  output.tables[0] = read_orbitals(wavefunction, 'a', names, reader);
  if (at(wavefunction, "restricted") != true)
    output.tables[1] = read_orbitals(wavefunction, 'b', names, reader);
  count_electrons(output);
  if (const Json& energy = at(json, "properties/return_energy"); energy.is_number())
    output.energy = Energy{energy.get<double>(), "total"};
  if (const Json& dipole = at(json, "properties/scf_dipole_moment");
      dipole.is_array() && dipole.size() == 3) {
    const auto values = reals(json, "properties/scf_dipole_moment", reader);
    output.dipole_debye = Eigen::Vector3d(values[0], values[1], values[2]) * debye_per_e_bohr;
  }
  const std::string program = lower_case(text_at(json, "provenance/creator"));
  return finish(std::move(output),
                {program, 0, false,
                 "Ask for \"protocols\": {\"wavefunction\": \"orbitals_and_eigenvalues\"} in the input."},
                reader);
}

}  // namespace isolume::molecules
