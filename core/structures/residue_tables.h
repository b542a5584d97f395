#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs/progress.h"

namespace isolume::structures {

/// In e and in angstrom.
struct AtomParameters {
  double charge = 0, radius = 0;
};
using ResidueParameters = std::map<std::string, AtomParameters, std::less<>>;
/// By residue and atom.
using ParameterTable = std::map<std::string, ResidueParameters, std::less<>>;

enum class HydrogenShape { tetrahedral, planar, hydroxyl, phenol };

/// Where the hydrogens of an atom are; resources/charges/hydrogens.csv says what the words mean.
struct HydrogenRule {
  std::string atom;
  HydrogenShape shape;
  std::vector<std::string> neighbours;
  std::string reference;
  std::vector<std::string> hydrogens;
};
/// By residue.
using HydrogenTable = std::map<std::string, std::vector<HydrogenRule>, std::less<>>;

/// A table with the columns residue,atom,charge,radius behind one heading; lines that begin with # are comments. A radius
/// may be missing: it is -1 then. Throws InputError with the line's number.
ParameterTable read_parameters(const std::filesystem::path& path, const jobs::Progress& progress = {});
HydrogenTable read_hydrogen_rules(const std::filesystem::path& path);

/// Charges of a file that a person gives: that of `read_parameters`, Tripos mol2 by its residues' names, or a chemical component
/// in CIF with partial charges. Radii that it lacks are -1. Throws InputError with the line's number.
ParameterTable read_given_charges(const std::filesystem::path& path, const jobs::Progress& progress = {});

}  // namespace isolume::structures
