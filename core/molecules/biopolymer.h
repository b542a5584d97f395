#pragma once

#include <filesystem>

namespace isolume::molecules {

/// Whether a file is a structure of a protein or nucleic acid, as the Protein Data Bank has them: by its name (.pdb, .pdb1, .ent,
/// .cif, .mmcif) and its first bytes; of one that is packed (.gz), by its name alone. False where it cannot be read.
bool is_biopolymer_file(const std::filesystem::path& path);

}  // namespace isolume::molecules
