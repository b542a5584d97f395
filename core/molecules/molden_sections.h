#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/remarks.h"
#include "core/molecules/basis_set.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/molecule.h"
#include "core/molecules/printed_digits.h"
#include "core/molecules/wavefunction.h"

namespace isolume::molecules {

struct MoldenAtom {
  Atom atom;
  std::string label;
  long number = 0;
  std::size_t line = 0;
};

struct MoldenShell {
  Shell shell;
  long atom_number = 0;
  std::size_t line = 0;
};

struct MoldenEntry {
  int function = 0;
  double value = 0;
};

struct MoldenOrbital {
  Orbital orbital;
  std::size_t first_entry = 0;
  std::size_t line = 0;
  bool has_occupation = false;
  bool has_spin = false;
  unsigned keys = 0;  ///< bits of the properties seen
};

/// Everything in the file, before sections, which may come in any order, are combined.
struct MoldenSections {
  std::string title;
  std::string program;
  std::vector<MoldenAtom> atoms;
  std::vector<MoldenShell> shells;
  std::vector<MoldenOrbital> orbitals;
  std::vector<std::size_t> set_starts;  ///< the first orbital of each [MO]
  std::vector<MoldenEntry> entries;
  int largest_function = 0;
  std::size_t largest_function_line = 0;
  PrintedDigits coefficient_digits, exponent_digits, contraction_digits, position_digits;
  double bohr_per_position = 1;
  std::map<std::string, bool> tags;               ///< "d" -> spherical
  std::vector<std::pair<long, double>> cores;     ///< atom number, electrons in the core
  std::map<long, double> charges;                 ///< atom number, charge seen ([Pseudo])
  std::map<std::string, double> valence_charges;  ///< element symbol -> charge seen ([Nval])
  bool without_line_end = false;                  ///< the orbitals end with the file, without a line end
  bool cut = false;                               ///< the file ends within a line of the orbitals
  std::size_t unreadable_energies = 0;
  /// From [GEOMETRIES] and of further steps. Their elements are -1 where the label does not name one.
  std::vector<std::vector<MoldenAtom>> geometries;
  std::vector<MoldenAtom> frequency_atoms;  ///< the geometry of the vibrations ([FR-COORD])
  std::size_t internal_coordinates = 0;     ///< line of geometries that are not Cartesian, which are not read
  std::size_t further_steps = 0;
  std::vector<std::string> unused;  ///< sections that were not read
  bool aomix = false;               ///< coefficients follow atom, element and name of the function
  Remarks remarks;
};

/// Reads all of a Molden file; its remarks name unused sections. Throws InputError.
MoldenSections read_molden_sections(LineReader& reader);

}  // namespace isolume::molecules
