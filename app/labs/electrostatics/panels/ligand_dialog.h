#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/structures/ligand_charges.h"

class QWidget;

namespace isolume::labs::electrostatics {

/// Residues of one name whose charges a person may choose.
struct AskedLigand {
  std::string name;
  std::size_t residues = 0, atoms = 0;  ///< atoms of the first residue
  structures::LigandCharges charges;    ///< as chosen so far
  double usual_net = 0;                 ///< in e; what is suggested as net charge
};

/// Asks for each where its charges come from, without blocking; `take` gets the choices as structures::ligands_of takes
/// each, "NAP=-4".
void ask_for_ligands(QWidget* parent, const std::vector<AskedLigand>& ligands,
                     std::function<void(const std::vector<std::string>& entries)> take);

}  // namespace isolume::labs::electrostatics
