#pragma once

#include <string>
#include <string_view>

namespace isolume {

/// A measured or computed number for users: at most `digits` significant digits, no zeros at the end, and a
/// real minus sign; whole numbers below a million in full; "0" for 0. "0.0318", "1285", "−0.5", "3.2e-7".
std::string shown_reading(double value, int digits = 4);

/// A formatted number with a real minus sign and the shortest exponent: "-3.20e-07" as "−3.20e-7".
std::string typeset(std::string number);

/// A unit in typographic form: "bohr^-3/2" -> "bohr⁻³ᐟ²", "e/bohr^3" -> "e/bohr³", "angstrom" -> "Å", "solar masses" -> "M⊙".
std::string pretty_unit(std::string_view unit);

/// A number that was typed or chosen: exactly, where six digits are enough ("298.15"); else as a reading. With an ASCII
/// minus sign, so that it can be typed again.
std::string shown_setting(double value);

}  // namespace isolume
