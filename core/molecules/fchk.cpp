// Formatted checkpoint files of Gaussian, and of programs that write the same format (Psi4, Q-Chem, ORCA, PySCF
// tools).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/molecules/element.h"
#include "core/molecules/fchk_records.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"
#include "core/molecules/shell_arrays.h"

namespace isolume::molecules {
namespace {

const FchkNumbers<double>& require_reals(const FchkRecords& records, std::string_view name, std::size_t count,
                                         const LineReader& reader) {
  const FchkNumbers<double>* numbers = records.reals_named(name);
  if (numbers == nullptr) reader.fail_at(0, fmt::format("expected the record \"{}\", found none", name));
  if (numbers->values.size() != count) {
    reader.fail_at(numbers->line, fmt::format("expected {} numbers of \"{}\", found {}", count, name,
                                              numbers->values.size()));
  }
  return *numbers;
}

const FchkNumbers<long>& require_integers(const FchkRecords& records, std::string_view name,
                                          const LineReader& reader) {
  const FchkNumbers<long>* numbers = records.integers_named(name);
  if (numbers == nullptr) reader.fail_at(0, fmt::format("expected the record \"{}\", found none", name));
  return *numbers;
}

/// The number of elements of an array that a scalar of the header implies.
struct Promise {
  std::string_view scalar, array;
};

/// Programs that leave orbitals out, or count shells differently, still write arrays that are consistent with each
/// other.
void remark_on_broken_promises(const FchkRecords& records, Remarks& remarks) {
  static constexpr std::array<Promise, 8> promises{
      {{"number of contracted shells", "shell types"},
       {"number of contracted shells", "number of primitives per shell"},
       {"number of contracted shells", "shell to atom map"},
       {"number of primitive shells", "primitive exponents"},
       {"number of primitive shells", "contraction coefficients"},
       {"number of primitive shells", "p(s=p) contraction coefficients"},
       {"number of independent functions", "alpha orbital energies"},
       {"number of independent functions", "beta orbital energies"}}};
  for (const auto& [scalar, array] : promises) {
    const auto promised = records.scalar(scalar);
    const auto* integers = records.integers_named(array);
    const auto* reals = records.reals_named(array);
    if (!promised || (integers == nullptr && reals == nullptr)) continue;
    const std::size_t found = integers != nullptr ? integers->values.size() : reals->values.size();
    if (static_cast<double>(found) != *promised)
      remarks.warn(
          fmt::format("The header states \"{}\" as {}, but \"{}\" has {} numbers. The file may be "
                      "truncated or edited: compare it with the original.",
                      scalar, *promised, array, found));
  }
}

Molecule make_molecule(const FchkRecords& records, const LineReader& reader) {
  const FchkNumbers<long>& numbers = require_integers(records, "atomic numbers", reader);
  const std::size_t count = numbers.values.size();
  if (count == 0) reader.fail_at(numbers.line, "there are no atoms");
  if (const auto stated = records.scalar("number of atoms"); stated && *stated != static_cast<double>(count))
    reader.fail_at(numbers.line, fmt::format("the header states {} atoms, but there are {} atomic numbers",
                                             *stated, count));
  const auto& places = require_reals(records, "current cartesian coordinates", 3 * count, reader);
  const FchkNumbers<double>* charges = records.reals_named("nuclear charges");
  if (charges != nullptr && charges->values.size() != count) {
    reader.fail_at(charges->line, fmt::format("expected {} numbers of \"Nuclear charges\", found {}", count,
                                              charges->values.size()));
  }
  const bool charged = charges != nullptr && std::any_of(charges->values.begin(), charges->values.end(),
                                                         [](double q) { return q != 0; });
  Molecule molecule;
  molecule.title = records.title;
  for (std::size_t i = 0; i < count; ++i) {
    const long z = numbers.values[i];
    if (z < -1 || z > 118) {
      reader.fail_at(numbers.line, fmt::format("the atomic number {} does not lie between 0 and 118", z));
    }
    Atom atom;
    atom.atomic_number = static_cast<int>(std::max(0L, z));
    atom.nuclear_charge = charged ? charges->values[i] : static_cast<double>(atom.atomic_number);
    if (atom.nuclear_charge == 0) {  // a ghost keeps the number of its basis set
      atom.ghost_of = atom.atomic_number;
      atom.atomic_number = 0;
    }
    for (int axis = 0; axis < 3; ++axis) {
      atom.position_bohr[axis] = places.values[3 * i + static_cast<std::size_t>(axis)];
    }
    molecule.atoms.push_back(atom);
  }
  if (const auto charge = records.scalar("charge"))
    molecule.charge = static_cast<int>(std::clamp(*charge, -1e6, 1e6));
  if (const auto multiplicity = records.scalar("multiplicity")) {
    molecule.multiplicity = static_cast<int>(std::clamp(*multiplicity, -1e6, 1e6));
  }
  return molecule;
}

ShellArrays shell_arrays(const FchkRecords& records, const LineReader& reader) {
  const FchkNumbers<long>& types = require_integers(records, "shell types", reader);
  const FchkNumbers<long>& counts = require_integers(records, "number of primitives per shell", reader);
  const FchkNumbers<long>& owners = require_integers(records, "shell to atom map", reader);
  const auto reals = [&](std::string_view name) -> const FchkNumbers<double>& {
    const FchkNumbers<double>* numbers = records.reals_named(name);
    if (numbers == nullptr) reader.fail_at(0, fmt::format("expected the record \"{}\", found none", name));
    return *numbers;
  };
  const FchkNumbers<double>& exponents = reals("primitive exponents");
  ShellArrays arrays{
      types.values, counts.values, owners.values, exponents.values, reals("contraction coefficients").values,
      {},           types.line,    counts.line,   owners.line,      exponents.line};
  if (std::find(types.values.begin(), types.values.end(), -1) != types.values.end())
    arrays.p_coefficients = reals("p(s=p) contraction coefficients").values;
  return arrays;
}

/// Shell types that disagree with the number of functions: uses the kind that fits.
void reconcile_kinds(BasisSet& basis, const FchkRecords& records, const LineReader& reader) {
  const auto told = records.scalar("number of basis functions");
  if (!told || static_cast<double>(basis.function_count()) == *told) return;
  const std::size_t as_typed = basis.function_count();
  for (const bool spherical : {true, false}) {
    for (Shell& shell : basis.shells) shell.spherical = spherical && shell.angular_momentum > 1;
    if (static_cast<double>(basis.function_count()) == *told) return;
  }
  reader.fail_at(0, fmt::format("the shells make {} basis functions, but the file says {}", as_typed, *told));
}

struct Block {
  const FchkNumbers<double>* coefficients = nullptr;
  const FchkNumbers<double>* energies = nullptr;
  Spin spin = Spin::alpha;
};

OrbitalSet make_set(std::string name, const std::vector<Block>& blocks, std::size_t functions,
                    const LineReader& reader) {
  OrbitalSet set;
  set.name = std::move(name);
  std::size_t columns = 0;
  for (const Block& block : blocks) {
    const std::size_t count = block.coefficients->values.size();
    if (count == 0 || count % functions != 0) {
      reader.fail_at(block.coefficients->line,
                     fmt::format("{} orbital coefficients are not a multiple of the {} basis functions",
                                 count, functions));
    }
    columns += count / functions;
  }
  set.coefficients.resize(static_cast<Eigen::Index>(functions), static_cast<Eigen::Index>(columns));
  Eigen::Index column = 0;
  for (const Block& block : blocks) {
    const auto count = static_cast<Eigen::Index>(block.coefficients->values.size() / functions);
    if (block.energies != nullptr && block.energies->values.size() != static_cast<std::size_t>(count)) {
      reader.fail_at(block.energies->line, fmt::format("expected the energies of {} orbitals, found {}",
                                                       count, block.energies->values.size()));
    }
    set.coefficients.middleCols(column, count) = Eigen::Map<const Eigen::MatrixXd>(
        block.coefficients->values.data(), static_cast<Eigen::Index>(functions), count);
    column += count;
    for (Eigen::Index i = 0; i < count; ++i) {
      Orbital orbital;
      orbital.spin = block.spin;
      if (block.energies != nullptr)
        orbital.energy_hartree = block.energies->values[static_cast<std::size_t>(i)];
      set.orbitals.push_back(orbital);
    }
  }
  return set;
}

/// Gaussian's SaveNO replaces canonical orbitals by natural ones and their energies by occupations: numbers between 0
/// and 2 that sum to the number of electrons.
bool energies_are_occupations(const OrbitalSet& set, double electrons) {
  double sum = 0;
  for (const Orbital& orbital : set.orbitals) {
    if (!(orbital.energy_hartree > -0.01 && orbital.energy_hartree < 2.01)) return false;
    sum += orbital.energy_hartree;
  }
  return electrons > 0 && std::abs(sum - electrons) < 1e-2;
}

ElectronCount electrons_told(const FchkRecords& records, const Molecule& molecule, Remarks& remarks) {
  const auto alpha = records.scalar("number of alpha electrons");
  const auto beta = records.scalar("number of beta electrons");
  if (alpha && beta) return {*alpha, *beta};
  double total = 0;
  for (const Atom& atom : molecule.atoms) total += atom.nuclear_charge;
  total -= molecule.charge.value_or(0);
  const auto told = records.scalar("number of electrons");
  if (!told && !molecule.charge)
    remarks.assumed("The file states neither electrons nor a charge: a neutral molecule was assumed.");
  total = told.value_or(total);
  const double unpaired = molecule.multiplicity ? *molecule.multiplicity - 1 : std::fmod(std::abs(total), 2);
  return {(total + unpaired) / 2, (total - unpaired) / 2};
}

/// By the method or by the lowest bit of Gaussian's IOpCl.
bool is_unrestricted(const FchkRecords& records) {
  const double stated = records.scalar("iopcl").value_or(0);
  const bool by_number = stated >= 0 && stated < 1e6 && static_cast<long>(stated) % 2 == 1;
  return by_number || records.method.starts_with('U') || records.method.starts_with('u');
}

OrbitalSet main_set(const FchkRecords& records, const Molecule& molecule, std::size_t functions,
                    Remarks& remarks, const LineReader& reader) {
  std::vector<Block> blocks{
      {records.own_reals("alpha mo coefficients"), records.own_reals("alpha orbital energies"), Spin::alpha}};
  if (const auto* beta = records.own_reals("beta mo coefficients")) {
    blocks.push_back({beta, records.own_reals("beta orbital energies"), Spin::beta});
  } else if (records.own_reals("beta orbital energies") != nullptr) {
    remarks.assumed(
        "The file has energies of beta orbitals, but not their coefficients: the alpha orbitals were taken "
        "for both spins. If the calculation was unrestricted, the file is truncated: copy or export it "
        "again.");
  } else if (is_unrestricted(records)) {
    remarks.assumed(
        "The file states an unrestricted calculation, but has no beta orbitals: the alpha orbitals were "
        "taken for both spins. The file is probably truncated: copy or export it again.");
  }
  OrbitalSet set = make_set("canonical", blocks, functions, reader);
  const ElectronCount electrons = electrons_told(records, molecule, remarks);
  if (energies_are_occupations(set, electrons.alpha + electrons.beta)) {
    set.name = "natural";
    for (Orbital& orbital : set.orbitals) {
      orbital.occupation = orbital.energy_hartree;
      orbital.energy_hartree = std::numeric_limits<double>::quiet_NaN();
    }
  } else {
    fill_occupations(set, electrons.alpha, electrons.beta);
  }
  return set;
}

/// "localized alpha mo coefficients (er)" -> "localized mo coefficients (er)": common to both spins of a set.
std::string without_spin(std::string name) {
  for (const std::string_view spin : {"alpha ", "beta "}) {
    if (const std::size_t place = name.find(spin); place != std::string::npos) name.erase(place, spin.size());
  }
  return name;
}

/// Further tables of coefficients become sets of their own, named as in the file.
void add_further_sets(const FchkRecords& records, std::size_t functions, Remarks& remarks,
                      const LineReader& reader, Wavefunction& wavefunction) {
  std::map<std::string, std::vector<Block>> by_name;
  for (const std::string& name : records.coefficient_names) {
    if (name == "alpha mo coefficients" || name == "beta mo coefficients") continue;
    const FchkNumbers<double>* numbers = records.own_reals(name);
    const std::size_t columns = numbers == nullptr ? 0 : numbers->values.size() / functions;
    if (numbers == nullptr || columns == 0 || numbers->values.size() % functions != 0 ||
        columns > functions) {
      remarks.dropped(fmt::format(
          "The record \"{}\" is not a table of orbitals of this basis set: it was left out.", name));
      continue;
    }
    const Spin spin = name.find("alpha") != std::string::npos ? Spin::alpha : Spin::beta;
    by_name[without_spin(name)].push_back({numbers, nullptr, spin});
  }
  for (const auto& [name, blocks] : by_name)
    wavefunction.sets.push_back(make_set(name, blocks, functions, reader));
}

std::string_view program_in(std::string_view text) {
  const std::string beginning = lower_case(text.substr(0, 400));
  for (const std::string_view name : {"psi4", "q-chem", "orca", "pyscf", "gaussian"}) {
    if (beginning.find(name) != std::string::npos) return name;
  }
  return {};
}

std::vector<std::vector<Atom>> geometries(const FchkRecords& records, std::size_t atoms,
                                          const LineReader& reader) {
  std::vector<std::vector<Atom>> all;
  std::vector<const FchkNumbers<double>*> tables = records.all_reals("current cartesian coordinates");
  for (const std::string& name : records.geometry_names) tables.push_back(records.reals_named(name));
  for (const FchkNumbers<double>* table : tables) {
    const FchkNumbers<double>& numbers = *table;
    if (numbers.values.size() % (3 * atoms) != 0) {
      reader.fail_at(numbers.line, fmt::format("{} coordinates are not a multiple of those of {} atoms",
                                               numbers.values.size(), atoms));
    }
    for (std::size_t at = 0; at < numbers.values.size(); at += 3) {
      if (at % (3 * atoms) == 0) all.emplace_back();
      Atom atom;
      for (std::size_t axis = 0; axis < 3; ++axis)
        atom.position_bohr[static_cast<Eigen::Index>(axis)] = numbers.values[at + axis];
      all.back().push_back(atom);
    }
  }
  return all;
}

/// Kind of orbitals with more coefficients than there are functions.
std::optional<std::string_view> unsupported_orbitals(const FchkRecords& records, std::size_t functions) {
  const std::size_t numbers = records.own_reals("alpha mo coefficients")->values.size();
  const FchkNumbers<double>* energies = records.own_reals("alpha orbital energies");
  const std::size_t orbitals = energies == nullptr ? functions : energies->values.size();
  if (orbitals == 0 || numbers <= functions * orbitals) return std::nullopt;
  if (orbitals > functions || numbers > 2 * functions * orbitals)
    return "those of a generalised (two-component) calculation, each of which has an alpha and a beta part";
  return "complex";
}

/// Reads everything apart from the wavefunction.
void tell_rest(const FchkRecords& records, std::size_t step_of_orbitals, Document& document) {
  const std::size_t steps = 1 + records.last_step("current cartesian coordinates").value_or(0);
  if (step_of_orbitals + 1 < steps) {
    document.remarks.dropped(
        fmt::format("The file holds {} steps: its orbitals belong to step {}, and the other "
                    "geometries have none.",
                    steps, step_of_orbitals + 1));
  }
  if (!records.other_densities.empty()) {
    document.remarks.dropped(
        fmt::format("Densities here are made of the orbitals. Those of the file are not read: {}.",
                    first_names(records.other_densities)),
        records.other_densities.size());
  }
}

}  // namespace

FileContents read_fchk(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  FchkRecords records = read_fchk_records(reader);
  const auto step_of_orbitals = records.last_step("alpha mo coefficients");
  records.choose(step_of_orbitals.value_or(records.last_step("current cartesian coordinates").value_or(0)));
  FileContents contents;
  Document& document = contents.document;
  document.program = program_in(source.text);
  document.molecule = make_molecule(records, reader);
  add_frames(document, geometries(records, document.molecule.atoms.size(), reader));
  if (const auto energy = records.scalar("total energy"); energy.value_or(0) != 0)
    document.energy = {*energy, "total"};
  const FchkNumbers<double>* dipole = records.reals_named("dipole moment");
  if (dipole != nullptr && dipole->values.size() == 3)
    document.dipole_debye = Eigen::Map<const Eigen::Vector3d>(dipole->values.data()) * debye_per_e_bohr;
  contents.order = &fchk_order;
  if (!step_of_orbitals) {
    document.remarks.warn("The file has no orbitals (Alpha MO coefficients).");
    return contents;
  }
  auto wavefunction = std::make_shared<Wavefunction>();
  wavefunction->basis = make_basis(shell_arrays(records, reader), document.molecule.atoms.size(), reader);
  reconcile_kinds(wavefunction->basis, records, reader);
  const std::size_t functions = wavefunction->basis.function_count();
  if (functions == 0) reader.fail_at(0, "the basis set has no functions");
  if (const auto kind = unsupported_orbitals(records, functions)) {
    document.remarks.dropped(
        fmt::format("The orbitals of the file are {}. Such orbitals are not supported: only the "
                    "atoms were read.",
                    *kind));
    return contents;
  }
  remark_on_broken_promises(records, document.remarks);
  wavefunction->sets.push_back(main_set(records, document.molecule, functions, document.remarks, reader));
  contents.electrons = {records.scalar("number of electrons"), records.scalar("number of alpha electrons"),
                        records.scalar("number of beta electrons")};
  add_further_sets(records, functions, document.remarks, reader, *wavefunction);
  tell_rest(records, *step_of_orbitals, document);
  const Rearrangement how = rearrangement(wavefunction->basis, fchk_order, isolume_order);
  for (OrbitalSet& set : wavefunction->sets) rearrange_rows(how, set.coefficients);
  contents.wavefunction = std::move(wavefunction);
  return contents;
}

}  // namespace isolume::molecules
