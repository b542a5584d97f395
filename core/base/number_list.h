#pragma once

#include <string_view>
#include <vector>

namespace isolume {

/// Numbers with blanks or commas between them; none where there is anything else.
std::vector<double> numbers_in(std::string_view text);

}  // namespace isolume
