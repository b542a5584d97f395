#pragma once

#include <array>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/molecules/basis_set.h"

namespace isolume::molecules {

/// The order and the signs of a shell's functions in a program, as words for l = 0 ... 5. Cartesian: "xxy" in any
/// order of letters. Spherical: "c2" is cosine-like with |m| = 2, "s2" sine-like; "-c3" has the opposite sign. An
/// empty text: the program has no such functions.
struct AngularOrder {
  std::array<std::string_view, max_angular_momentum + 1> cartesian;
  std::array<std::string_view, max_angular_momentum + 1> spherical;

  std::string_view of(const Shell& shell) const {
    const auto l = static_cast<std::size_t>(shell.angular_momentum);
    return shell.spherical ? spherical[l] : cartesian[l];
  }
};

extern const AngularOrder isolume_order;
extern const AngularOrder molden_order;
extern const AngularOrder fchk_order;
extern const AngularOrder orca_order;                   ///< Molden files of ORCA: some signs are opposite
extern const AngularOrder nwchem_order;                 ///< Isolume's, with NWChem's signs of odd m > 0
extern const AngularOrder lexicographic_order;          ///< xxx xxy xxz xyy ...; spherical by increasing m
extern const AngularOrder reverse_lexicographic_order;  ///< zzz yzz yyz ...
extern const AngularOrder aim_order;                    ///< the primitive types of WFN and WFX files
extern const AngularOrder gamess_order;                 ///< xxx yyy zzz xxy xxz yyx ...

/// `to[i] = sign[i] * from[source[i]]`.
struct Rearrangement {
  std::vector<int> source;
  std::vector<double> sign;
};

/// From one list of words to another. Throws std::invalid_argument if they do not name the same functions.
Rearrangement rearrangement(std::string_view from, std::string_view to);

/// The same for all functions of a basis set.
Rearrangement rearrangement(const BasisSet& basis, const AngularOrder& from, const AngularOrder& to);

/// Applies it to the rows of a matrix.
void rearrange_rows(const Rearrangement& how, Eigen::MatrixXd& rows);

}  // namespace isolume::molecules
