#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/jobs/progress.h"
#include "core/structures/charges.h"

namespace isolume::structures {

/// Writes places and names in the PDB format (https://www.wwpdb.org/documentation/file-format), places to 0.001 angstrom;
/// charges that are whole, of ions, in columns 79 and 80. Elements are those of the names (molecule_of). Numbers that are
/// too long go on in hybrid-36. Each remark is a line in front. Throws Error for names and places that the columns
/// do not hold, Cancelled.
void write_pdb(const Charges& charges, const std::vector<std::string>& remarks,
               const std::filesystem::path& path, const jobs::Progress& progress = {});

}  // namespace isolume::structures
