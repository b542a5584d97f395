#pragma once

#include <string>

namespace isolume {

/// A measured or computed number for users: at most `digits` significant digits, no zeros at the end, and a
/// real minus sign; whole numbers below a million in full; "0" for 0. "0.0318", "1285", "−0.5", "3.2e-7".
std::string shown_reading(double value, int digits = 4);

/// A formatted number with a real minus sign and the shortest exponent: "-3.20e-07" as "−3.20e-7".
std::string typeset(std::string number);

/// A number that was typed or chosen: exactly, where six digits are enough ("298.15"); else as a reading. With an ASCII
/// minus sign, so that it can be typed again.
std::string shown_setting(double value);

}  // namespace isolume
