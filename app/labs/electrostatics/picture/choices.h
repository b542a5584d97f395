#pragma once

#include "core/electrostatics/potential/map_difference.h"
#include "core/parameters/schema.h"

namespace isolume::labs::electrostatics {

/// What a potential is of: a wavefunction itself, or point charges found from it, in vacuum.
enum class PotentialOf { wavefunction, esp, mulliken, loewdin };
/// `map`: another program's, which other_map.h takes off.
enum class DifferenceTo { nothing, wavefunction, esp, mulliken, loewdin, map };

/// Of a file with a wavefunction.
struct WavefunctionChoices {
  PotentialOf of = PotentialOf::wavefunction;
  DifferenceTo difference_to = DifferenceTo::nothing;  ///< what is shown is the difference to it
  int set = 1;                                         ///< of orbitals, counted from 1
};
/// potential-of, difference-to, set.
const parameters::Schema<WavefunctionChoices>& wavefunction_schema();

/// Of a file with several models, or a trajectory.
struct FrameChoices {
  int frame = 1;         ///< counted from 1
  bool average = false;  ///< the potential is the mean over all of them
};
/// frame, average.
const parameters::Schema<FrameChoices>& frame_schema();

/// Around the molecule.
struct MapGrid {
  double spacing_angstrom = 0.5;
  double margin_angstrom = 10;
  isolume::electrostatics::Compared compare =
      isolume::electrostatics::Compared::nothing;  ///< what is shown is the difference to it
};
const parameters::Schema<MapGrid>& map_grid_schema();

/// What a click selects. A wavefunction has no residues: there it is the atom.
/// `measured`: nothing is selected, but measured from atom to atom.
enum class Picked { residue, atom, measured };
struct PickChoices {
  Picked what = Picked::residue;
};
/// pick.
const parameters::Schema<PickChoices>& pick_schema();

/// `stated`: what the file says, or what is usual for its format.
enum class MapUnit { stated, kt_per_e, millivolt, kcal_per_mol_e, hartree_per_e };
enum class MapShown { difference, itself };

/// How another program's map is read and compared with ours.
struct OtherMapChoices {
  MapUnit unit = MapUnit::stated;
  MapShown shown = MapShown::difference;
};
/// map-unit, map-shown.
const parameters::Schema<OtherMapChoices>& other_map_schema();

}  // namespace isolume::labs::electrostatics
