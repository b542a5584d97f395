#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/jobs/progress.h"
#include "core/structures/charges.h"

namespace isolume::structures {

/// Writes positions and names in the PDB format (https://www.wwpdb.org/documentation/file-format), positions to 0.001
/// angstrom; integer charges, such as those of ions, in columns 79 and 80. Elements are those of the names
/// (molecule_of). Numbers that are too long continue in hybrid-36. Each remark is a line at the start. Throws Error
/// for names and positions that do not fit the columns, Cancelled.
void write_pdb(const Charges& charges, const std::vector<std::string>& remarks,
               const std::filesystem::path& path, const jobs::Progress& progress = {});

}  // namespace isolume::structures
