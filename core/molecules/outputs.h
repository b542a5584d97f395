#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {

/// The orbitals of one spin.
struct Table {
  std::vector<Orbital> orbitals;
  std::vector<std::string> names;  ///< of the functions, in lower case: "3px", "5d+1", "1dz2", "d 1", "xx"
  std::vector<double> values;      ///< one orbital after the other
  std::size_t line = 0;
};

/// Shells of one block of a printed basis set, and the atoms that they belong to.
struct PrintedBasis {
  std::string owner;
  std::vector<Shell> shells;
};

/// The data found in an output, before basis set and orbitals are combined.
struct Output {
  std::vector<Atom> atoms;                    ///< positions for the orbitals, or the last ones
  std::vector<std::vector<Atom>> geometries;  ///< all that were printed
  std::vector<PrintedBasis> basis;
  std::array<Table, 2> tables;  ///< by spin
  std::optional<ElectronCount> electrons;
  std::optional<int> charge;
  std::optional<int> multiplicity;
  std::optional<Energy> energy;
  std::optional<Eigen::Vector3d> dipole_debye;
  Remarks remarks;
};

/// Differences between the programs.
struct Dialect {
  std::string_view program;
  double rounding;          ///< half a unit of the last printed digit of the coefficients
  bool orca_functions;      ///< with ORCA's names and signs
  std::string_view remedy;  ///< what to add to the input so that basis set and orbitals are written
};

/// "1 2 3 4 5", continuing at `first`: the number of columns, 0 if the line is something else.
std::size_t column_head(const std::vector<std::string_view>& words, long first);

/// Shells as printed by Gaussian, Q-Chem and Psi4: "SP   3 1.00" and rows of exponent and coefficients, up to a line
/// of stars. The line that names the atom must have been read.
PrintedBasis read_shells(LineReader& reader, std::string owner);

/// The functions of a shell by increasing m, or as xx xy xz yy yz zz: p as y z x, or as x y z.
std::vector<std::string> systematic_names(int angular_momentum, bool spherical);

/// Throws InputError where there are no primitives, an exponent is not positive, or coefficients are missing.
void check_primitives(const Shell& shell, const LineReader& reader);

/// Determines from the names of the functions which shells are spherical, and how the rows are ordered. Without
/// orbitals or basis set returns only the molecule, and a remark with advice.
FileContents finish(Output output, const Dialect& dialect, const LineReader& reader);

}  // namespace isolume::molecules
