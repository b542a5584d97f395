#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpu/orbitals/generated/atom_types.h"
#include "gpu/orbitals/pointwise/pointwise_kernels.h"

namespace isolume::gpu {

/// The properties of a generated kernel, besides the types of atoms.
struct GeneratedShape {
  PlaceKind places = PlaceKind::aligned_grid;
  int columns = 1;         ///< columns in a pass over the atoms: 1, 2 or 4
  bool quadratic = false;  ///< one field sum_k w_k psi_k^2 instead of the columns

  bool operator==(const GeneratedShape&) const = default;
};

inline constexpr int generated_block_size = 128;
/// Longer sources are refused: compiling them would take longer than computing.
inline constexpr std::size_t largest_generated_source = std::size_t{256} << 10;

/// CUDA C++ for the kernel `sum_atoms` (Stone et al., GPU Computing Gems Emerald, chapter 1, the JIT
/// variant): one thread a point, a loop over the atoms of each type, and in it every shell, primitive and
/// monomial written out, exponents and contraction factors as literals that round-trip. Exponents that shells
/// of an atom share are raised once. Numbers that change with the geometry and the orbital, and how many
/// atoms there are, are read from memory: the text depends on the types' shells and the shape only.
///
/// The kernel's parameters, all 16-byte words four floats:
///   const float4* atoms         two words an atom, types one after the other: (n, -) and (r, -) of
///   CentrePlace const int* atom_counts      one a type const float4* coefficients  for each pass, atom and
///   monomial the pass's columns, k fastest; each atom's
///                               filled up to whole words; shells and monomials in the order of the type
///   int pass_count
///   const float* weights        one a column of all passes (quadratic)
///   int column_count
///   const float4* places        grid: the steps (a, -), (b, -), (c, -); scattered: two words a point, its
///                               place rounded to float, and what that left
///   int nx, int plane_size      points of a row and of a plane; scattered: of all
///   int first                   plane of blockIdx.y 0; scattered: point of blockIdx.x 0
///   float* out, unsigned long long field_stride   as DeviceJob::launch
/// Grid: plane_size / generated_block_size (rounded up) x planes.
///
/// Throws Error when the text would be longer than `largest_generated_source`, or a number is beyond float.
std::string generated_source(const std::vector<AtomType>& types, const GeneratedShape& shape);

/// A literal for CUDA C++: "-1.50000000f". Reading it back gives the same float. Throws Error for values out
/// of range of float.
std::string float_literal(double value);

/// Number of words of one atom's coefficients in a pass.
std::size_t generated_words(const AtomType& type, int columns);

/// Floating-point operations of one point and pass for one atom of the type, as counted by KernelJob::flop.
double generated_flop(const AtomType& type, const GeneratedShape& shape);

}  // namespace isolume::gpu
