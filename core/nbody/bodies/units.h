#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/remarks.h"

namespace isolume::nbody {

/// Units of length, mass and speed of a file: in cm, g and cm/s. Bodies with units keep lengths and speeds as they
/// are; their masses are multiplied by the gravitational constant in these units, so that G = 1.
struct Units {
  double length = 0, mass = 0, speed = 0;
  double gravitation = 0;  ///< the gravitational constant in these units

  bool operator==(const Units&) const = default;
};
/// With the gravitational constant of CODATA 2018.
Units units_of(double length, double mass, double speed);
/// Whether all are positive and finite, and so is the gravitational constant.
bool make_sense(const Units& units);

/// Units assumed for a file that names none.
enum class UnitsChoice {
  file,       ///< the default of its format
  galactic,   ///< kpc, 10^10 solar masses, km/s
  stellar,    ///< pc, solar masses, km/s
  planetary,  ///< au, solar masses, years
  si,         ///< m, kg, s
  natural     ///< the gravitational constant is 1
};
/// Nothing for `file` and `natural`.
std::optional<Units> units_by(UnitsChoice choice);
/// au, solar masses and the speed that makes the gravitational constant 1: a year is 2 pi.
Units solar_system_units();
/// Scale length and mass of a disc like that of the Milky Way, 3 kpc and 5e10 solar masses, and the speed that makes the
/// gravitational constant 1.
Units disc_units();

inline constexpr double parsec = 3.0856775814913673e18, astronomical_unit = 1.495978707e13;  // cm
inline constexpr double solar_mass = 1.98841e33;                                             // g
inline constexpr double julian_year = 3.15576e7;                                             // s

/// Units in files: "kpc", "10^10 solar masses", "km/s"; "3 kpc" for a multiple, "3.1e+20 cm" where there is no name.
std::string length_name(const Units& units);
std::string mass_name(const Units& units);
std::string speed_name(const Units& units);
std::string time_name(const Units& units);  ///< "kpc/(km/s)"
/// A unit with a name, in which numbers are shown, and how many of it are 1 in the bodies' units.
struct ShownUnit {
  double size;
  std::string name;
};
/// 1 and "kpc", 3 and "kpc"; 1 and "3.1e+20 cm" where no name suits.
ShownUnit length_unit(const Units& units);
/// 1 and "10^10 solar masses", 5 and the same.
ShownUnit mass_unit(const Units& units);
/// Length over speed in the customary unit of time: 977.792 and "Myr" for kpc and km/s, 1 and "yr" for au and au/yr,
/// 1 and "s" for m and m/s.
ShownUnit time_unit(const Units& units);
/// A speed in a unit with a name: 1 and that name, or the speed in km/s where its unit has none, such as that of au
/// and solar masses with G = 1.
ShownUnit speed_unit(const Units& units);
/// "unit_length_cm=3.0856775814913673e+21 unit_mass_g=... unit_speed_cm_s=100000 gravitation=...", all digits: the
/// form used in text files.
std::string units_as_text(const Units& units);
/// From numbers of these names, as text; the gravitational constant may be missing, as it follows from the others.
/// Nothing where there are none, and with a remark where another is missing or they are invalid.
std::optional<Units> units_from(const std::function<std::optional<std::string>(std::string_view name)>& text,
                                Remarks& remarks);
/// From a text with such words among others.
std::optional<Units> units_from_text(std::string_view text, Remarks& remarks);

/// "kpc, 10^10 solar masses and km/s, in which the gravitational constant is 43009.2"
std::string in_words(const Units& units);

}  // namespace isolume::nbody
