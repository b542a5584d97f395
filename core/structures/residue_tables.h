#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/remarks.h"
#include "core/jobs/progress.h"

namespace isolume::structures {

/// In e and angstrom.
struct AtomParameters {
  double charge = 0, radius = 0;
};
using ResidueParameters = std::map<std::string, AtomParameters, std::less<>>;
/// By residue and atom.
using ParameterTable = std::map<std::string, ResidueParameters, std::less<>>;

enum class HydrogenShape { tetrahedral, planar, hydroxyl, phenol };

/// How hydrogens are placed on an atom; for the words, see resources/charges/hydrogens.csv.
struct HydrogenRule {
  std::string atom;
  HydrogenShape shape;
  std::vector<std::string> neighbours;
  std::string reference;
  std::vector<std::string> hydrogens;
};
/// By residue.
using HydrogenTable = std::map<std::string, std::vector<HydrogenRule>, std::less<>>;

/// Reads a table with the columns residue, atom, charge and, if known, radius, in the order of its heading, which may
/// state units: "charge (e)", "radius (angstrom)", "radius_nm". Cells are separated by commas or semicolons and may be
/// quoted (RFC 4180); lines that begin with # are comments. A missing radius is -1. Remarks name other columns. Throws
/// InputError with the line number.
ParameterTable read_parameters(const std::filesystem::path& path, Remarks& remarks,
                               const jobs::Progress& progress = {});
/// The same for a table of this program, on which there are no remarks.
ParameterTable read_parameters(const std::filesystem::path& path);
HydrogenTable read_hydrogen_rules(const std::filesystem::path& path);

/// Reads charges supplied by the user: a table as for `read_parameters`, Tripos mol2 by residue names, or a chemical
/// component in CIF with partial charges. Missing radii are -1. Throws InputError with the line number.
ParameterTable read_given_charges(const std::filesystem::path& path, Remarks& remarks,
                                  const jobs::Progress& progress = {});

}  // namespace isolume::structures
