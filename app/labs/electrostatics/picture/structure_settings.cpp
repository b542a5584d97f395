#include "app/labs/electrostatics/picture/structure_settings.h"

#include "core/base/error.h"
#include "core/base/json_entry.h"
#include "core/base/language.h"

namespace isolume::labs::electrostatics {
namespace {

namespace fs = std::filesystem;

nlohmann::json reference_json(const fs::path& file, const fs::path& molecule) {
  sessions::DataReference reference{.path = file};
  try {
    reference = sessions::reference_to(file);
  } catch (const Error&) {
    // Gone since it was read: the session still says where it was.
  }
  reference.beside = file.lexically_relative(molecule.parent_path());
  return sessions::json_of(reference);
}

/// Where it is now; empty where the state has none, or it is gone.
fs::path referred_to(const nlohmann::json& state, const char* key, const fs::path& molecule,
                     std::vector<std::string>& notes) {
  if (!state.contains(key)) return {};
  const JsonEntry entry(state[key], molecule, "Choose the file again.");
  const auto located = sessions::locate(sessions::data_of(entry), molecule);
  if (located.found == sessions::Found::missing) {
    notes.push_back(filled(localised("electrostatics", "%1 was not found; charges are assigned without it."),
                           {located.path.string()}));
    return {};
  }
  if (located.found == sessions::Found::changed) {
    notes.push_back(filled(localised("electrostatics", "%1 has changed since the session was saved."),
                           {located.path.string()}));
  }
  return located.path;
}

/// Paths of the ligands' files: as saved, or in the molecule's folder. Missing ones are left out and named in `notes`.
std::string found_ligands(const std::string& text, const fs::path& molecule,
                          std::vector<std::string>& notes) {
  structures::Ligands ligands;
  for (auto [name, charges] : structures::ligands_of(text)) {
    std::error_code unknown;
    if (!charges.file.empty()) charges.file = found_beside(charges.file, molecule);
    if (charges.file.empty() || fs::exists(charges.file, unknown)) {
      ligands[name] = charges;
    } else {
      notes.push_back(filled(localised("electrostatics", "%1 was not found; %2 is without its charges."),
                             {charges.file.string(), name}));
    }
  }
  return structures::text_of_ligands(ligands);
}

}  // namespace

structures::ChargedFileOptions options_of(const StructureSettings& settings) {
  auto options = structures::charged_file_options(settings.choices);
  options.prepare.given_charges = settings.charges;
  options.topology = settings.topology;
  return options;
}

nlohmann::json state_of(const StructureSettings& settings, const fs::path& molecule) {
  auto choices = settings.choices;
  auto state = parameters::to_json(parameters::StructParameters(structures::structure_schema(), choices));
  if (!settings.charges.empty()) state["charges"] = reference_json(settings.charges, molecule);
  if (!settings.topology.empty()) state["topology"] = reference_json(settings.topology, molecule);
  return state;
}

fs::path found_beside(const fs::path& file, const fs::path& molecule) {
  std::error_code unknown;
  const auto beside = molecule.parent_path() / file.filename();
  const bool has_moved = !file.empty() && !fs::exists(file, unknown) && fs::exists(beside, unknown);
  return has_moved ? beside : file;
}

StructureSettings settings_of(const nlohmann::json& state, const fs::path& molecule,
                              std::vector<std::string>& notes) {
  StructureSettings settings;
  parameters::StructParameters set(structures::structure_schema(), settings.choices);
  auto choices = nlohmann::json::object();
  for (const auto& each : set.descriptions()) {
    if (state.contains(each.key)) choices[each.key] = state[each.key];
  }
  try {
    parameters::from_json(choices, set);
    settings.choices.ligands = found_ligands(settings.choices.ligands, molecule, notes);
    settings.charges = referred_to(state, "charges", molecule, notes);
    settings.topology = referred_to(state, "topology", molecule, notes);
  } catch (const Error& error) {
    notes.emplace_back(error.what());
  }
  return settings;
}

}  // namespace isolume::labs::electrostatics
