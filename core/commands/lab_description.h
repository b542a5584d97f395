#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/file_format.h"
#include "core/commands/declaration.h"
#include "core/parameters/description.h"

namespace isolume {

/// A file that is shipped with the program, to begin with.
struct Sample {
  std::string title;        ///< "Benzene"; commands name it by this
  std::string description;  ///< "RHF/6-31G*, 102 functions"
  std::string resource;     ///< "samples/benzene.fchk.gz"
};

/// What all programs know of a lab, declared once: the window, isolume-batch, the reference pages, completion, MIME
/// types and the translators read it. Texts are in English.
struct LabDescription {
  std::string name;                                  ///< in commands, parameters and folders: "orbitals"
  std::string title;                                 ///< "Orbitals"
  std::string summary;                               ///< one sentence for the welcome page
  std::vector<commands::Declaration> commands = {};  ///< of its window: orbitals.*
  /// Of its window's panel, as they are when the lab is made.
  std::function<std::vector<parameters::Description>()> parameters = nullptr;
  std::vector<FileFormats> formats = {};  ///< of the files that its window opens
  std::vector<Sample> samples = {};
  /// Whether the lab would open this file or folder; checks its name and at most its first bytes. Null: `formats`
  /// decide.
  std::function<bool(const std::filesystem::path& path)> opens = nullptr;

  bool takes(const std::filesystem::path& path) const {
    return opens ? opens(path)
                 : std::ranges::any_of(formats, [&](const auto& each) { return each.match(path); });
  }
};

}  // namespace isolume
