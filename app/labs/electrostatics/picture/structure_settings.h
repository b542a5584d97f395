#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/sessions/session.h"
#include "core/structures/structure_choices.h"

namespace isolume::labs::electrostatics {

/// How the file that is open was given its charges.
struct StructureSettings {
  structures::StructureChoices choices;
  std::filesystem::path charges;  ///< of a structure: a table that goes before the force field's; empty: none
  std::filesystem::path topology;  ///< of a GRO file; empty: the one beside it

  bool operator==(const StructureSettings&) const = default;
};

/// For reading the file. Throws as structures::charged_file_options.
structures::ChargedFileOptions options_of(const StructureSettings& settings);

/// For a session's state of the lab, with references to the files; reads these.
nlohmann::json state_of(const StructureSettings& settings, const std::filesystem::path& molecule);
/// The reverse, with files where they are now. `notes` gets what was not there, or has changed, or cannot be used.
StructureSettings settings_of(const nlohmann::json& state, const std::filesystem::path& molecule,
                              std::vector<std::string>& notes);

/// A file that a session names, where it is or, if it has moved along with the molecule, beside that; empty for none.
std::filesystem::path found_beside(const std::filesystem::path& file, const std::filesystem::path& molecule);

}  // namespace isolume::labs::electrostatics
