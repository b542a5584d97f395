#include "core/nbody/files/extended_xyz.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/dispatch/dispatch.h"
#include "core/molecules/xyz_frames.h"

namespace isolume::nbody {
namespace {

using molecules::XyzColumn;

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// Relevant columns, as positions among the words of a line.
struct BodyColumns {
  std::size_t position = 0;
  std::optional<std::size_t> velocity, mass, species, radius;
  bool momenta = false;  ///< instead of velocities, as ASE writes them
};

/// Reads bodies, also from files written for molecules.
class XyzBodies {
 public:
  XyzBodies(const std::filesystem::path& path, std::string_view text)
      : lines_(path, text, {}), frames_(lines_, {.one = "body", .many = "bodies", .needs_elements = false}) {}

  /// Returns false at the end.
  bool next(InitialConditions& to) {
    if (!frames_.next()) return false;
    to = {};
    to.origins.clear();
    const BodyColumns columns = columns_of(to.remarks);
    take_comment(to);
    const std::size_t count = frames_.count();
    make_room(count, to);
    for (std::size_t i = 0; i < count; ++i) add_body(columns, to);
    Bodies& bodies = to.bodies;
    if (!columns.mass) {
      if (columns.momenta) {
        lines_.fail("there are momenta, but no masses",
                    "Add the masses, or velocities: ASE leaves out the masses of the elements.");
      }
      bodies.mass.assign(count, 1);
      to.remarks.assumed("The file has no masses: each body has the mass 1.", count);
    }
    if (columns.momenta) divide_by_mass(bodies);
    if (to.units) {
      for (double& mass : bodies.mass) mass *= to.units->gravitation;
    }
    if (!columns.species) to.origins = {"bodies"};
    return true;
  }

 private:
  void take_comment(InitialConditions& to) const {
    if (const auto time = frames_.value_of("time"); !time.empty()) to.time = lines_.real(time, "the time");
    const auto number = [this](std::string_view name) -> std::optional<std::string> {
      const auto value = frames_.value_of(name);
      if (value.empty()) return std::nullopt;
      return fmt::format("{}", lines_.real(value, std::string(name)));
    };
    const std::size_t before = to.remarks.size();
    to.units = units_from(number, to.remarks);
    if (!to.units) remark_on_words(to.remarks);
    to.has_unused_units = to.remarks.size() > before;
    const auto pbc = frames_.value_of("pbc");
    const bool periodic = pbc.find_first_of("Tt1") != std::string_view::npos;
    if (periodic || !frames_.value_of("lattice").empty()) {
      to.remarks.dropped(
          "The bodies are isolated: the cell and the periodicity of the file (Lattice, pbc) are not used.");
    }
  }

  /// Reports units in words, which this program writes in addition to numbers.
  void remark_on_words(Remarks& remarks) const {
    std::vector<std::string> words;
    for (const char* name : {"length_unit", "mass_unit", "velocity_unit", "time_unit"}) {
      if (const auto value = frames_.value_of(name); !value.empty())
        words.push_back(fmt::format("{}={}", name, value));
    }
    if (!words.empty()) {
      remarks.dropped(fmt::format("Units in words are not used: {}. Give unit_length_cm, unit_mass_g and "
                                  "unit_speed_cm_s, or choose units.",
                                  first_names(words)),
                      words.size());
    }
  }

  BodyColumns columns_of(Remarks& remarks) const {
    const std::initializer_list<std::string_view> velocities{"velo", "vel", "velocity", "velocities"};
    const bool has_velocity = frames_.find(velocities) != nullptr;
    BodyColumns columns;
    std::vector<std::string> unused;
    int positions = 0;
    const auto once = [&](std::optional<std::size_t>& column, const XyzColumn& each) {
      if (column) fail_twice();
      column = each.first;
    };
    for (const XyzColumn& each : frames_.columns()) {
      const bool vector = each.is_number() && each.width == 3, one = each.width == 1;
      const bool momenta = each.name == "momenta" && !has_velocity;
      if (vector && is_one_of(each.name, {"pos", "positions"})) {
        if (++positions > 1) fail_twice();
        columns.position = each.first;
      } else if (vector && (momenta || is_one_of(each.name, velocities))) {
        columns.momenta |= momenta;
        once(columns.velocity, each);
      } else if (each.is_number() && one && is_one_of(each.name, {"mass", "masses"})) {
        once(columns.mass, each);
      } else if (each.is_number() && one && each.name == "radius") {
        once(columns.radius, each);
      } else if (one && each.name == "species") {
        columns.species = each.first;
      } else {
        unused.push_back(isolume::quoted(each.name));
      }
    }
    if (positions == 0) fail_twice();
    if (!unused.empty())
      remarks.dropped(fmt::format("Columns that are not used: {}.", first_names(unused)), unused.size());
    return columns;
  }
  [[noreturn]] void fail_twice() const {
    lines_.fail("the positions, velocities or masses are missing or given twice",
                "Give Properties=species:S:1:pos:R:3:velo:R:3:mass:R:1.");
  }

  void divide_by_mass(Bodies& bodies) const {
    for (std::size_t i = 0; i < bodies.mass.size(); ++i) {
      if (!(bodies.mass[i] > 0))
        lines_.fail(fmt::format("body {} has momentum and the mass {}", i + 1, bodies.mass[i]));
      for (auto* axis : {&bodies.vx, &bodies.vy, &bodies.vz}) (*axis)[i] /= bodies.mass[i];
    }
  }

  static void make_room(std::size_t count, InitialConditions& to) {
    dispatch::require_memory(fmt::format("{} bodies", count), count * (7 * sizeof(double) + 1),
                             "Read it on a machine with more memory.");
    for (auto* each : {&to.bodies.x, &to.bodies.y, &to.bodies.z}) each->reserve(count);
  }

  void add_body(const BodyColumns& columns, InitialConditions& to) {
    const auto& words = frames_.next_atom();
    if (words.size() != frames_.width())
      lines_.fail(fmt::format("expected {} columns, found {}", frames_.width(), words.size()));
    const auto number = [&](std::size_t column) {
      return lines_.real(words[column], fmt::format("column {}", column + 1));
    };
    const auto add_vector = [&](std::size_t first, std::initializer_list<std::vector<double>*> axes) {
      for (auto* axis : axes) axis->push_back(number(first++));
    };
    Bodies& bodies = to.bodies;
    add_vector(columns.position, {&bodies.x, &bodies.y, &bodies.z});
    if (columns.velocity) add_vector(*columns.velocity, {&bodies.vx, &bodies.vy, &bodies.vz});
    // Here, because units change the mass.
    const auto of_0_or_more = [&](std::size_t column, const char* name) {
      const double value = number(column);
      if (value < 0) lines_.fail(fmt::format("the {} is {}", name, value), "Give one of 0 or more.");
      return value;
    };
    if (columns.mass) bodies.mass.push_back(of_0_or_more(*columns.mass, "mass"));
    if (columns.radius) to.radius.push_back(of_0_or_more(*columns.radius, "radius"));
    if (columns.species) to.origin.push_back(origin_of(words[*columns.species], to));
  }
  std::uint8_t origin_of(std::string_view species, InitialConditions& to) const {
    const auto found = std::ranges::find(to.origins, unquoted(species));
    const auto position = found - to.origins.begin();
    if (position > 255) lines_.fail("there are more than 256 species");
    if (found == to.origins.end()) to.origins.emplace_back(unquoted(species));
    return static_cast<std::uint8_t>(position);
  }

  molecules::LineReader lines_;
  molecules::XyzFrames frames_;
};

}  // namespace

InitialConditions read_extended_xyz(const std::filesystem::path& path, std::optional<std::size_t> moment) {
  const std::string text = read_text_file(path);
  XyzBodies reader(path, text);
  InitialConditions found;
  std::size_t moments = 0;
  while ((!moment || moments <= *moment) && reader.next(found)) ++moments;
  if (moments == 0 || (moment && *moment >= moments)) {
    throw InputError(path, 0, fmt::format("there are {} moments in it", moments),
                     "Give one of those, from 0 on.");
  }
  if (!moment) remark_on_last_moment(moments, found);
  return found;
}

void write_extended_xyz(const InitialConditions& start, const std::filesystem::path& path) {
  const Bodies& bodies = start.bodies;
  AtomicFile file(path);
  const std::string units =
      !start.units
          ? ""
          : fmt::format(" length_unit=\"{}\" mass_unit=\"{}\" velocity_unit=\"{}\" time_unit=\"{}\" {}",
                        length_name(*start.units), mass_name(*start.units), speed_name(*start.units),
                        time_name(*start.units), units_as_text(*start.units));
  const double gravitation = start.units ? start.units->gravitation : 1;
  file.stream() << fmt::format("{}\nProperties=species:S:1:pos:R:3:velo:R:3:mass:R:1{} Time={}{}\n",
                               bodies.size(), start.radius.empty() ? "" : ":radius:R:1", start.time, units);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    std::string species = start.origins.at(start.origin.empty() ? 0 : start.origin[i]);
    std::ranges::replace_if(
        species, [](char c) { return c == ' ' || c == '"' || c == '\t'; }, '_');
    const bool at_rest = bodies.vx.empty();
    file.stream() << fmt::format("{} {} {} {} {} {} {} {}{}\n", species, bodies.x[i], bodies.y[i],
                                 bodies.z[i], at_rest ? 0 : bodies.vx[i], at_rest ? 0 : bodies.vy[i],
                                 at_rest ? 0 : bodies.vz[i], bodies.mass[i] / gravitation,
                                 start.radius.empty() ? "" : fmt::format(" {}", start.radius[i]));
  }
  file.commit();
}

}  // namespace isolume::nbody
