// Tripos mol2: Tripos Mol2 File Format, SYBYL 7.1 (2005).
#include "core/structures/mol2.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/molecules/element.h"
#include "core/structures/structure_rows.h"

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
    atom.place[static_cast<Eigen::Index>(axis)] = coordinate(words[2 + axis], axes[axis], file);
  const auto charge = molecules::parse_real(words[8]);
  if (!charge || !(std::abs(*charge) <= most_magnitude))
    file.fail(fmt::format("{} is no charge", quoted(words[8])), mol2_wanted);
  atom.charge = *charge;
  return atom;
}

/// Of the record CRYSIN: a b c alpha beta gamma, space group, setting.
std::optional<Eigen::Matrix3d> mol2_cell(LineReader& file) {
  const auto& words = file.words();
  if (words.size() < 6) file.fail("expected three lengths and three angles of a cell");
  std::array<double, 6> numbers{};
  for (std::size_t i = 0; i < 6; ++i) numbers[i] = file.real(words[i], "the cell");
  return crystal_cell({numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]});
}

/// "C.3", "N.ar", "Cl": what is before the dot. Nothing where that is no element; 0 for what is no atom.
std::optional<int> element_of_type(std::string_view type) {
  const auto symbol = type.substr(0, type.find('.'));
  if (symbol == "Du" || symbol == "LP") return 0;
  const int number = molecules::atomic_number(symbol);
  return number > 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

bool for_each_mol2_atom(LineReader& file, const std::function<void(const Mol2Atom&)>& take,
                        std::optional<Eigen::Matrix3d>* cell, bool within) {
  enum class Record { other, molecule, atom, crystal };
  Record record = within ? Record::molecule : Record::other;
  int molecules_found = within ? 1 : 0, lines = 0;
  while (file.next()) {
    const auto line = trimmed(file.line());
    if (line.starts_with("@<TRIPOS>")) {
      record = line == "@<TRIPOS>ATOM"     ? Record::atom
               : line == "@<TRIPOS>CRYSIN" ? Record::crystal
                                           : Record::other;
      if (line == "@<TRIPOS>MOLECULE") {
        if (++molecules_found > 1) return true;
        record = Record::molecule;
      }
      lines = 0;
      continue;
    }
    if (record == Record::molecule) {
      // Name, counts, kind of molecule, kind of charges; the name may be empty.
      constexpr int kind_of_charges = 4;
      if (++lines == kind_of_charges && line == "NO_CHARGES")
        file.fail("the file says that it has no charges (NO_CHARGES)", mol2_wanted);
      continue;
    }
    if (line.empty() || line.starts_with('#')) continue;
    if (record == Record::atom) take(mol2_atom(file));
    if (record == Record::crystal && cell != nullptr) *cell = mol2_cell(file);
  }
  return false;
}

namespace {

/// True where there are more molecules.
bool next_molecule(LineReader& file, bool within, Charges& charges) {
  const bool more = for_each_mol2_atom(
      file,
      [&](const Mol2Atom& atom) {
        const auto element = element_of_type(atom.type);
        if (!element)
          file.fail(
              fmt::format("the type {} names no element, of which the radius would be", quoted(atom.type)),
              "Write types as C.3, N.ar or Cl.");
        add_atom(charges, atom.place, atom.charge,
                 *element > 0 ? molecules::element(*element).van_der_waals_radius_angstrom : 0,
                 {.atom = std::string(atom.name),
                  .residue = std::string(atom.residue),
                  .chain = {},
                  .number = atom.number,
                  .is_hetero = true,
                  .atomic_number = *element});
      },
      &charges.cell, within);
  if (charges.size() == 0) file.fail_at(0, "there is no atom (@<TRIPOS>ATOM) in it", mol2_wanted);
  return more;
}

}  // namespace

Charges read_mol2(const std::filesystem::path& path, const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  Charges charges;
  next_molecule(file, false, charges);
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
