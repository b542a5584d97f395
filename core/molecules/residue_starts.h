#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <Eigen/Core>

namespace isolume::molecules {

struct RunAtom {
  std::string_view name;
  Eigen::Vector3d place;  ///< in angstrom
  int element = 0;        ///< 0 if it is not stated
  bool is_alternative = false;
};

/// Where residues begin in consecutive atoms that share name, chain and number of a residue, as those of ions or of
/// molecules without a number do. The first is 0.
std::vector<std::size_t> residue_starts(std::string_view residue, std::span<const RunAtom> run);

}  // namespace isolume::molecules
