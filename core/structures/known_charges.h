#pragma once

#include <map>
#include <optional>
#include <string_view>

namespace isolume::structures {

/// The charge in e, near pH 7, of ions, cofactors and crystallisation additives in wwPDB's chemical component
/// dictionary; nothing for others. All hydrogens of the component at that pH are assumed, whether the file has them
/// or not.
std::optional<double> known_charge(std::string_view residue);

/// The charge of an element in such a residue before it is equalised over bonds: of iron in haem, and of iron and
/// sulphur in clusters. Nothing for others.
std::optional<double> known_charge(std::string_view residue, int atomic_number);

/// Whether such a residue has hydrogens near pH 7: SO4 and CO2 are known to have none. True for unknown residues.
bool can_have_hydrogens(std::string_view residue);

}  // namespace isolume::structures
