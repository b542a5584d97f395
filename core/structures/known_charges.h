#pragma once

#include <map>
#include <optional>
#include <string_view>

namespace isolume::structures {

/// The charge in e, near pH 7, of ions, cofactors and additives of crystals that wwPDB's chemical components name; nothing for
/// others. Hydrogens of the component at that pH are taken to be there, whether the file has them or not.
std::optional<double> known_charge(std::string_view residue);

/// The charge that an element has in such a residue where it is shared out by bonds: of iron in haem, and of iron and sulphur
/// in clusters. Nothing for others.
std::optional<double> known_charge(std::string_view residue, int atomic_number);

/// Whether such a residue has hydrogens near pH 7: of SO4 and CO2 it is known that they have none. True of those that are not
/// known.
bool can_have_hydrogens(std::string_view residue);

}  // namespace isolume::structures
