#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/batch/context.h"
#include "core/structures/charged_file.h"
#include "core/structures/structure_choices.h"

namespace isolume::batch {

/// How a structure gets charges: the options of verbs that take one.
struct StructureOptions {
  structures::StructureChoices choices;
  parameters::StructParameters<structures::StructureChoices> set{structures::structure_schema(), choices};
  std::string charges, topology;

  StructureOptions() = default;
  StructureOptions(const StructureOptions&) = delete;  // `set` refers to `choices`
  StructureOptions& operator=(const StructureOptions&) = delete;
};
void add_structure_options(CLI::App& verb, Context& context, StructureOptions& options);

/// Which files read_charges takes, for help.
inline constexpr std::string_view charge_files =
    "a PQR file; a structure, PDB or mmCIF; mol2; XYZ with charges; GRO with its topology";
/// --spacing and --margin of a grid around the molecule.
void add_grid_options(CLI::App& verb, Context& context, double& spacing, double& margin);

/// What a file had, or those that a structure was given.
struct ChargesInput : structures::ChargedFile {
  std::vector<std::string> without_parameters() const;
  /// Of each of them.
  nlohmann::ordered_json atoms_without_parameters() const;
};

/// The options as the reader of files takes them. Throws UsageError where they do not suit the file's format.
structures::ChargedFileOptions options_for(const std::string& file, const StructureOptions& options);
/// The file and all others that the options name or that are taken next to it.
std::vector<std::string> files_of(const std::string& file, const StructureOptions& options);
/// Reports what was done on the way.
ChargesInput read_charges(Context& context, const std::string& file, const StructureOptions& options,
                          const jobs::Progress& progress);

/// What was decided, each in a line or as JSON.
std::vector<std::string> decisions(const ChargesInput& input);
nlohmann::ordered_json to_json(const structures::Preparation& made);

}  // namespace isolume::batch
