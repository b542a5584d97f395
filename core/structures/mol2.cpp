// Tripos mol2: Tripos Mol2 File Format, SYBYL 7.1 (2005).
#include "core/structures/mol2.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/molecules/atom_rows.h"
#include "core/molecules/element.h"
#include "core/molecules/residue_names.h"

namespace isolume::structures {
namespace {

using molecules::LineReader;

constexpr std::string_view mol2_wanted = "Give a mol2 file with a charge for each atom.";

std::string_view without_number(std::string_view name) {
  const auto last = name.find_last_not_of("0123456789");
  return name.size() > 3 && last != std::string_view::npos && last >= 2 ? name.substr(0, last + 1) : name;
}

Mol2Atom mol2_atom(LineReader& file) {
  const auto& words = file.words();
  if (words.size() < 9)
    file.fail(fmt::format("expected 9 words for an atom, with its charge, found {}", words.size()),
              mol2_wanted);
  Mol2Atom atom{.name = words[1], .type = words[5], .residue = without_number(words[7])};
  atom.number = static_cast<int>(file.integer(words[6], "the number of the residue", -99999999, 99999999));
  constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
  for (std::size_t axis = 0; axis < 3; ++axis)
    atom.place[static_cast<Eigen::Index>(axis)] = molecules::coordinate(words[2 + axis], axes[axis], file);
  const auto charge = molecules::parse_real(words[8]);
  if (!charge || !(std::abs(*charge) <= most_magnitude))
    file.fail(fmt::format("{} is not a charge", quoted(words[8])), mol2_wanted);
  atom.charge = *charge;
  return atom;
}

/// The record CRYSIN: a b c alpha beta gamma, space group, setting.
std::optional<Eigen::Matrix3d> mol2_cell(LineReader& file) {
  const auto& words = file.words();
  if (words.size() < 6) file.fail("expected three lengths and three angles of a cell");
  std::array<double, 6> numbers{};
  for (std::size_t i = 0; i < 6; ++i) numbers[i] = file.real(words[i], "the cell");
  return molecules::crystal_cell({numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]});
}

/// Types that carry more information than their first letter: of AMBER (Cornell et al. 1995 and later) and GAFF (Wang
/// et al. 2004), and elements in capitals. GAFF and AMBER types of H, C, N, O, P and S begin with the element's
/// letter.
struct ForceFieldType {
  std::string_view names;
  int atomic_number;
};
constexpr std::array<ForceFieldType, 17> force_field_types{{{"f F", 9},
                                                            {"cl CL", 17},
                                                            {"si SI", 14},
                                                            {"br BR", 35},
                                                            {"i I", 53},
                                                            {"2C 3C", 6},
                                                            {"IP NA+", 11},
                                                            {"IM CL-", 17},
                                                            {"LI LI+", 3},
                                                            {"K K+", 19},
                                                            {"C0", 20},
                                                            {"MG MG2+", 12},
                                                            {"ZN ZN2+", 30},
                                                            {"FE FE2+ FE3+", 26},
                                                            {"CU", 29},
                                                            {"MN", 25},
                                                            {"EP LP lp EPW", 0}}};

std::optional<int> element_of_force_field_type(std::string_view type) {
  std::vector<std::string_view> words;
  for (const auto& [names, number] : force_field_types) {
    molecules::split_words(names, words);
    if (std::ranges::find(words, type) != words.end()) return number;
  }
  constexpr std::string_view organic = "hHcCnNoOpPsS";
  return type.size() > 2 || organic.find(type.front()) == organic.npos
             ? std::nullopt
             : std::optional(molecules::atomic_number(type.substr(0, 1)));
}

/// SYBYL: "C.3", "N.ar", "Cl": the part before the dot, with its second letter in lower case.
std::optional<int> element_of_sybyl_type(std::string_view type) {
  const auto symbol = type.substr(0, type.find('.'));
  if (symbol == "Du" || symbol == "LP") return 0;
  const int number = molecules::atomic_number(symbol);
  const bool is_spelt_so = number > 0 && molecules::element(number).symbol == symbol;
  return is_spelt_so ? std::optional(number) : std::nullopt;
}

/// For other types (CHARMM's HGR61, a number) the atom's name determines the element.
int mol2_element(const Mol2Atom& atom) {
  const std::string name(atom.name);
  const auto known = molecules::known_residue(atom.residue, std::span(&name, 1));
  if (known.kind == molecules::ResidueKind::ion && known.element > 0 &&
      molecules::atomic_number(name) == known.element)
    return known.element;
  if (const auto found = element_of_sybyl_type(atom.type)) return *found;
  if (const auto found = element_of_force_field_type(atom.type)) return *found;
  return molecules::element_of_name(atom.name, atom.residue);
}

/// Compares the first number of a molecule's second line with the number of atoms found.
class CountedAtoms {
 public:
  void expect(LineReader& file) {
    const auto& words = file.words();
    const auto count = words.empty() ? std::nullopt : molecules::parse_integer(words.front());
    if (!count || *count < 0) file.fail("expected how many atoms the molecule has", mol2_wanted);
    promised_ = count;
    line_ = file.line_number();
  }
  void add() { ++found_; }
  void check(const LineReader& file) const {
    if (!promised_ || *promised_ == found_) return;
    file.fail_at(line_,
                 fmt::format("the molecule has {} atoms, but {} are announced here", found_, *promised_),
                 "The file is truncated or damaged: copy or export it again.");
  }

 private:
  std::optional<long> promised_;
  long found_ = 0;
  std::size_t line_ = 0;
};

}  // namespace

bool for_each_mol2_atom(LineReader& file, const std::function<void(const Mol2Atom&)>& take,
                        std::optional<Eigen::Matrix3d>* cell, bool within) {
  enum class Record { other, molecule, atom, crystal };
  Record record = within ? Record::molecule : Record::other;
  int molecules_found = within ? 1 : 0, lines = 0;
  CountedAtoms atoms;
  while (file.next()) {
    const auto line = trimmed(file.line());
    if (line.starts_with("@<TRIPOS>")) {
      record = line == "@<TRIPOS>ATOM"     ? Record::atom
               : line == "@<TRIPOS>CRYSIN" ? Record::crystal
                                           : Record::other;
      if (line == "@<TRIPOS>MOLECULE") {
        if (++molecules_found > 1) {
          atoms.check(file);
          return true;
        }
        record = Record::molecule;
      }
      lines = 0;
      continue;
    }
    if (record == Record::molecule) {
      // Name, counts, kind of molecule, kind of charges; the name may be empty.
      constexpr int counts = 2, kind_of_charges = 4;
      if (++lines == counts) atoms.expect(file);
      if (lines == kind_of_charges && line == "NO_CHARGES")
        file.fail("the file says that it has no charges (NO_CHARGES)", mol2_wanted);
      continue;
    }
    if (line.empty() || line.starts_with('#')) continue;
    if (record == Record::atom) {
      take(mol2_atom(file));
      atoms.add();
    }
    if (record == Record::crystal && cell != nullptr) *cell = mol2_cell(file);
  }
  atoms.check(file);
  return false;
}

namespace {

/// Returns true if there are more molecules.
bool next_molecule(LineReader& file, bool within, Charges& charges) {
  std::vector<std::string> without_element;
  const bool more = for_each_mol2_atom(
      file,
      [&](const Mol2Atom& atom) {
        const int element = mol2_element(atom);
        if (element == 0) without_element.push_back(std::string(atom.name));
        add_atom(charges, atom.place, atom.charge,
                 element > 0 ? molecules::element(element).van_der_waals_radius_angstrom : 0,
                 {.atom = std::string(atom.name),
                  .residue = std::string(atom.residue),
                  .chain = {},
                  .number = atom.number,
                  .is_hetero = true,
                  .atomic_number = element});
      },
      &charges.cell, within);
  if (!without_element.empty())
    charges.remarks.assumed(fmt::format("Atoms of unknown element (by type and name) have no radius: {}.",
                                        first_names(without_element)),
                            without_element.size());
  if (charges.size() == 0) file.fail_at(0, "there is no atom (@<TRIPOS>ATOM) in it", mol2_wanted);
  return more;
}

}  // namespace

Charges read_mol2(const std::filesystem::path& path, const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  Charges charges;
  const bool more = next_molecule(file, false, charges);
  if (more) charges.remarks.dropped(std::string(first_frame_only));
  remark_on_uncharged_residues(charges);
  remark_on_overlaps(charges);
  return charges;
}

std::vector<Charges> read_mol2_molecules(const std::filesystem::path& path, const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  std::vector<Charges> all;
  for (bool more = true; more;) {
    const bool within = !all.empty();
    more = next_molecule(file, within, all.emplace_back());
  }
  return all;
}

}  // namespace isolume::structures
