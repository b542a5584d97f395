#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs/progress.h"
#include "core/structures/charges.h"
#include "core/structures/prepare.h"

namespace isolume::structures {

enum class ChargeFormat { pqr, structure, mol2, xyz, gro };

/// A format and how its files end, in small letters; each also with .gz behind it.
struct ChargeFormatInfo {
  ChargeFormat format;
  std::vector<std::string_view> endings;
};
/// All formats from which charges can be read: the one list of them.
std::span<const ChargeFormatInfo> charge_formats();
/// By the name; what ends otherwise is taken for a PQR file.
ChargeFormat charge_format_of(const std::filesystem::path& path);

struct ChargedFileOptions {
  PrepareOptions prepare;          ///< of structures
  std::optional<int> model;        ///< of structures; without one the first
  std::filesystem::path topology;  ///< of GRO files; empty: see `topology_beside`
  int assembly = 0;                ///< of structures, as `read_structure` has it
};

/// Charges of a file, and how they came about.
struct ChargedFile {
  Charges charges;
  std::optional<Preparation> preparation;      ///< of a structure, without its charges
  std::filesystem::path topology;              ///< of a GRO file
  std::vector<SecondaryRange> secondary = {};  ///< helices and strands that a structure states
};

/// NAME.top or NAME.itp beside NAME.gro, or else topol.top; empty where none of them is there.
std::filesystem::path topology_beside(const std::filesystem::path& gro);

/// Reads charges from any of the formats. Throws as the reader of the format, `read_structure` and `prepare`; Error for a
/// GRO file without a topology.
ChargedFile read_charged_file(const std::filesystem::path& path, const ChargedFileOptions& options = {},
                              const jobs::Progress& progress = {});

}  // namespace isolume::structures
