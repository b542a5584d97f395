#pragma once

#include <filesystem>

namespace isolume::molecules {

/// Whether a file is a structure of a protein or nucleic acid in the formats of the Protein Data Bank: by its name
/// (.pdb, .pdb1, .ent, .cif, .mmcif) and its first bytes; for a compressed one (.gz), by its name alone. False if it
/// cannot be read.
bool is_biopolymer_file(const std::filesystem::path& path);

}  // namespace isolume::molecules
