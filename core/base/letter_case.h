#pragma once

#include <string>
#include <string_view>

namespace isolume {

/// The letters A to Z become small, or a to z capital; all other bytes, such as those of UTF-8, stay as they are.
constexpr char lower_case(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}
constexpr char upper_case(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}
std::string lower_case(std::string_view text);
std::string upper_case(std::string_view text);

}  // namespace isolume
