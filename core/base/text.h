#pragma once

#include <string_view>

namespace isolume {

/// The text without spaces and control characters (tabs, line ends, padding zeros) at either end.
std::string_view trimmed(std::string_view text);

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace isolume
