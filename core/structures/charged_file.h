#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file_format.h"
#include "core/jobs/progress.h"
#include "core/structures/charges.h"
#include "core/structures/prepare.h"

namespace isolume::structures {

enum class ChargeFormat { pqr, structure, mol2, xyz, gro };

/// Formats from which charges can be read.
const FileFormats& charge_formats();
/// Determined by the name; unknown suffixes are taken as PQR.
ChargeFormat charge_format_of(const std::filesystem::path& path);

struct ChargedFileOptions {
  PrepareOptions prepare;          ///< for structures
  std::optional<int> model;        ///< for structures; otherwise the first
  std::filesystem::path topology;  ///< for GRO files; empty: see `topology_beside`
  int assembly = 0;                ///< for structures, as in `read_structure`
};

/// Charges of a file, and how they were obtained.
struct ChargedFile {
  Charges charges;
  std::optional<Preparation> preparation;      ///< of a structure, without its charges
  std::filesystem::path topology;              ///< of a GRO file
  std::vector<SecondaryRange> secondary = {};  ///< helices and strands stated in a structure file
};

/// NAME.top or NAME.itp next to NAME.gro, otherwise topol.top; empty if there is none of them.
std::filesystem::path topology_beside(const std::filesystem::path& gro);

/// Reads charges from any of the formats. Throws as the reader of the format, `read_structure` and `prepare`; Error
/// for a GRO file without a topology.
ChargedFile read_charged_file(const std::filesystem::path& path, const ChargedFileOptions& options = {},
                              const jobs::Progress& progress = {});

}  // namespace isolume::structures
