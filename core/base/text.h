#pragma once

#include <string_view>

namespace isolume {

/// Without spaces and control characters (tabs, line ends, padding zeros) at either end.
std::string_view trimmed(std::string_view text);

}  // namespace isolume
