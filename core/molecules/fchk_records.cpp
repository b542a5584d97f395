#include "core/molecules/fchk_records.h"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

#include <fmt/format.h>

#include "core/base/letter_case.h"
#include "core/molecules/readers.h"

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

/// Gaussian has the type in column 44; other programs shift it.
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

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
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
  return is_among(names, name) || names_orbitals(name) || names_geometries(name);
}

bool wanted_integers(const std::string& name) {
  static constexpr std::array<std::string_view, 4> names{
      "atomic numbers", "shell types", "number of primitives per shell", "shell to atom map"};
  return is_among(names, name);
}

bool wanted_scalar(const std::string& name) {
  static constexpr std::array<std::string_view, 12> names{"charge",
                                                          "number of atoms",
                                                          "number of contracted shells",
                                                          "number of primitive shells",
                                                          "number of independent functions",
                                                          "iopcl",
                                                          "multiplicity",
                                                          "number of electrons",
                                                          "number of alpha electrons",
                                                          "number of beta electrons",
                                                          "number of basis functions",
                                                          "total energy"};
  return is_among(names, name);
}

/// "total mp2 density": orbitals do not reproduce it.
bool names_other_density(const std::string& name) {
  return name.starts_with("total ") && ends_with(name, " density") && name != "total scf density";
}

double fchk_number(const LineReader& reader, std::string_view word, const std::string& what, double) {
  return reader.real(word, what);
}
long fchk_number(const LineReader& reader, std::string_view word, const std::string& what, long) {
  return reader.integer(word, what);
}

template <class T>
FchkNumbers<T> read_array(LineReader& reader, const Head& head, const std::string& name) {
  constexpr bool real = std::is_same_v<T, double>;
  FchkNumbers<T> numbers;
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
      numbers.values.push_back(fchk_number(reader, word, name, T{}));
    }
  }
  return numbers;
}

}  // namespace

bool looks_like_fchk(std::string_view text) {
  LineReader reader({}, text.substr(0, 20000), {});
  for (int i = 0; i < 60 && reader.next(); ++i) {
    const auto head = record_head(reader.line());
    if (head && head->type == 'I' && lower_case(head->name) == "number of atoms") return true;
    if (head && head->type == 'I' && head->array && lower_case(head->name) == "atomic numbers") return true;
  }
  return false;
}

FchkRecords read_fchk_records(LineReader& reader) {
  FchkRecords records;
  if (reader.next()) records.title = trimmed(reader.line());
  if (reader.next()) {
    // Kind of calculation, method, basis set; some programs omit the line.
    if (record_head(reader.line())) {
      reader.push_back();
    } else if (const auto& words = reader.words(); words.size() > 1) {
      records.method = words[1];
    }
  }
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

}  // namespace isolume::molecules
