#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <Eigen/Core>

#include "core/structures/residue_tables.h"

namespace isolume::structures {

/// An atom of a residue that is bonded to one of another residue, as sugars are to each other and to proteins.
struct LinkedAtom {
  std::string atom, partner;  ///< names; the partner's is that in its own residue
  Eigen::Vector3d place;      ///< of the partner, in angstrom
};

/// What a residue is where it is linked.
struct LinkedParameters {
  ResidueParameters parameters;
  /// Where the partner's atom is in the place of one that is gone: of HD22 in ASN, of O1 in a sugar.
  std::map<std::string, Eigen::Vector3d, std::less<>> replaced;
};

/// The table has links of it at a carbon: "NAG/C1".
bool is_sugar(const ParameterTable& table, std::string_view residue);

/// The parameters of a residue by its name at its place in the chain ("NASN") and elsewhere ("ASN"), changed for its links as
/// resources/charges/amber.csv says. Nothing where the table lacks the residue or one of its links.
std::optional<LinkedParameters> linked_parameters(const ParameterTable& table, const HydrogenTable& rules,
                                                  const std::string& name, const std::string& base,
                                                  std::span<const LinkedAtom> links);

}  // namespace isolume::structures
