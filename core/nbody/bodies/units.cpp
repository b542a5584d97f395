#include "core/nbody/bodies/units.h"

#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number.h"

namespace isolume::nbody {
namespace {

struct NamedUnit {
  double size;  ///< in cgs
  std::string_view name;
};

/// Programs round physical constants to three digits or more.
bool is_about(double size, double known) {
  return std::abs(size / known - 1) < 2e-3;
}

/// In the unit that it is about, or as a multiple of the largest of those `for_multiples` that is not above `most_parts` times it.
ShownUnit unit_of(double size, std::span<const NamedUnit> known, std::span<const NamedUnit> for_multiples,
                  std::string_view cgs) {
  for (const NamedUnit& each : known) {
    if (is_about(size, each.size)) return {1, std::string(each.name)};
  }
  constexpr double most_parts = 10;
  for (const NamedUnit& each : for_multiples) {
    if (size * most_parts >= each.size) return {size / each.size, std::string(each.name)};
  }
  return {1, fmt::format("{:.6g} {}", size, cgs)};
}

Units with_gravitation_of_1(double length, double mass) {
  Units units = units_of(length, mass, 1);
  units.speed = std::sqrt(units.gravitation);  // for speeds of 1 cm/s
  units.gravitation = 1;
  return units;
}

}  // namespace

Units units_of(double length, double mass, double speed) {
  constexpr double newton = 6.67430e-8;  // cm^3 g^-1 s^-2, CODATA 2018
  return {length, mass, speed, newton * mass / length / (speed * speed)};
}

bool make_sense(const Units& units) {
  const double g = units.gravitation;
  return units.length > 0 && units.mass > 0 && units.speed > 0 && g > 0 && std::isfinite(g) &&
         std::isfinite(units.length) && std::isfinite(units.mass) && std::isfinite(units.speed);
}

std::optional<Units> units_by(UnitsChoice choice) {
  switch (choice) {
    case UnitsChoice::galactic:
      return units_of(1e3 * parsec, 1e10 * solar_mass, 1e5);
    case UnitsChoice::stellar:
      return units_of(parsec, solar_mass, 1e5);
    case UnitsChoice::planetary:
      return units_of(astronomical_unit, solar_mass, astronomical_unit / julian_year);
    case UnitsChoice::si:
      return units_of(1e2, 1e3, 1e2);
    default:
      return std::nullopt;
  }
}

Units solar_system_units() {
  return with_gravitation_of_1(astronomical_unit, solar_mass);
}

Units disc_units() {
  return with_gravitation_of_1(3e3 * parsec, 5e10 * solar_mass);
}

ShownUnit length_unit(const Units& units) {
  static constexpr NamedUnit known[]{{1e6 * parsec, "Mpc"},
                                     {1e3 * parsec, "kpc"},
                                     {parsec, "pc"},
                                     {astronomical_unit, "au"},
                                     {1, "cm"},
                                     {1e2, "m"},
                                     {1e5, "km"}};
  return unit_of(units.length, known, std::span(known).first(4), "cm");
}

ShownUnit mass_unit(const Units& units) {
  static constexpr NamedUnit known[]{
      {1e10 * solar_mass, "10^10 solar masses"}, {solar_mass, "solar masses"}, {1, "g"}, {1e3, "kg"}};
  return unit_of(units.mass, known, std::span(known).first(2), "g");
}

std::string length_name(const Units& units) {
  const auto [size, name] = length_unit(units);
  return size == 1 ? name : fmt::format("{:.6g} {}", size, name);
}

std::string mass_name(const Units& units) {
  const auto [size, name] = mass_unit(units);
  return size == 1 ? name : fmt::format("{:.6g} solar masses", units.mass / solar_mass);
}

namespace {

constexpr NamedUnit known_speeds[]{
    {1e5, "km/s"}, {1e2, "m/s"}, {1, "cm/s"}, {astronomical_unit / julian_year, "au/yr"}};

}  // namespace

std::string speed_name(const Units& units) {
  const auto [size, name] = speed_unit(units);
  return size == 1 ? name : fmt::format("{:.6g} {}", size, name);
}

std::string time_name(const Units& units) {
  return fmt::format("{}/({})", length_name(units), speed_name(units));
}

ShownUnit speed_unit(const Units& units) {
  for (const NamedUnit& each : known_speeds) {
    if (is_about(units.speed, each.size)) return {1, std::string(each.name)};
  }
  return {units.speed / 1e5, "km/s"};
}

ShownUnit time_unit(const Units& units) {
  const double seconds = units.length / units.speed;
  constexpr double shortest_in_years = 0.01 * julian_year, shortest_in_megayears = 1e4 * julian_year;
  if (seconds < shortest_in_years) return {seconds, "s"};
  if (seconds < shortest_in_megayears) {
    const double years = seconds / julian_year;
    return {std::abs(years - 1) < 2e-3 ? 1 : years, "yr"};
  }
  return {seconds / (1e6 * julian_year), "Myr"};
}

namespace {

constexpr std::array unit_names{std::pair{std::string_view("unit_length_cm"), &Units::length},
                                std::pair{std::string_view("unit_mass_g"), &Units::mass},
                                std::pair{std::string_view("unit_speed_cm_s"), &Units::speed},
                                std::pair{std::string_view("gravitation"), &Units::gravitation}};

}  // namespace

std::string units_as_text(const Units& units) {
  std::string text;
  for (const auto& [name, value] : unit_names)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, units.*value);
  return text;
}

std::optional<Units> units_from(const std::function<std::optional<std::string>(std::string_view name)>& text,
                                Remarks& remarks) {
  Units units;
  std::string told;
  bool all_read = true;
  for (const auto& [name, value] : unit_names) {
    const auto found = text(name);
    const auto number = found ? parse_finite(*found) : std::nullopt;
    units.*value = number.value_or(0);  // 0 makes no sense
    if (found) {
      told += fmt::format("{}{} is {}", told.empty() ? "" : ", ", name,
                          number ? fmt::format("{:.6g}", *number) : isolume::quoted(*found));
      all_read = all_read && number;
    }
    // It comes last.
    if (!found && value == &Units::gravitation) units = units_of(units.length, units.mass, units.speed);
  }
  if (told.empty()) return std::nullopt;
  if (make_sense(units)) return units;
  remarks.warn(fmt::format("The file has not all of its units, or some that {}: {}. They are not used.",
                           all_read ? "make no sense" : "cannot be read as numbers", told));
  return std::nullopt;
}

namespace {

bool begins_with_digit(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

}  // namespace

std::optional<Units> units_from_text(std::string_view text, Remarks& remarks) {
  static constexpr std::string_view separators = " ,;\t\r";
  const auto word = [text](std::string_view name) -> std::optional<std::string> {
    const std::string key = fmt::format("{}=", name);
    std::size_t at = text.find(key);
    while (at != text.npos && at > 0 && separators.find(text[at - 1]) == text.npos && text[at - 1] != '#')
      at = text.find(key, at + 1);
    if (at == text.npos) return std::nullopt;
    const std::string_view rest = text.substr(at + key.size());
    std::size_t end = rest.find_first_of(separators);
    // A comma before a digit is a decimal one, which no number has here, and separates nothing.
    while (end < rest.size() && rest[end] == ',' && begins_with_digit(rest.substr(end + 1)))
      end = rest.find_first_of(separators, end + 1);
    return std::string(rest.substr(0, end));
  };
  return units_from(word, remarks);
}

std::string in_words(const Units& units) {
  return fmt::format("{}, {} and {}, in which the gravitational constant is {:.6g}", length_name(units),
                     mass_name(units), speed_name(units), units.gravitation);
}

}  // namespace isolume::nbody
