#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/electrostatics/quantum/atomic_charges.h"
#include "core/electrostatics/quantum/quantum_potential.h"

namespace isolume::electrostatics {

/// Electrostatic properties of one atom from a wavefunction.
struct WavefunctionAtom {
  int atomic_number = 0;
  double mulliken = 0, loewdin = 0, fitted = 0;  ///< charges in e (atomic_charges.h)
  double potential = 0;  ///< at its nucleus, due to all other charge, in the options' unit
};

/// In the order of the file; charges of each kind must be available. Throws as quantum_potential_at.
std::vector<WavefunctionAtom> wavefunction_atoms(const molecules::Molecule& molecule,
                                                 const gaussians::WavefunctionPotential& potential,
                                                 const AtomicCharges& mulliken, const AtomicCharges& loewdin,
                                                 const AtomicCharges& fitted, const QuantumOptions& options,
                                                 const jobs::Progress& progress = {});

/// Writes a table with a line for each atom: atom,element,mulliken,loewdin,fitted,potential. A comment before it
/// gives the units. Throws Error where it cannot be written.
void write_wavefunction_atoms(const std::vector<WavefunctionAtom>& atoms, std::string_view potential_unit,
                              const std::filesystem::path& path);

}  // namespace isolume::electrostatics
