#pragma once

#include <cstddef>
#include <vector>

#include "core/molecules/basis_set.h"
#include "core/molecules/line_reader.h"

namespace isolume::molecules {

/// A basis set as arrays over its shells and primitives, as in FCHK, MWFN and CJSON files. The lines are for
/// messages.
struct ShellArrays {
  std::vector<long> types;   ///< angular momentum; negative for spherical functions, -1 for s and p together
  std::vector<long> counts;  ///< primitives of each shell
  std::vector<long> atoms;   ///< from 1
  std::vector<double> exponents;
  std::vector<double> coefficients;    ///< of the same length
  std::vector<double> p_coefficients;  ///< of the same length if a shell has s and p
  std::size_t types_line = 0;
  std::size_t counts_line = 0;
  std::size_t atoms_line = 0;
  std::size_t exponents_line = 0;
};

/// Throws InputError if they are inconsistent.
BasisSet make_basis(const ShellArrays& arrays, std::size_t atom_count, const LineReader& reader);

}  // namespace isolume::molecules
