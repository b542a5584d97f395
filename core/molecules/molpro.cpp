// Molpro's XML: basis set and orbitals of the last molecule that has them (put,xml or the file next to the output).
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/units.h"
#include "core/base/xml_tags.h"
#include "core/molecules/element.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

using Tag = XmlTag;

/// "@id='1' or @id='2'" after the element's name.
std::vector<std::string> ids_of(std::string_view reference, std::string_view element) {
  std::vector<std::string> ids;
  const std::size_t start = reference.find(fmt::format("//{}[", element));
  if (start == std::string_view::npos) return ids;
  reference = reference.substr(start, reference.find(']', start) - start);
  for (std::size_t at = 0; (at = reference.find("@id=", at)) != std::string_view::npos;) {
    at += 4;
    if (at >= reference.size()) break;
    const std::size_t end = reference.find(reference[at], at + 1);
    if (end == std::string_view::npos) break;
    ids.emplace_back(reference.substr(at + 1, end - at - 1));
    at = end;
  }
  return ids;
}

struct Group {
  int angular_momentum = 0;
  bool spherical = false;
  std::vector<double> exponents;
  std::vector<std::vector<double>> contractions;
  std::size_t line = 0;
};

struct MolproTable {
  std::string name;
  std::string spin;
  bool cartesian = false;
  std::vector<Orbital> orbitals;
  std::vector<std::vector<double>> rows;
  std::size_t line = 0;
};

struct Job {
  Molecule molecule;
  std::vector<std::string> atom_ids;
  std::map<std::string, Group, std::less<>> groups;
  std::vector<std::vector<std::string>> bases_of;  ///< by association
  std::vector<std::vector<std::string>> atoms_of;
  std::vector<MolproTable> tables;
};

class Reader {
 public:
  explicit Reader(const Source& source)
      : reader_(source.path, source.text, source.progress), progress_(source.progress), tags_(source.text) {}

  Job read() {
    Job found, job;
    bool basis = false;
    while (const auto tag = next_tag()) {
      if (tag->name == "molecule") {
        begin_molecule(*tag, job);
      } else if (tag->name == "atom") {
        read_atom(*tag, job);
      } else if (tag->name == "basisSet") {
        basis = tag->attribute("id") == "ORBITAL";
      } else if (basis && tag->name == "basisGroup") {
        read_group(*tag, job);
      } else if (basis && tag->name == "bases") {
        job.bases_of.push_back(ids_of(tag->attribute("xlink:href"), "basisGroup"));
      } else if (basis && tag->name == "atoms") {
        job.atoms_of.push_back(ids_of(tag->attribute("xlink:href"), "atom"));
      } else if (tag->name == "/basisSet") {
        basis = false;
      } else if (tag->name == "orbitals") {
        read_table(*tag, job);
        found = job;
      }
    }
    return found.tables.empty() ? job : found;
  }

  BasisSet make_basis(const Job& job, bool cartesian) const {
    BasisSet basis;
    if (job.bases_of.size() != job.atoms_of.size())
      reader_.fail_at(0, "the associations of basis sets and atoms are incomplete");
    for (std::size_t atom = 0; atom < job.atom_ids.size(); ++atom) {
      for (std::size_t i = 0; i < job.bases_of.size(); ++i) {
        const auto& atoms = job.atoms_of[i];
        if (std::find(atoms.begin(), atoms.end(), job.atom_ids[atom]) == atoms.end()) continue;
        for (const std::string& id : job.bases_of[i]) {
          const auto group = job.groups.find(id);
          if (group == job.groups.end())
            reader_.fail_at(0, fmt::format("the basis set has no group {}", isolume::quoted(id)));
          add_shells(group->second, static_cast<int>(atom), cartesian, basis);
        }
      }
    }
    return basis;
  }

  const LineReader& lines() const { return reader_; }

 private:
  std::optional<Tag> next_tag() {
    progress_.check();
    return tags_.next();
  }
  double real(std::string_view word, std::string_view what, std::size_t line) const {
    const auto value = parse_real(word);
    if (!value)
      reader_.fail_at(line, fmt::format("expected a finite number ({}), found {}", what, quoted(word)));
    return *value;
  }

  std::vector<double> reals(const Tag& tag, std::string_view what) const {
    std::vector<std::string_view> words;
    split_words(tag.text, words);
    std::vector<double> numbers;
    for (const std::string_view word : words) numbers.push_back(real(word, what, tag.line));
    return numbers;
  }

  /// The inner element (cml:molecule) contains the list of atoms, the outer one everything else.
  void begin_molecule(const Tag& tag, Job& job) const {
    const std::string_view charge = tag.attribute("formalCharge");
    const std::string_view multiplicity = tag.attribute("spinMultiplicity");
    job.molecule.atoms.clear();
    job.atom_ids.clear();
    if (const auto value = parse_integer(charge))
      job.molecule.charge = static_cast<int>(std::clamp(*value, -1000L, 1000L));
    if (const auto value = parse_integer(multiplicity))
      job.molecule.multiplicity = static_cast<int>(std::clamp(*value, 0L, 1000L));
    if (!tag.attribute("method").empty()) {
      job.groups.clear();
      job.bases_of.clear();
      job.atoms_of.clear();
      job.tables.clear();
    }
  }

  void read_atom(const Tag& tag, Job& job) const {
    const std::string_view symbol = tag.attribute("elementType");
    Atom atom;
    atom.atomic_number = atomic_number(symbol);
    if (atom.atomic_number < 0)
      reader_.fail_at(tag.line, fmt::format("expected an element, found {}", quoted(symbol)));
    atom.nuclear_charge = atom.atomic_number;
    constexpr std::array<std::string_view, 3> axes{"x3", "y3", "z3"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      atom.position_bohr[static_cast<Eigen::Index>(axis)] =
          real(tag.attribute(axes[axis]), "coordinate", tag.line) * units::bohr_per_angstrom;
    }
    job.molecule.atoms.push_back(atom);
    job.atom_ids.emplace_back(tag.attribute("id"));
  }

  void read_group(const Tag& opening, Job& job) {
    Group group;
    group.line = opening.line;
    const auto l = parse_integer(opening.attribute("minL"));
    if (!l || parse_integer(opening.attribute("maxL")) != l || *l < 0)
      reader_.fail_at(opening.line, "expected the angular momentum of a group of functions (minL, maxL)");
    if (*l > max_angular_momentum)
      reader_.fail_at(opening.line, "functions above h are not supported",
                      "Use a basis set with functions up to h.");
    group.angular_momentum = static_cast<int>(*l);
    group.spherical = opening.attribute("angular") == "spherical";
    for (auto tag = next_tag(); tag && tag->name != "/basisGroup"; tag = next_tag()) {
      if (tag->name == "/basisExponents") group.exponents = reals(*tag, "exponent");
      if (tag->name == "/basisContraction")
        group.contractions.push_back(reals(*tag, "contraction coefficient"));
    }
    job.groups.insert_or_assign(std::string(opening.attribute("id")), std::move(group));
  }

  void read_table(const Tag& opening, Job& job) {
    MolproTable table;
    table.line = opening.line;
    table.spin = lower_case(opening.attribute("spin"));
    table.name = lower_case(opening.attribute("type"));
    table.cartesian = opening.attribute("angular") == "cartesian";
    Orbital orbital;
    for (auto tag = next_tag(); tag && tag->name != "/orbitals"; tag = next_tag()) {
      if (tag->name == "orbital") {
        orbital = {};
        orbital.spin = table.spin == "beta" ? Spin::beta : Spin::alpha;
        orbital.occupation = real(tag->attribute("occupation"), "occupation", tag->line);
        if (!tag->attribute("energy").empty())
          orbital.energy_hartree = real(tag->attribute("energy"), "energy of the orbital", tag->line);
        orbital.symmetry = tag->attribute("symmetryID");
      } else if (tag->name == "/orbital") {
        table.orbitals.push_back(orbital);
        table.rows.push_back(reals(*tag, "orbital coefficient"));
      }
    }
    if (!table.orbitals.empty()) job.tables.push_back(std::move(table));
  }

  void add_shells(const Group& group, int atom, bool cartesian, BasisSet& basis) const {
    for (const auto& contraction : group.contractions) {
      if (contraction.size() != group.exponents.size())
        reader_.fail_at(group.line, fmt::format("expected {} contraction coefficients, found {}",
                                                group.exponents.size(), contraction.size()));
      Shell shell;
      shell.atom = atom;
      shell.angular_momentum = group.angular_momentum;
      shell.spherical = group.spherical && !cartesian && group.angular_momentum > 1;
      for (std::size_t p = 0; p < contraction.size(); ++p) {
        if (!(group.exponents[p] > 0)) reader_.fail_at(group.line, "an exponent is not positive");
        if (contraction[p] == 0) continue;
        shell.exponents.push_back(group.exponents[p]);
        shell.coefficients.push_back(contraction[p]);
      }
      if (shell.exponents.empty()) reader_.fail_at(group.line, "a contraction without primitives");
      basis.shells.push_back(std::move(shell));
    }
  }

  LineReader reader_;
  jobs::Progress progress_;
  XmlTags tags_;
};

void append(const MolproTable& table, std::size_t functions, OrbitalSet& set, const LineReader& reader) {
  const Eigen::Index first = set.coefficients.cols();
  set.coefficients.conservativeResize(static_cast<Eigen::Index>(functions),
                                      first + static_cast<Eigen::Index>(table.rows.size()));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (table.rows[i].size() != functions) {
      reader.fail_at(table.line,
                     fmt::format("orbital {} has {} coefficients, but the basis set {} functions", i + 1,
                                 table.rows[i].size(), functions),
                     "The file is truncated or damaged: export it again.");
    }
    set.coefficients.col(first + static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::VectorXd>(table.rows[i].data(), static_cast<Eigen::Index>(functions));
  }
  set.orbitals.insert(set.orbitals.end(), table.orbitals.begin(), table.orbitals.end());
}

}  // namespace

bool looks_like_molpro(std::string_view text) {
  const std::string_view beginning = text.substr(0, 4000);
  return trimmed(beginning).starts_with("<?xml") && beginning.find("<molpro") != std::string_view::npos;
}

FileContents read_molpro(const Source& source) {
  Reader reader(source);
  const Job job = reader.read();
  if (job.molecule.atoms.empty()) reader.lines().fail_at(0, "expected atoms (cml:atom), found none");
  FileContents contents;
  contents.document.program = "molpro";
  contents.document.molecule = job.molecule;
  contents.order = &molden_order;
  if (job.tables.empty()) {
    contents.document.remarks.warn(
        "The file has no orbitals: add {put,xml} after the calculation in Molpro's input.");
    return contents;
  }
  auto wavefunction = std::make_shared<Wavefunction>();
  wavefunction->basis = reader.make_basis(job, job.tables.front().cartesian);
  const std::size_t functions = wavefunction->basis.function_count();
  const Rearrangement how = rearrangement(wavefunction->basis, molden_order, isolume_order);
  for (const MolproTable& table : job.tables) {
    check_matrix_size(functions, table.rows.size(), source.text.size());
    const bool goes_on =
        table.spin == "beta" && !wavefunction->sets.empty() && wavefunction->sets.back().name == table.name;
    if (!goes_on) {
      wavefunction->sets.emplace_back();
      wavefunction->sets.back().name = table.name;
    }
    append(table, functions, wavefunction->sets.back(), reader.lines());
  }
  for (OrbitalSet& set : wavefunction->sets) rearrange_rows(how, set.coefficients);
  contents.wavefunction = std::move(wavefunction);
  return contents;
}

}  // namespace isolume::molecules
