#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/molecules/angular_order.h"
#include "core/molecules/wavefunction.h"

namespace isolume::molecules {

/// A known deviation of programs from the format of wavefunctions. Absent members change nothing.
struct WriterDialect {
  std::string_view name;  ///< of the deviation: "primitive-norms", "opposite-signs" ...
  std::string_view explanation;
  std::string_view program =
      {};  ///< known to write in this way; only named for files that name it themselves
  bool (*concerns)(const Shell&) = nullptr;                     ///< applies only if a shell satisfies this
  double (*primitive)(const Shell&, double) = nullptr;          ///< factor of a contraction coefficient
  double (*function)(const Shell&, CartesianPowers) = nullptr;  ///< factor of an orbital coefficient
  const AngularOrder* order = nullptr;                          ///< the actual order in the file
  double length = 1;                                            ///< factor of the coordinates
  bool only_spherical = false;  ///< the program has no Cartesian functions above p
  bool normalise = false;       ///< normalise the contractions at the end
};

/// The format itself.
const WriterDialect& as_written();

/// All dialects applicable to a basis set read in an order; first those of the program named in the file, which may
/// be empty.
std::vector<WriterDialect> known_dialects(std::string_view program, const BasisSet& basis,
                                          const AngularOrder& read_as);

/// For display: the correction.
std::string explanation_of(const WriterDialect& dialect, std::string_view program);

/// A basis set and the transformation of the coefficients' rows.
struct Correction {
  Molecule molecule;
  BasisSet basis;
  Eigen::VectorXd row_factors;
  std::vector<Rearrangement> rearrangements;

  void apply(OrbitalSet& set) const;
};

Correction correction_for(const WriterDialect& dialect, const Molecule& molecule, const BasisSet& basis,
                          const AngularOrder& read_as);

}  // namespace isolume::molecules
