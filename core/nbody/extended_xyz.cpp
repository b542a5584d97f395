#include "core/nbody/extended_xyz.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/dispatch/dispatch.h"

namespace isolume::nbody {
namespace {

constexpr std::string_view xyz_layout =
    "Give the number of bodies, a line with Properties=species:S:1:pos:R:3:velo:R:3:mass:R:1, and a line for "
    "each "
    "body.";

/// Words, where quotes keep words together.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
      ++at;
      continue;
    }
    std::size_t end = at;
    for (bool quoted = false; end < line.size() && (quoted || (line[end] != ' ' && line[end] != '\t'));
         ++end) {
      if (line[end] == '"') quoted = !quoted;
    }
    words.push_back(trimmed(line.substr(at, end - at)));
    at = end;
  }
  return words;
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

template <class Number>
bool parsed(std::string_view text, Number& number) {
  const auto found = parse_number<Number>(text);
  if (found) number = *found;
  return found.has_value();
}

/// Columns that matter; where there is none, what is read goes nowhere.
struct XyzColumns {
  std::vector<std::vector<double>*> targets;
  std::ptrdiff_t species = -1;
  bool momenta = false;  ///< in place of velocities, as ASE writes them
};

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

class XyzReader {
 public:
  explicit XyzReader(const std::filesystem::path& path) : path_(path), text_(read_text_file(path)) {}

  /// Nothing left: false.
  bool next(InitialConditions& to) {
    std::string_view line = next_line();
    while (line.empty() && at_ < text_.size()) line = next_line();
    if (line.empty()) return false;
    std::uint64_t count = 0;
    // A line holds six characters at least.
    if (!parsed(line, count) || count == 0 || count > text_.size() / 6) {
      fail(fmt::format("expected a number of bodies that the file can hold, found {}", quoted(line)));
    }
    to = {};
    to.origins.clear();
    const XyzColumns columns = columns_of(next_line(), to);
    make_room(count, columns, to);
    for (std::uint64_t i = 0; i < count; ++i) add_body(columns, to);
    Bodies& bodies = to.bodies;
    if (bodies.mass.empty()) {
      bodies.mass.assign(count, 1);
      to.remarks.assumed("The file has no masses: each body has the mass 1.", count);
    }
    if (columns.momenta) divide_by_mass(bodies);
    if (columns.species < 0) to.origins = {"bodies"};
    return true;
  }

 private:
  std::string_view next_line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line =
        std::string_view(text_).substr(std::min(at_, text_.size()), end - std::min(at_, end));
    at_ = end + 1;
    ++number_;
    return trimmed(line);
  }
  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(path_, number_, problem, xyz_layout);
  }

  XyzColumns columns_of(std::string_view line, InitialConditions& to) const {
    std::string_view properties = "species:S:1:pos:R:3";  // plain XYZ
    for (const std::string_view word : words_of(line)) {
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos) continue;
      const std::string_view key = word.substr(0, equals), value = unquoted(word.substr(equals + 1));
      if (key == "Properties" || key == "properties") properties = value;
      if (key == "Lattice" || key == "pbc") is_periodic(key, value, to.remarks);
      if ((key == "Time" || key == "time") && (!parsed(value, to.time) || !std::isfinite(to.time))) {
        fail(fmt::format("the time is {}", quoted(value)));
      }
    }
    XyzColumns columns;
    std::vector<std::string> unused;
    Bodies& bodies = to.bodies;
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= properties.size();) {
      const std::size_t end = std::min(properties.find(':', begin), properties.size());
      parts.push_back(properties.substr(begin, end - begin));
      begin = end + 1;
    }
    if (parts.size() % 3 != 0) fail(fmt::format("Properties are {}", quoted(properties)));
    for (std::size_t i = 0; i < parts.size(); i += 3) {
      const std::string_view name = parts[i], kind = parts[i + 1];
      int width = 0;
      if (!parsed(parts[i + 2], width) || width < 1 || width > 100)
        fail(fmt::format("{} has no width", quoted(name)));
      const bool number = kind == "R" || kind == "I";
      const bool momenta = name == "momenta" && !has_velocity(parts);
      const bool velocity = is_velocity(name) || momenta;
      if (number && width == 3 && (is_one_of(name, {"pos", "positions"}) || velocity)) {
        columns.momenta |= momenta;
        for (auto* each : velocity ? std::array{&bodies.vx, &bodies.vy, &bodies.vz}
                                   : std::array{&bodies.x, &bodies.y, &bodies.z}) {
          columns.targets.push_back(each);
        }
        continue;
      }
      const bool mass = number && width == 1 && is_one_of(name, {"mass", "masses"});
      const bool species = name == "species" && width == 1;
      if (species) columns.species = std::ssize(columns.targets);
      if (!mass && !species) unused.push_back(quoted(name));
      columns.targets.insert(columns.targets.end(), static_cast<std::size_t>(width),
                             mass ? &bodies.mass : nullptr);
    }
    for (const auto* axis : {&bodies.x, &bodies.vx, &bodies.mass}) {
      const auto times = std::ranges::count(columns.targets, axis);
      if (times > 1 || (times == 0 && axis == &bodies.x))
        fail("the positions, velocities or masses are not there once");
    }
    if (!unused.empty())
      to.remarks.dropped(fmt::format("Columns that are not used: {}.", first_names(unused)), unused.size());
    return columns;
  }
  static bool is_velocity(std::string_view name) {
    return is_one_of(name, {"velo", "vel", "velocity", "velocities"});
  }
  static bool has_velocity(const std::vector<std::string_view>& parts) {
    for (std::size_t i = 0; i < parts.size(); i += 3) {
      if (is_velocity(parts[i])) return true;
    }
    return false;
  }
  void divide_by_mass(Bodies& bodies) const {
    for (std::size_t i = 0; i < bodies.mass.size(); ++i) {
      if (!(bodies.mass[i] > 0))
        fail(fmt::format("body {} has momentum and the mass {}", i + 1, bodies.mass[i]));
      for (auto* axis : {&bodies.vx, &bodies.vy, &bodies.vz}) (*axis)[i] /= bodies.mass[i];
    }
  }
  static void is_periodic(std::string_view key, std::string_view value, Remarks& remarks) {
    if (key == "pbc" && value.find_first_of("T1") == std::string_view::npos) return;
    remarks.dropped(
        "The bodies are alone: the cell and the periodicity of the file (Lattice, pbc) are not used.");
  }

  static void make_room(std::uint64_t count, const XyzColumns& columns, InitialConditions& to) {
    dispatch::require_memory(fmt::format("{} bodies", count), count * (7 * sizeof(double) + 1),
                             "Read it on a machine with more memory.");
    for (auto* each : columns.targets) {
      if (each != nullptr) each->reserve(count);
    }
    if (columns.species >= 0) to.origin.reserve(count);
  }

  void add_body(const XyzColumns& columns, InitialConditions& to) {
    if (at_ >= text_.size()) fail(fmt::format("it ends at body {}", to.bodies.x.size() + 1));
    const auto cells = words_of(next_line());
    if (cells.size() != columns.targets.size()) {
      fail(fmt::format("expected {} columns, found {}", columns.targets.size(), cells.size()));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns.targets[i] == nullptr) continue;
      double value = 0;
      if (!parsed(cells[i], value) || !std::isfinite(value))
        fail(fmt::format("column {} is {}", i + 1, quoted(cells[i])));
      columns.targets[i]->push_back(value);
    }
    if (columns.species >= 0)
      to.origin.push_back(origin_of(cells[static_cast<std::size_t>(columns.species)], to));
  }
  std::uint8_t origin_of(std::string_view species, InitialConditions& to) const {
    const auto found = std::ranges::find(to.origins, unquoted(species));
    const auto position = found - to.origins.begin();
    if (position > 255) fail("there are more than 256 species");
    if (found == to.origins.end()) to.origins.emplace_back(unquoted(species));
    return static_cast<std::uint8_t>(position);
  }

  const std::filesystem::path& path_;
  std::string text_;
  std::size_t at_ = 0, number_ = 0;
};

}  // namespace

InitialConditions read_extended_xyz(const std::filesystem::path& path, std::optional<std::size_t> moment) {
  XyzReader reader(path);
  InitialConditions found;
  std::size_t moments = 0;
  while ((!moment || moments <= *moment) && reader.next(found)) ++moments;
  if (moments == 0 || (moment && *moment >= moments)) {
    throw InputError(path, 0, fmt::format("there are {} moments in it", moments),
                     "Give one of those, from 0 on.");
  }
  return found;
}

void write_extended_xyz(const InitialConditions& start, const std::filesystem::path& path) {
  const Bodies& bodies = start.bodies;
  AtomicFile file(path);
  file.stream() << fmt::format("{}\nProperties=species:S:1:pos:R:3:velo:R:3:mass:R:1 Time={}\n",
                               bodies.size(), start.time);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    std::string species = start.origins.at(start.origin.empty() ? 0 : start.origin[i]);
    std::ranges::replace_if(
        species, [](char c) { return c == ' ' || c == '"' || c == '\t'; }, '_');
    const bool at_rest = bodies.vx.empty();
    file.stream() << fmt::format("{} {} {} {} {} {} {} {}\n", species, bodies.x[i], bodies.y[i], bodies.z[i],
                                 at_rest ? 0 : bodies.vx[i], at_rest ? 0 : bodies.vy[i],
                                 at_rest ? 0 : bodies.vz[i], bodies.mass[i]);
  }
  file.commit();
}

}  // namespace isolume::nbody
