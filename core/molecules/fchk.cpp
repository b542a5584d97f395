// Formatted checkpoint of Gaussian, and of the programs that write the same form (Psi4, Q-Chem, ORCA, PySCF
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
#include "core/molecules/element.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"
#include "core/molecules/shell_arrays.h"

namespace isolume::molecules {
namespace {

/// The head of a record: `Atomic numbers                             I   N=           3`.
struct Head {
  std::string_view name;
  char type = 0;
  bool array = false;
  std::string_view value;  ///< the count of an array, or the value itself
};

std::optional<Head> head_at(std::string_view line, std::size_t column) {
  if (column == 0 || column >= line.size() ||
      std::string_view("IRCLH").find(line[column]) == std::string_view::npos) {
    return std::nullopt;
  }
  if (line[column - 1] != ' ' || (column + 1 < line.size() && line[column + 1] != ' ')) return std::nullopt;
  Head head;
  head.name = trimmed(line.substr(0, column));
  head.type = line[column];
  head.value = trimmed(line.substr(column + 1));
  head.array = head.value.starts_with("N=");
  if (head.array) head.value = trimmed(head.value.substr(2));
  if (head.name.empty() || head.value.empty()) return std::nullopt;
  return head;
}

/// Gaussian has the type in column 44; others shift it.
std::optional<Head> record_head(std::string_view line) {
  if (line.size() < 10 || line.front() == ' ' || line.front() == '-' ||
      (line.front() >= '0' && line.front() <= '9')) {
    return std::nullopt;
  }
  if (auto head = head_at(line, 43)) return head;
  for (std::size_t column = 4; column < std::min<std::size_t>(line.size(), 80); ++column) {
    if (line[column - 1] != ' ') continue;
    auto head = head_at(line, column);
    if (head && (head->array || parse_real(head->value))) return head;
  }
  return std::nullopt;
}

template <class T>
struct Numbers {
  std::vector<T> values;
  std::size_t line = 0;
};

/// What a file of one or several steps (a trajectory, several jobs) holds. A step begins where a record comes again.
class Records {
 public:
  std::string title;
  std::vector<std::string>
      coefficient_names;  ///< arrays of reals that look like orbital coefficients, in file order
  std::vector<std::string> geometry_names;   ///< records of an optimisation's geometries, in file order
  std::vector<std::string> other_densities;  ///< as the file names them, of methods beyond the SCF

  void add(const std::string& name, double scalar) { scalars_[name].push_back({step_, scalar}); }
  void add(const std::string& name, Numbers<long> numbers) { put(integers_[name], std::move(numbers)); }
  void add(const std::string& name, Numbers<double> numbers) { put(reals_[name], std::move(numbers)); }
  /// From here on only what belongs to this step is found: records of it, or of steps before it where it has none.
  void choose(std::size_t step) { chosen_ = step; }

  const Numbers<long>* integers_named(std::string_view name) const { return in_chosen(integers_, name); }
  const Numbers<double>* reals_named(std::string_view name) const { return in_chosen(reals_, name); }
  std::optional<double> scalar(std::string_view name) const {
    const double* found = in_chosen(scalars_, name);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  /// Only of the chosen step itself.
  const Numbers<double>* own_reals(std::string_view name) const {
    if (const auto found = reals_.find(name); found != reals_.end()) {
      for (const auto& one : found->second) {
        if (one.step == chosen_) return &one.value;
      }
    }
    return nullptr;
  }
  /// The last step with a record of reals.
  std::optional<std::size_t> last_step(std::string_view name) const {
    const auto found = reals_.find(name);
    return found == reals_.end() ? std::nullopt : std::optional(found->second.back().step);
  }
  /// That of all steps.
  std::vector<const Numbers<double>*> all_reals(std::string_view name) const {
    std::vector<const Numbers<double>*> all;
    if (const auto found = reals_.find(name); found != reals_.end()) {
      for (const auto& one : found->second) all.push_back(&one.value);
    }
    return all;
  }
  /// What a step before the current one had is of no use any more.
  void forget_earlier(const std::string& name) {
    if (auto& all = reals_[name]; all.size() > 1) all.erase(all.begin(), all.end() - 1);
  }

 private:
  template <class T>
  struct OfStep {
    std::size_t step;
    T value;
  };
  template <class T>
  using ByName = std::map<std::string, std::vector<OfStep<T>>, std::less<>>;

  template <class T>
  void put(std::vector<OfStep<T>>& all, T value) {
    if (!all.empty() && all.back().step == step_) ++step_;
    all.push_back({step_, std::move(value)});
  }
  template <class T>
  const T* in_chosen(const ByName<T>& all, std::string_view name) const {
    const T* value = nullptr;
    if (const auto found = all.find(name); found != all.end()) {
      for (const auto& one : found->second) {
        if (one.step <= chosen_ || value == nullptr) value = &one.value;
      }
    }
    return value;
  }

  std::size_t step_ = 0;
  std::size_t chosen_ = 0;
  ByName<double> scalars_;
  ByName<Numbers<long>> integers_;
  ByName<Numbers<double>> reals_;
};

bool ends_with(const std::string& text, std::string_view end) {
  return text.ends_with(end);
}

/// "alpha mo coefficients", "localized alpha mo coefficients (er)", "alpha natural orbitals" ...
bool names_orbitals(const std::string& name) {
  const bool spin = name.find("alpha") != std::string::npos || name.find("beta") != std::string::npos;
  const bool table = name.find("coefficients") != std::string::npos || ends_with(name, "orbitals");
  return spin && table;
}

/// "opt point       1 geometries": those of an optimisation, a scan or a path, one after the other.
bool names_geometries(const std::string& name) {
  return (name.starts_with("opt point") || name.starts_with("irc point")) && ends_with(name, "geometries");
}

bool wanted_reals(const std::string& name) {
  static constexpr std::array<std::string_view, 8> names{"nuclear charges",
                                                         "current cartesian coordinates",
                                                         "primitive exponents",
                                                         "contraction coefficients",
                                                         "p(s=p) contraction coefficients",
                                                         "alpha orbital energies",
                                                         "beta orbital energies",
                                                         "dipole moment"};
  return std::find(names.begin(), names.end(), name) != names.end() || names_orbitals(name) ||
         names_geometries(name);
}

bool wanted_integers(const std::string& name) {
  static constexpr std::array<std::string_view, 4> names{
      "atomic numbers", "shell types", "number of primitives per shell", "shell to atom map"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool wanted_scalar(const std::string& name) {
  static constexpr std::array<std::string_view, 7> names{"charge",
                                                         "multiplicity",
                                                         "number of electrons",
                                                         "number of alpha electrons",
                                                         "number of beta electrons",
                                                         "number of basis functions",
                                                         "total energy"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "total mp2 density": orbitals do not have it.
bool names_other_density(const std::string& name) {
  return name.starts_with("total ") && ends_with(name, " density") && name != "total scf density";
}

double parse_number(const LineReader& reader, std::string_view word, const std::string& what, double) {
  return reader.real(word, what);
}
long parse_number(const LineReader& reader, std::string_view word, const std::string& what, long) {
  return reader.integer(word, what);
}

template <class T>
Numbers<T> read_array(LineReader& reader, const Head& head, const std::string& name) {
  constexpr bool real = std::is_same_v<T, double>;
  Numbers<T> numbers;
  numbers.line = reader.line_number();
  const std::size_t count = reader.count(head.value, fmt::format("count of \"{}\"", name), 2);
  numbers.values.reserve(count);
  std::vector<std::string_view> columns;
  while (numbers.values.size() < count) {
    reader.require(fmt::format("number {} of {} of \"{}\"", numbers.values.size() + 1, count, name));
    const auto* words = &reader.words();
    const bool glued = std::any_of(words->begin(), words->end(), [](std::string_view word) {
      return real ? !parse_real(word).has_value() : !parse_integer(word).has_value();
    });
    if (glued) {
      split_columns(reader.line(), real ? 16 : 12, columns);
      words = &columns;
    }
    for (const std::string_view word : *words) {
      if (numbers.values.size() == count)
        reader.fail(fmt::format("more than the promised {} numbers of \"{}\"", count, name));
      numbers.values.push_back(parse_number(reader, word, name, T{}));
    }
  }
  return numbers;
}

Records read_records(LineReader& reader) {
  Records records;
  if (reader.next()) records.title = trimmed(reader.line());
  while (reader.next()) {
    const auto head = record_head(reader.line());
    if (!head) continue;
    std::string name = lower_case(head->name);
    if (!head->array) {
      if (head->type != 'I' && head->type != 'R') continue;
      if (const auto value = parse_real(head->value)) {
        records.add(name, *value);
      } else if (wanted_scalar(name)) {
        reader.fail(fmt::format("expected a number as \"{}\", found {}", head->name, quoted(head->value)));
      }
    } else if (head->type == 'I' && wanted_integers(name)) {
      records.add(name, read_array<long>(reader, *head, name));
    } else if (head->type == 'R' && wanted_reals(name)) {
      const bool orbitals = names_orbitals(name);
      if (orbitals && !records.last_step(name)) records.coefficient_names.push_back(name);
      if (names_geometries(name)) records.geometry_names.push_back(name);
      records.add(name, read_array<double>(reader, *head, name));
      if (orbitals) records.forget_earlier(name);
    } else if (head->type == 'R' && names_other_density(name)) {
      records.other_densities.emplace_back(head->name);
    }
  }
  return records;
}

const Numbers<double>& require_reals(const Records& records, std::string_view name, std::size_t count,
                                     const LineReader& reader) {
  const Numbers<double>* numbers = records.reals_named(name);
  if (numbers == nullptr) reader.fail_at(0, fmt::format("expected the record \"{}\", found none", name));
  if (numbers->values.size() != count) {
    reader.fail_at(numbers->line, fmt::format("expected {} numbers of \"{}\", found {}", count, name,
                                              numbers->values.size()));
  }
  return *numbers;
}

const Numbers<long>& require_integers(const Records& records, std::string_view name,
                                      const LineReader& reader) {
  const Numbers<long>* numbers = records.integers_named(name);
  if (numbers == nullptr) reader.fail_at(0, fmt::format("expected the record \"{}\", found none", name));
  return *numbers;
}

Molecule make_molecule(const Records& records, const LineReader& reader) {
  const Numbers<long>& numbers = require_integers(records, "atomic numbers", reader);
  const std::size_t count = numbers.values.size();
  if (count == 0) reader.fail_at(numbers.line, "there are no atoms");
  const auto& places = require_reals(records, "current cartesian coordinates", 3 * count, reader);
  const Numbers<double>* charges = records.reals_named("nuclear charges");
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

ShellArrays shell_arrays(const Records& records, const LineReader& reader) {
  const Numbers<long>& types = require_integers(records, "shell types", reader);
  const Numbers<long>& counts = require_integers(records, "number of primitives per shell", reader);
  const Numbers<long>& owners = require_integers(records, "shell to atom map", reader);
  const auto reals = [&](std::string_view name) -> const Numbers<double>& {
    const Numbers<double>* numbers = records.reals_named(name);
    if (numbers == nullptr) reader.fail_at(0, fmt::format("expected the record \"{}\", found none", name));
    return *numbers;
  };
  const Numbers<double>& exponents = reals("primitive exponents");
  ShellArrays arrays{
      types.values, counts.values, owners.values, exponents.values, reals("contraction coefficients").values,
      {},           types.line,    counts.line,   owners.line,      exponents.line};
  if (std::find(types.values.begin(), types.values.end(), -1) != types.values.end())
    arrays.p_coefficients = reals("p(s=p) contraction coefficients").values;
  return arrays;
}

/// Shell types that disagree with the number of functions: take the kind that fits.
void reconcile_kinds(BasisSet& basis, const Records& records, const LineReader& reader) {
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
  const Numbers<double>* coefficients = nullptr;
  const Numbers<double>* energies = nullptr;
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

/// Gaussian's SaveNO puts natural orbitals in place of the canonical ones and their occupations in place of
/// the energies: numbers between 0 and 2 that add up to the electrons.
bool energies_are_occupations(const OrbitalSet& set, double electrons) {
  double sum = 0;
  for (const Orbital& orbital : set.orbitals) {
    if (!(orbital.energy_hartree > -0.01 && orbital.energy_hartree < 2.01)) return false;
    sum += orbital.energy_hartree;
  }
  return electrons > 0 && std::abs(sum - electrons) < 1e-2;
}

ElectronCount electrons_told(const Records& records, const Molecule& molecule, Remarks& remarks) {
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

OrbitalSet main_set(const Records& records, const Molecule& molecule, std::size_t functions, Remarks& remarks,
                    const LineReader& reader) {
  std::vector<Block> blocks{
      {records.own_reals("alpha mo coefficients"), records.own_reals("alpha orbital energies"), Spin::alpha}};
  if (const auto* beta = records.own_reals("beta mo coefficients")) {
    blocks.push_back({beta, records.own_reals("beta orbital energies"), Spin::beta});
  } else if (records.own_reals("beta orbital energies") != nullptr) {
    remarks.assumed(
        "The file has energies of beta orbitals, but not their coefficients: the alpha orbitals were taken "
        "for both spins. If the calculation was unrestricted, the file is truncated: copy or export it "
        "again.");
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

/// "localized alpha mo coefficients (er)" -> "localized mo coefficients (er)": both spins of one set share
/// it.
std::string without_spin(std::string name) {
  for (const std::string_view spin : {"alpha ", "beta "}) {
    if (const std::size_t place = name.find(spin); place != std::string::npos) name.erase(place, spin.size());
  }
  return name;
}

/// Further tables of coefficients become sets of their own, named by the file's words.
void add_further_sets(const Records& records, std::size_t functions, Remarks& remarks,
                      const LineReader& reader, Wavefunction& wavefunction) {
  std::map<std::string, std::vector<Block>> by_name;
  for (const std::string& name : records.coefficient_names) {
    if (name == "alpha mo coefficients" || name == "beta mo coefficients") continue;
    const Numbers<double>* numbers = records.own_reals(name);
    const std::size_t columns = numbers == nullptr ? 0 : numbers->values.size() / functions;
    if (numbers == nullptr || columns == 0 || numbers->values.size() % functions != 0 ||
        columns > functions) {
      remarks.dropped(
          fmt::format("The record \"{}\" is no table of orbitals of this basis set: it was left out.", name));
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

std::vector<std::vector<Atom>> geometries(const Records& records, std::size_t atoms,
                                          const LineReader& reader) {
  std::vector<std::vector<Atom>> all;
  std::vector<const Numbers<double>*> tables = records.all_reals("current cartesian coordinates");
  for (const std::string& name : records.geometry_names) tables.push_back(records.reals_named(name));
  for (const Numbers<double>* table : tables) {
    const Numbers<double>& numbers = *table;
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

/// What orbitals are that have more coefficients than there are functions.
std::optional<std::string_view> unsupported_orbitals(const Records& records, std::size_t functions) {
  const std::size_t numbers = records.own_reals("alpha mo coefficients")->values.size();
  const Numbers<double>* energies = records.own_reals("alpha orbital energies");
  const std::size_t orbitals = energies == nullptr ? functions : energies->values.size();
  if (orbitals == 0 || numbers <= functions * orbitals) return std::nullopt;
  if (orbitals > functions || numbers > 2 * functions * orbitals)
    return "those of a generalised (two-component) calculation, each of which has an alpha and a beta part";
  return "complex";
}

/// What the file has beside the wavefunction.
void tell_rest(const Records& records, std::size_t step_of_orbitals, Document& document) {
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

bool looks_like_fchk(std::string_view text) {
  static const std::filesystem::path nowhere;
  const jobs::Progress progress;
  LineReader reader(nowhere, text.substr(0, 20000), progress);
  for (int i = 0; i < 60 && reader.next(); ++i) {
    const auto head = record_head(reader.line());
    if (head && head->type == 'I' && lower_case(head->name) == "number of atoms") return true;
    if (head && head->type == 'I' && head->array && lower_case(head->name) == "atomic numbers") return true;
  }
  return false;
}

FileContents read_fchk(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  Records records = read_records(reader);
  const auto step_of_orbitals = records.last_step("alpha mo coefficients");
  records.choose(step_of_orbitals.value_or(records.last_step("current cartesian coordinates").value_or(0)));
  FileContents contents;
  Document& document = contents.document;
  document.program = program_in(source.text);
  document.molecule = make_molecule(records, reader);
  add_frames(document, geometries(records, document.molecule.atoms.size(), reader));
  if (const auto energy = records.scalar("total energy"); energy.value_or(0) != 0)
    document.energy = {*energy, "total"};
  const Numbers<double>* dipole = records.reals_named("dipole moment");
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
  wavefunction->sets.push_back(main_set(records, document.molecule, functions, document.remarks, reader));
  add_further_sets(records, functions, document.remarks, reader, *wavefunction);
  tell_rest(records, *step_of_orbitals, document);
  const Rearrangement how = rearrangement(wavefunction->basis, fchk_order, isolume_order);
  for (OrbitalSet& set : wavefunction->sets) rearrange_rows(how, set.coefficients);
  contents.wavefunction = std::move(wavefunction);
  return contents;
}

}  // namespace isolume::molecules
