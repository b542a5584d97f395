#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "app/labs/electrostatics/panels/row_table.h"
#include "app/labs/electrostatics/picture/map_source.h"
#include "core/electrostatics/quantum/wavefunction_atoms.h"

namespace isolume::labs::electrostatics {

/// A wavefunction's atoms, in the order of the file. `unit`: of the potential, for people.
TableRows rows_of(std::shared_ptr<const std::vector<science::WavefunctionAtom>> atoms, const QString& unit);

/// Atoms with charges, and the potential at each of them in a unit, of all charges but its own.
struct AtomPotentials {
  std::shared_ptr<const ChargedMolecule> molecule;
  std::vector<double> potential;
  double kj_per_mol_of_unit = 0;  ///< of 1 e where the potential is 1
};
TableRows rows_of(std::shared_ptr<const AtomPotentials> atoms, const QString& unit);

}  // namespace isolume::labs::electrostatics
