#include "core/structures/selection.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/molecules/element.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/neighbourhood.h"
#include "core/molecules/residue_names.h"
#include "core/structures/molecule_of.h"
#include "core/structures/residues.h"

namespace isolume::structures {
namespace {

using molecules::Neighbourhood;
using Mask = std::vector<bool>;
using Test = std::function<bool(const AtomLabel&)>;

struct Word {
  std::string text;
  std::size_t column = 0;  ///< from 1
  bool quoted = false;
};

[[noreturn]] void refuse(std::size_t column, const std::string& problem, const std::string& remedy) {
  throw Error(fmt::format("Selection, column {}: {}. {}", column, problem, remedy));
}

/// Splits into words, parentheses and text in double quotes; atom names may contain single quotes.
std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < text.size();) {
    const char first = text[i];
    if (first == ' ' || first == '\t' || first == '\n' || first == '\r') {
      ++i;
    } else if (first == '(' || first == ')') {
      words.push_back({std::string(1, first), ++i, false});
    } else if (first == '"') {
      const auto end = text.find('"', i + 1);
      if (end == text.npos) refuse(i + 1, "this quote has no end", "Put another one after the value.");
      words.push_back({std::string(text.substr(i + 1, end - i - 1)), i + 1, true});
      i = end + 1;
    } else {
      const auto end = std::min(text.find_first_of(" \t\n\r()\"", i), text.size());
      words.push_back({std::string(text.substr(i, end - i)), i + 1, false});
      i = end;
    }
  }
  return words;
}

/// A range of residue numbers, including both ends.
struct NumberRange {
  std::pair<int, char> first, last;
};

/// "52", "52A", "-5-3", "10-20B".
std::optional<NumberRange> range_of(std::string_view text) {
  const auto take = [&](char code) -> std::optional<std::pair<int, char>> {
    int number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty() && text.front() != '-') {
      code = text.front();
      text.remove_prefix(1);
    }
    return std::pair(number, code);
  };
  constexpr char before_all = std::numeric_limits<char>::min(), behind_all = std::numeric_limits<char>::max();
  const auto whole = text;
  const auto first = take(before_all);
  if (!first) return std::nullopt;
  if (text.empty()) {
    text = whole;
    return NumberRange{*first, *take(behind_all)};
  }
  text.remove_prefix(1);
  const auto last = take(behind_all);
  if (!last || !text.empty()) return std::nullopt;
  return NumberRange{*first, *last};
}

constexpr std::array<std::string_view, 5> of_peptide{"N", "CA", "C", "O", "OXT"};
constexpr std::array<std::string_view, 10> of_nucleotide{"P",   "OP1", "OP2", "O1P", "O2P",
                                                         "O5'", "C5'", "C4'", "C3'", "O3'"};

class Selecting {
 public:
  Selecting(const Charges& charges, std::string_view expression, const jobs::Progress& progress)
      : charges_(charges),
        words_(words_of(expression)),
        end_column_(expression.size() + 1),
        progress_(progress) {}

  Mask whole() {
    Mask found = alternatives();
    if (at_ < words_.size()) fail("and, or, or the end");
    return found;
  }

 private:
  static constexpr int deepest = 100;

  Mask alternatives() {
    Mask found = conjunction();
    while (take("or")) combine(found, conjunction(), std::logical_or<>());
    return found;
  }
  Mask conjunction() {
    Mask found = factor();
    while (take("and")) combine(found, factor(), std::logical_and<>());
    return found;
  }
  Mask factor() {
    if (++depth_ > deepest)
      refuse(column(), fmt::format("more than {} words apply to each other", deepest),
             "Write it more simply.");
    Mask found = take("not")        ? inverted(factor())
                 : take("within")   ? within()
                 : take("residues") ? residues()
                 : take("(")        ? parentheses()
                                    : primary();
    --depth_;
    return found;
  }
  Mask parentheses() {
    Mask found = alternatives();
    if (!take(")")) fail("and, or, or )");
    return found;
  }

  Mask primary() {
    if (take("all")) return Mask(charges_.size(), true);
    if (take("none")) return Mask(charges_.size(), false);
    if (take("hetero")) return where([](const AtomLabel& label) { return label.is_hetero; });
    if (take("hydrogen")) return where([](const AtomLabel& label) { return element_of(label) == 1; });
    if (take("water")) {
      return where([](const AtomLabel& label) { return molecules::is_water_name(label.residue); });
    }
    if (take("protein")) return residues_with({"N", "CA", "C"});
    if (take("nucleic")) return residues_with({"C1'", "C3'", "C4'"});
    if (take("backbone")) return backbone();
    if (take("chain")) return where(is_one_of(&AtomLabel::chain, false));
    if (take("residue")) return where(is_one_of(&AtomLabel::residue, true));
    if (take("name")) return where(is_one_of(&AtomLabel::atom, true));
    if (take("number")) return where(has_number());
    if (take("element")) return where(has_element());
    if (take("atom")) return of_places();
    fail(fmt::format("one of these: {}", selection_words));
  }

  // Words with values.

  Test is_one_of(std::string AtomLabel::*member, bool ignores_case) {
    std::set<std::string> wanted;
    for (const auto& word : values()) wanted.insert(ignores_case ? lower_case(word.text) : word.text);
    return [=](const AtomLabel& label) {
      return wanted.contains(ignores_case ? lower_case(label.*member) : label.*member);
    };
  }
  Test has_number() {
    std::vector<NumberRange> ranges;
    for (const auto& word : values()) {
      const auto range = range_of(word.text);
      if (!range || range->last < range->first) {
        refuse(word.column,
               fmt::format("{} is not a residue number or a range of them", isolume::quoted(word.text)),
               "Give such as 52, 52A, 10-20 or -5--1.");
      }
      ranges.push_back(*range);
    }
    return [=](const AtomLabel& label) {
      const std::pair place(label.number, label.insertion);
      return std::ranges::any_of(
          ranges, [&](const NumberRange& range) { return place >= range.first && place <= range.last; });
    };
  }
  Test has_element() {
    std::set<int> numbers;
    for (const auto& word : values()) {
      const int number = molecules::atomic_number(word.text);
      if (number <= 0) {
        refuse(word.column, fmt::format("{} is not an element symbol", isolume::quoted(word.text)),
               "Give such as C, N or ZN.");
      }
      numbers.insert(number);
    }
    return [=](const AtomLabel& label) { return numbers.contains(element_of(label)); };
  }
  /// "7", "12-20": atom numbers in the file, counted from 1. The range may exceed the number of atoms.
  Mask of_places() {
    Mask found(charges_.size());
    for (const auto& word : values()) {
      const std::string_view text = word.text;
      const auto dash = text.find('-');
      const auto first = molecules::parse_integer(text.substr(0, dash));
      const auto last = dash == text.npos ? first : molecules::parse_integer(text.substr(dash + 1));
      if (!first || !last || *first < 1 || *last < *first) {
        refuse(word.column,
               fmt::format("{} is not an atom number in the file or a range of them",
                           isolume::quoted(word.text)),
               "Give such as 7 or 12-20, counted from 1.");
      }
      const auto end = std::min(static_cast<std::uint64_t>(*last), std::uint64_t{found.size()});
      for (auto place = static_cast<std::uint64_t>(*first); place <= end; ++place) found[place - 1] = true;
    }
    return found;
  }
  /// All words up to one with another meaning, at least one.
  std::vector<Word> values() {
    std::vector<Word> found;
    for (; at_ < words_.size() && (words_[at_].quoted || !is_reserved(words_[at_].text)); ++at_)
      found.push_back(words_[at_]);
    if (found.empty()) fail("a value (in double quotes, where it is like another word)");
    return found;
  }

  // Words that take a selection.

  Mask within() {
    constexpr double least = 0.1, most = 100;
    const std::size_t there = column();
    const auto distance =
        at_ < words_.size() ? molecules::parse_real(words_[at_].text) : std::optional<double>();
    if (!distance || *distance < least || *distance > most)
      fail(fmt::format("a distance from {} to {} angstrom", least, most), there);
    ++at_;
    if (!take("of")) fail("of");
    const Mask near = factor();
    Neighbourhood places(std::nextafter(*distance, 2 * most));
    for (std::size_t i = 0; i < near.size(); ++i) {
      check(i);
      if (near[i]) places.add(charges_.place(i), i);
    }
    Mask found = near;
    for (std::size_t i = 0; i < found.size(); ++i) {
      check(i);
      found[i] = near[i] || places.any(charges_.place(i), [](std::size_t, double) { return true; });
    }
    return found;
  }
  Mask residues() {
    if (!take("of")) fail("of");
    const Mask inner = factor();
    Mask found(inner.size());
    for (const auto& residue : all_residues().all) {
      if (std::ranges::any_of(residue.atoms, [&](std::uint32_t atom) { return inner[atom]; }))
        for (const auto atom : residue.atoms) found[atom] = true;
    }
    return found;
  }

  // What atoms are.

  Mask residues_with(std::initializer_list<std::string_view> names) {
    Mask found(charges_.size());
    for (const auto& residue : all_residues().all) {
      const bool has_all = std::ranges::all_of(names, [&](std::string_view name) {
        return std::ranges::any_of(residue.atoms, [&](std::uint32_t atom) {
          return usual_name(label(atom).atom) == name && element_of(label(atom)) == (name == "N" ? 7 : 6);
        });
      });
      for (const auto atom : residue.atoms) found[atom] = has_all;
    }
    return found;
  }
  Mask backbone() {
    const auto named = [](const auto& names) {
      return [&names](const AtomLabel& label) {
        return std::ranges::find(names, usual_name(label.atom)) != names.end();
      };
    };
    Mask found = residues_with({"N", "CA", "C"}), nucleic = residues_with({"C1'", "C3'", "C4'"});
    combine(found, where(named(of_peptide)), std::logical_and<>());
    combine(nucleic, where(named(of_nucleotide)), std::logical_and<>());
    combine(found, nucleic, std::logical_or<>());
    return found;
  }
  /// Older files have asterisks.
  static std::string usual_name(std::string name) {
    std::ranges::replace(name, '*', '\'');
    return name;
  }
  Mask where(const Test& test) const {
    Mask found(charges_.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      check(i);
      found[i] = test(label(i));
    }
    return found;
  }
  const AtomLabel& label(std::size_t atom) const {
    static const AtomLabel without;
    return atom < charges_.labels.size() ? charges_.labels[atom] : without;
  }
  /// Checks for cancellation from time to time.
  void check(std::size_t atom) const {
    if (atom % 4096 == 0) progress_.check();
  }
  const Residues& all_residues() {
    if (!residues_) residues_ = residues_of(charges_);
    return *residues_;
  }
  template <class Operation>
  static void combine(Mask& one, const Mask& other, Operation operation) {
    for (std::size_t i = 0; i < one.size(); ++i) one[i] = operation(bool{one[i]}, bool{other[i]});
  }
  static Mask inverted(Mask mask) {
    mask.flip();
    return mask;
  }

  // Words.

  bool take(std::string_view word) {
    const bool is_next = at_ < words_.size() && !words_[at_].quoted && lower_case(words_[at_].text) == word;
    if (is_next) ++at_;
    return is_next;
  }
  static bool is_reserved(const std::string& text) {
    constexpr std::array<std::string_view, 22> reserved{
        "(",     ")",       "and",     "or",      "not",     "within", "of",       "residues",
        "all",   "none",    "protein", "nucleic", "water",   "hetero", "hydrogen", "backbone",
        "chain", "residue", "number",  "name",    "element", "atom"};
    return std::ranges::find(reserved, lower_case(text)) != reserved.end();
  }
  std::size_t column() const { return at_ < words_.size() ? words_[at_].column : end_column_; }
  [[noreturn]] void fail(const std::string& expected) const { fail(expected, column()); }
  [[noreturn]] void fail(const std::string& expected, std::size_t column) const {
    const std::string found = at_ < words_.size() ? isolume::quoted(words_[at_].text) : "the end";
    refuse(column, "found " + found, "Expected is " + expected + ".");
  }

  const Charges& charges_;
  std::vector<Word> words_;
  std::size_t end_column_;
  jobs::Progress progress_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::optional<Residues> residues_;
};

}  // namespace

std::vector<bool> select_atoms(const Charges& charges, std::string_view expression,
                               const jobs::Progress& progress) {
  return Selecting(charges, expression, progress).whole();
}

void check_selection(std::string_view expression) {
  select_atoms({}, expression);
}

std::string no_atom_matches(std::string_view expression) {
  std::string text = fmt::format("No atom matches {}.", isolume::quoted(expression));
  const auto words = words_of(expression);
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (lower_case(words[i - 1].text) != "residue" || !range_of(words[i].text)) continue;
    return text + fmt::format(" Residues have names, such as LYS: write number {}.", words[i].text);
  }
  return text;
}

}  // namespace isolume::structures
