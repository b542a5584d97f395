#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/letter_case.h"

namespace isolume {

/// A file's name in small letters: names from other systems are often in capitals.
inline std::string small_name(const std::filesystem::path& path) {
  return lower_case(path.filename().string());
}

/// The last suffix in small letters, with its point: ".pdb" of 1ABC.PDB. Empty if there is none.
inline std::string suffix_of(const std::filesystem::path& path) {
  return std::filesystem::path(small_name(path)).extension().string();
}

/// Whether the name ends with these suffixes, which are given in small letters: ".plot.csv".
inline bool has_suffix(const std::filesystem::path& path, std::string_view suffixes) {
  return small_name(path).ends_with(suffixes);
}

}  // namespace isolume
