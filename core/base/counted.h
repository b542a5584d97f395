#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace isolume {

/// "1 atom", "3 atoms".
inline std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// "1 body", "3 bodies".
inline std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

}  // namespace isolume
