#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace isolume::nbody {

/// What 1 of a file's lengths, masses and speeds is: cm, g and cm/s. Bodies that have them keep lengths and speeds as they
/// are; their masses are multiplied by the constant of gravitation in these units, so that G = 1.
struct Units {
  double length = 0, mass = 0, speed = 0;
  double gravitation = 0;  ///< the constant that belongs to the numbers

  bool operator==(const Units&) const = default;
};
/// With the constant of gravitation of CODATA 2018.
Units units_of(double length, double mass, double speed);
/// Positive, finite, and with a constant of gravitation that is.
bool make_sense(const Units& units);

/// What is taken for the units of a file that names none.
enum class UnitsChoice {
  file,       ///< what is usual for its format
  galactic,   ///< kpc, 10^10 solar masses, km/s
  planetary,  ///< au, solar masses, years
  si,         ///< m, kg, s
  natural     ///< the constant of gravitation is 1
};
/// Nothing for `file` and `natural`.
std::optional<Units> units_by(UnitsChoice choice);
/// au, solar masses and the speed that makes the constant of gravitation 1: a year is 2 pi.
Units solar_system_units();

inline constexpr double parsec = 3.0856775814913673e18, astronomical_unit = 1.495978707e13;  // cm
inline constexpr double solar_mass = 1.98841e33;                                             // g
inline constexpr double julian_year = 3.15576e7;                                             // s

/// "kpc", "10^10 solar masses", "km/s"; "3.1e+20 cm" where there is no name.
std::string length_name(const Units& units);
std::string mass_name(const Units& units);
std::string speed_name(const Units& units);
/// What a length over a speed is in the unit of time that people use for it: 977.792 and "Myr" of kpc and km/s, 1 and "yr"
/// of au and au/yr, 1 and "s" of m and m/s.
struct TimeUnit {
  double size;
  std::string name;
};
TimeUnit time_unit(const Units& units);
/// What a speed is in a unit with a name: 1 and that name, or the speed in km/s where its unit has none, as that of au and
/// solar masses with G = 1.
struct SpeedUnit {
  double size;
  std::string name;
};
SpeedUnit speed_unit(const Units& units);
/// "unit_length_cm=3.0856775814913673e+21 unit_mass_g=... unit_speed_cm_s=100000 gravitation=...", all digits: as text files have
/// them.
std::string units_as_text(const Units& units);
/// From four numbers of these names; nothing where one is missing or they make no sense.
std::optional<Units> units_from(const std::function<std::optional<double>(std::string_view name)>& number);
/// From a line with such words among others.
std::optional<Units> units_from_text(std::string_view line);

/// "kpc, 10^10 solar masses and km/s, in which the constant of gravitation is 43009.2"
std::string in_words(const Units& units);

}  // namespace isolume::nbody
