#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace isolume::molecules {

/// What a residue of a protein is part of. A bridge is a pair of residues that are bonded as in a sheet, alone.
enum class Secondary : std::uint8_t { none, alpha_helix, three_ten_helix, pi_helix, strand, bridge };

inline bool is_helix(Secondary kind) {
  return kind == Secondary::alpha_helix || kind == Secondary::three_ten_helix || kind == Secondary::pi_helix;
}

/// A helix or strand as a file states it, both ends included.
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
