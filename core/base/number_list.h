#pragma once

#include <string_view>
#include <vector>

namespace isolume {

/// Numbers separated by blanks or commas; empty if the text has anything else.
std::vector<double> numbers_in(std::string_view text);

}  // namespace isolume
