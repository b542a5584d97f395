#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace isolume::molecules {

/// Secondary structure of a residue. A bridge is an isolated pair of residues bonded as in a sheet.
enum class Secondary : std::uint8_t { none, alpha_helix, three_ten_helix, pi_helix, strand, bridge };

inline bool is_helix(Secondary kind) {
  return kind == Secondary::alpha_helix || kind == Secondary::three_ten_helix || kind == Secondary::pi_helix;
}

/// A helix or strand as stated in a file, both ends included.
struct SecondaryRange {
  struct End {
    int number = 0;
    char insertion = ' ';
    auto operator<=>(const End&) const = default;
  };
  Secondary kind = Secondary::none;
  std::string chain;
  End first, last;
};

}  // namespace isolume::molecules
