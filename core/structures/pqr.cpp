#include "core/structures/pqr.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/molecules/atom_rows.h"
#include "core/molecules/line_reader.h"
#include "core/structures/residue_numbering.h"

namespace isolume::structures {
namespace {

using molecules::LineReader;
using Words = std::vector<std::string_view>;

constexpr std::string_view layout =
    "Expected are ATOM, number, atom, residue, [chain,] number, x, y, z, charge, radius, as pdb2pqr writes "
    "them.";
constexpr std::size_t numbers_behind = 5;  // x, y, z, charge, radius

struct Atom {
  AtomLabel label;
  std::array<double, numbers_behind> numbers{};
};

bool is_atom(std::string_view line) {
  return line.starts_with("ATOM") || line.starts_with("HETATM");
}

/// Two numbers of two decimals in the columns of occupancy and temperature factor of the PDB format, which would be
/// taken as charge and radius.
bool looks_like_pdb(std::string_view line) {
  const auto is_digit = [&](std::size_t at) {
    return std::isdigit(static_cast<unsigned char>(line[at])) != 0;
  };
  return line.size() >= 66 && line[57] == '.' && is_digit(58) && is_digit(59) && line[63] == '.' &&
         is_digit(64) && is_digit(65) && (line.size() == 66 || line[66] == ' ');
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// How many numbers with a decimal point, which numbers of residues do not have, end the line. Some files have an
/// element after them.
std::size_t decimals_at_end(const Words& words) {
  const auto last = words.rbegin() + (!words.empty() && !molecules::parse_real(words.back()) ? 1 : 0);
  return static_cast<std::size_t>(std::find_if_not(last, words.rend(),
                                                   [](std::string_view word) {
                                                     return contains(word, ".") &&
                                                            molecules::parse_real(word).has_value();
                                                   }) -
                                  last);
}

/// Fails where a line that could not be read ends with more or fewer such numbers than there should be.
void refuse_other_count(LineReader& file) {
  const std::size_t found = decimals_at_end(file.words());
  constexpr std::size_t coordinates = 3;
  if (found <= coordinates || found == numbers_behind) return;
  file.fail(
      fmt::format("expected five numbers after that of the residue (x, y, z, charge, radius), found {}{}",
                  found, found < numbers_behind ? ": the charge or the radius is missing" : ""),
      layout);
}

/// "52A" is number 52 with insertion code A, unless 271A follows 2719 in hexadecimal; "A1234" is chain A without a
/// space before the number, but where there is a chain, or after 9999, A000 is 10000.
void take_number(std::string_view word, AtomLabel& label, ResidueNumbering& numbers, LineReader& file) {
  const std::string_view given = word;
  const bool begins_with_letter = !word.empty() && is_letter(word.front());
  if (begins_with_letter && label.chain.empty() && !numbers.continues(word)) {
    label.chain = word.substr(0, 1);
    word.remove_prefix(1);
  } else if (word.size() > 1 && is_letter(word.back()) && !begins_with_letter && !numbers.continues(word)) {
    label.insertion = word.back();
    word.remove_suffix(1);
  }
  // A letter alone is no number that is missing: the line lacks a word.
  if ((begins_with_letter && word.empty()) || !numbers.number(label, word)) {
    refuse_other_count(file);
    file.fail(fmt::format("expected a whole number (the number of the residue), found {}", quoted(given)),
              layout);
  }
}

/// The words before the numbers, from the record on; nothing where they do not have this form.
std::optional<AtomLabel> label_of(Words words, ResidueNumbering& numbers, LineReader& file) {
  AtomLabel label;
  label.is_hetero = words.front().starts_with("HETATM");
  // The atom number may touch the record name: HETATM10000.
  if (words.front().size() == (label.is_hetero ? 6U : 4U)) words.erase(words.begin());
  if (words.size() < 4 || words.size() > 5) return std::nullopt;
  constexpr std::size_t longest_atom = 4;
  if (words.size() == 4 && words[1].size() > longest_atom)
    return std::nullopt;  // the residue touches the atom name
  label.atom = words[1];
  label.residue = words[2];
  if (words.size() == 5) label.chain = words[3];
  take_number(words.back(), label, numbers, file);
  return label;
}

/// Nothing where words touch each other, or the last ones are not the numbers.
std::optional<Atom> by_words(Words words, ResidueNumbering& numbers, LineReader& file) {
  if (decimals_at_end(words) > numbers_behind) return std::nullopt;
  // Some files have an element after the radius.
  if (!molecules::parse_real(words.back())) words.pop_back();
  if (words.size() <= numbers_behind) return std::nullopt;
  Atom atom;
  const std::size_t first = words.size() - numbers_behind;
  for (std::size_t i = 0; i < numbers_behind; ++i) {
    const auto value = molecules::parse_real(words[first + i]);
    if (!value) return std::nullopt;
    atom.numbers[i] = *value;
  }
  words.resize(first);
  const auto label = label_of(words, numbers, file);
  if (!label) return std::nullopt;
  atom.label = *label;
  return atom;
}

/// Atoms with numbers after the radius, which are not used.
struct MoreNumbers {
  std::size_t atoms = 0, first_line = 0;
};

/// By the columns of the PDB format: names up to column 30, positions in 31-54; charge and radius after them.
Atom by_columns(std::string_view line, ResidueNumbering& numbers, LineReader& file, MoreNumbers& more) {
  const auto cut = [&](std::size_t from, std::size_t to) {
    return trimmed(line.substr(std::min(from - 1, line.size()), to - from + 1));
  };
  Words rest;
  molecules::split_words(line.substr(std::min<std::size_t>(54, line.size())), rest);
  if (rest.size() < 2) {
    refuse_other_count(file);
    file.fail("there are no charge and radius after the coordinates of the atom",
              "A PQR file has both; electrostatics prepare makes one from a PDB file.");
  }
  const std::array places{cut(31, 38), cut(39, 46), cut(47, 54)};
  const auto is_no_word = [&](std::string_view cell) {
    return std::ranges::find(file.words(), cell) == file.words().end();
  };
  // A line without columns, whose numbers would be cut anywhere.
  if (decimals_at_end(file.words()) > numbers_behind && std::ranges::any_of(places, is_no_word))
    refuse_other_count(file);
  Atom atom;
  atom.label = {.atom = std::string(cut(13, 16)),
                .residue = std::string(cut(18, 21)),
                .chain = std::string(cut(22, 22))};
  atom.label.is_hetero = line.starts_with("HETATM");
  take_number(cut(23, 27), atom.label, numbers, file);
  atom.numbers = {file.real(places[0], "x"), file.real(places[1], "y"), file.real(places[2], "z"),
                  file.real(rest[0], "the charge"), file.real(rest[1], "the radius")};
  if (std::any_of(rest.begin() + 2, rest.end(), molecules::parse_real) && more.atoms++ == 0)
    more.first_line = file.line_number();
  return atom;
}

/// Whether a line ends a model that has atoms; MODEL belongs to the next one.
bool ends_model(std::string_view line) {
  return line.starts_with("MODEL") || line.starts_with("ENDMDL") || trimmed(line) == "END";
}

/// Atoms up to the next record MODEL, ENDMDL or END.
std::optional<Charges> next_stretch(LineReader& file) {
  Charges charges;
  ResidueNumbering numbers;
  MoreNumbers more;
  bool is_pdb = true;  // as far as it has been read
  while (file.next()) {
    const std::string_view line = file.line();
    if (ends_model(line) && charges.size() > 0) {
      if (line.starts_with("MODEL")) file.push_back();
      break;
    }
    if (line.starts_with("CRYST1")) charges.cell = molecules::pdb_cell(file, charges.remarks);
    if (!is_atom(line)) continue;
    const auto by_word = by_words(file.words(), numbers, file);
    const Atom atom = by_word ? *by_word : by_columns(line, numbers, file, more);
    is_pdb = is_pdb && looks_like_pdb(line) && atom.numbers[3] >= 0;
    for (const double value : atom.numbers) {
      if (!(std::abs(value) <= most_magnitude))
        file.fail(fmt::format("{} is too large for a coordinate, charge or radius", value), layout);
    }
    if (atom.numbers[4] < 0) file.fail(fmt::format("the radius is {}", atom.numbers[4]), layout);
    const auto& [x, y, z, charge, radius] = atom.numbers;
    add_atom(charges, {x, y, z}, charge, radius, atom.label);
  }
  if (charges.size() == 0) return std::nullopt;
  numbers.remark(charges.remarks);
  if (more.atoms > 0) {
    charges.remarks.dropped(
        fmt::format("Numbers after the charge and the radius are not used: those of {}, from line {} on.",
                    counted(more.atoms, "atom"), more.first_line),
        more.atoms);
  }
  // For a single ion this may be coincidence.
  if (is_pdb && charges.size() > 1) {
    file.fail_at(0, "this is a PDB file, with occupancies where charges would be",
                 "Call it .pdb: then its atoms are given charges and radii.");
  }
  return charges;
}

/// Moves to the next atom or record MODEL, which is not consumed. Whether an atom comes first.
bool goes_on_without_model(LineReader& file) {
  while (file.next()) {
    if (!is_atom(file.line()) && !file.line().starts_with("MODEL")) continue;
    file.push_back();
    return is_atom(file.line());
  }
  return false;
}

bool are_same_atoms(std::span<const AtomLabel> some, std::span<const AtomLabel> others) {
  return std::ranges::equal(some, others, [](const AtomLabel& a, const AtomLabel& b) {
    return a.atom == b.atom && a.residue == b.residue;
  });
}

void append(Charges& charges, const Charges& others) {
  for (std::size_t i = 0; i < others.size(); ++i)
    add_atom(charges, others.place(i), others.charge[i], others.radius[i], others.labels[i]);
  charges.remarks.add(others.remarks);
}

}  // namespace

std::optional<Charges> next_pqr_model(LineReader& file) {
  auto charges = next_stretch(file);
  if (!charges) return std::nullopt;
  std::size_t last = 0;  // first atom of the part that was read last
  const std::size_t before = charges->size();
  for (LineReader ahead = file; goes_on_without_model(ahead);) {
    auto next = next_stretch(ahead);
    if (!next || are_same_atoms(std::span(charges->labels).subspan(last), next->labels)) break;
    last = charges->size();
    append(*charges, *next);
    file = ahead;
  }
  if (const std::size_t joined = charges->size() - before; joined > 0)
    charges->remarks.assumed(
        fmt::format("Atoms after END or ENDMDL differ from those before it and were read as "
                    "one structure with them: {}.",
                    joined),
        joined);
  return charges;
}

Charges read_pqr(const std::filesystem::path& path, const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  auto charges = next_pqr_model(file);
  if (!charges) file.fail("there is no atom in it", layout);
  remark_on_uncharged_residues(*charges);
  remark_on_overlaps(*charges);
  while (file.next()) {
    if (is_atom(file.line())) charges->remarks.dropped(std::string(first_frame_only));
  }
  return std::move(*charges);
}

}  // namespace isolume::structures
