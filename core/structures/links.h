#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <Eigen/Core>

#include "core/structures/residue_tables.h"

namespace isolume::structures {

/// An atom of a residue that is bonded to another residue, such as glycosidic bonds between sugars and to proteins.
struct LinkedAtom {
  std::string atom, partner;  ///< names; the partner's is that in its own residue
  Eigen::Vector3d place;      ///< of the partner, in angstrom
};

/// Parameters of a linked residue.
struct LinkedParameters {
  ResidueParameters parameters;
  /// Positions of atoms that the partner's atom replaces: HD22 in ASN, O1 in a sugar.
  std::map<std::string, Eigen::Vector3d, std::less<>> replaced;
};

/// Whether the table has links of the residue at a carbon: "NAG/C1".
bool is_sugar(const ParameterTable& table, std::string_view residue);

/// Parameters of a residue by its name at its position in the chain ("NASN") and elsewhere ("ASN"), modified for its
/// links according to resources/charges/amber.csv. Nothing where the table lacks the residue or one of its links.
std::optional<LinkedParameters> linked_parameters(const ParameterTable& table, const HydrogenTable& rules,
                                                  const std::string& name, const std::string& base,
                                                  std::span<const LinkedAtom> links);

}  // namespace isolume::structures
